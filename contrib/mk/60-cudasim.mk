# cudasim: a libcudart.so.13 that runs kernels on the CPU, the tools beside it, its tests' programs and the fuzzers.

CUDASIM := contrib/cudasim
CUDASIM_LIBRARY := $(BUILD)/cudasim/libcudart.so.13
# The driver's library is the same one by another name: both know one device.
CUDASIM_DRIVER := $(BUILD)/cudasim/libcuda.so.1
# NVIDIA's linker by its name. It stands alone: programs may load it without the runtime.
CUDASIM_JITLINK := $(BUILD)/cudasim/libnvJitLink.so.13
CUDASIM_TOOLS := $(BUILD)/ptx_dump $(BUILD)/fatbin
CUDASIM_FLAGS = -std=c11 -fPIC $(WARNINGS) $(CFLAGS) $(if $(DEV),-Werror) -D_GNU_SOURCE $(CPPFLAGS) \
	$(if $(CUDA_INCLUDE),-isystem $(CUDA_INCLUDE)) -I. $(SANITIZERS)
# All of the library may use what every x86-64 of the last fifteen years has: counting bits, above all.
BASE_LEVEL := $(if $(X86_64),-march=x86-64-v2)
CUDASIM_LIBS := -lzstd -ljansson -lpthread -lm

# The bodies of instructions may exist once for each level of x86-64 that differs enough; table.c picks one. By default
# those are built that this machine runs best, and those that this build folder has already: machines may share it.
RUNNABLE_LEVELS = $(or $(sort $(shell /lib64/ld-linux-x86-64.so.2 --help 2>/dev/null | \
	sed -n 's/^ *x86-64-v\([234]\) .*supported.*/\1/p')),2 3 4)
LEVELS_STAMP := $(BUILD)/cudasim/levels
DEFAULT_LEVELS = $(sort $(lastword $(RUNNABLE_LEVELS)) $(filter 2 3 4,$(file <$(LEVELS_STAMP))))
# Goals that build the simulator, or may do so. Others do not ask the processor.
BUILDS_CUDASIM := $(filter-out submission all $(if $(SIMULATED),,ready ready-to-judge simulator-if-used),$(BUILDS))
ifeq ($(origin LEVELS),undefined)
LEVELS := $(if $(BUILDS_CUDASIM),$(DEFAULT_LEVELS))
endif
ifneq ($(filter-out 2 3 4,$(LEVELS)),)
$(error LEVELS: '$(LEVELS)' must be some of 2 3 4, or not given)
endif
LEVEL_2 := -DLEVEL=2 -march=x86-64-v2
LEVEL_3 := -DLEVEL=3 -march=x86-64-v3
LEVEL_4 := -DLEVEL=4 -march=x86-64-v4 -mprefer-vector-width=512
TABLE_FLAGS := -std=gnu11 -O3 -frounding-math -fno-trapping-math

CUDASIM_TABLES := $(wildcard $(CUDASIM)/table/table_*.c)
CUDASIM_SOURCES := $(filter-out $(CUDASIM)/tools/% $(CUDASIM)/jitlink/% $(CUDASIM_TABLES), \
	$(wildcard $(CUDASIM)/*.c $(CUDASIM)/*/*.c))
# $(call leveled,LEVELS,SOURCES): the objects
leveled = $(foreach level,$(1),$(patsubst $(CUDASIM)/%.c,$(BUILD)/cudasim/%.v$(level).o,$(2)))
CUDASIM_OBJECTS := $(CUDASIM_SOURCES:$(CUDASIM)/%.c=$(BUILD)/cudasim/%.o) $(call leveled,$(LEVELS),$(CUDASIM_TABLES))

CUDASIM_STAMP := $(BUILD)/cudasim/flags
$(call stamp,$(CUDASIM_STAMP),$(CC) $(filter-out -Werror,$(CUDASIM_FLAGS)) $(CUDASIM_LIBS) $(BASE_LEVEL) \
	$(TABLE_FLAGS) $(LEVEL_2) $(LEVEL_3) $(LEVEL_4))
ifneq ($(BUILDS_CUDASIM),)
$(call stamp,$(LEVELS_STAMP),$(LEVELS))
endif

# For the tests, which run all that this machine can.
.PHONY: print-runnable-levels
print-runnable-levels:
	@echo $(RUNNABLE_LEVELS)

# What it may stand for lies beside the library.
CUDASIM_PROFILES := $(patsubst $(CUDASIM)/%,$(BUILD)/cudasim/%,$(wildcard $(CUDASIM)/profiles/*.conf))
$(BUILD)/cudasim/profiles/%.conf: $(CUDASIM)/profiles/%.conf
	@mkdir -p $(@D) && cp $< $@

.PHONY: cudasim-library
cudasim-library: $(if $(CUDASIM_LACKS),,$(CUDASIM_LIBRARY) $(CUDASIM_DRIVER) $(CUDASIM_JITLINK) \
	$(CUDASIM_PROFILES))
	$(if $(CUDASIM_LACKS),@echo "cudasim needs $(strip $(CUDASIM_LACKS))" >&2; exit 2)

$(CUDASIM_LIBRARY): $(CUDASIM_OBJECTS) $(LEVELS_STAMP) $(CUDASIM)/runtime/libcudart.map
	$(call say,LINK $@)$(CC) -shared $(SANITIZERS) -Wl,-soname,$(@F) \
		-Wl,--version-script=$(CUDASIM)/runtime/libcudart.map -Wl,-Bsymbolic -Wl,-z,defs \
		-Wl,-z,nodelete -o $@ $(filter %.o,$^) $(CUDASIM_LIBS)

$(CUDASIM_DRIVER): | $(CUDASIM_LIBRARY)
	@ln -sfn $(notdir $(CUDASIM_LIBRARY)) $@

$(CUDASIM_JITLINK): $(patsubst $(CUDASIM)/%.c,$(BUILD)/cudasim/%.o,$(wildcard $(CUDASIM)/jitlink/*.c \
		$(CUDASIM)/container/fatbin.c $(CUDASIM)/container/linked.c)) $(CUDASIM)/jitlink/jitlink.map
	$(call say,LINK $@)$(CC) -shared $(SANITIZERS) -Wl,-soname,$(@F) -Wl,--version-script=$(CUDASIM)/jitlink/jitlink.map \
		-Wl,-Bsymbolic -Wl,-z,defs -o $@ $(filter %.o,$^) -lzstd -lpthread -ldl
	@ln -sfn $(@F) $(@:.13=)

$(BUILD)/cudasim/%.o: $(CUDASIM)/%.c $(CUDASIM_STAMP)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(CUDASIM_FLAGS) $(BASE_LEVEL) -MMD -MP -c -o $@ $<

# A call of the API that failed is named by the function on the stack: see unchecked.c.
$(BUILD)/cudasim/runtime/%.o: CUDASIM_FLAGS += -fno-optimize-sibling-calls

$(BUILD)/cudasim/table/table.o: CUDASIM_FLAGS += -D'LEVELS(X)=$(foreach level,$(LEVELS),X($(level)))'
$(BUILD)/cudasim/table/table.o: $(LEVELS_STAMP)

define level_rule
$(BUILD)/cudasim/%.v$(1).o: $(CUDASIM)/%.c $(CUDASIM_STAMP)
	@mkdir -p $$(@D)
	$$(call say,CC $$< for x86-64-v$(1))$$(CC) $$(CUDASIM_FLAGS) $$(TABLE_FLAGS) $$(LEVEL_$(1)) -MMD -MP -c -o $$@ $$<
endef
$(foreach level,2 3 4,$(eval $(call level_rule,$(level))))

# ---- tools, which run anywhere ----

cudasim_objects = $(call object,$(wildcard $(1:%=$(CUDASIM)/%)))

$(BUILD)/ptx_dump: $(call cudasim_objects,tools/main_ptx_dump.c ptx/*.c base/arena.c)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^

$(BUILD)/fatbin: $(call cudasim_objects,tools/main_fatbin.c container/*.c)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lelf -lzstd

# Says which PTX the library executes: a section of docs/simulator/instructions.md.
$(BUILD)/cudasim_instructions: $(BUILD)/cudasim/tools/main_instructions.o $(CUDASIM_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(CUDASIM_LIBS)

# Says which kernels of a module the library refuses. It has all of it but CUDA's calls.
$(BUILD)/ptx_check: $(BUILD)/cudasim/tools/main_ptx_check.o \
		$(filter-out $(BUILD)/cudasim/runtime/% $(BUILD)/cudasim/driver/%,$(CUDASIM_OBJECTS))
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(CUDASIM_LIBS)

# ---- unit tests: only what they test, and not the host ----

CUDASIM_UNIT := $(addprefix $(BUILD)/tests/test_cudasim_,memory fatbin line explain program \
	$(if $(X86_64),builtin half level sim))
$(BUILD)/tests/test_cudasim_memory: $(call cudasim_objects,base/memory*.c)
$(BUILD)/tests/test_cudasim_fatbin $(BUILD)/tests/test_cudasim_line: $(call cudasim_objects,container/*.c)
$(BUILD)/tests/test_cudasim_explain: $(call cudasim_objects,report/explain*.c)
$(BUILD)/tests/test_cudasim_program: $(call cudasim_objects,program/*.c table/row_index.c ptx/*.c base/*.c)
$(BUILD)/tests/test_cudasim_program: UNIT_LINK := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc \
	-Wl,--wrap=posix_memalign,--wrap=free
$(BUILD)/tests/test_cudasim_builtin: $(call cudasim_objects,machine/builtin*.c base/memory*.c)
$(BUILD)/tests/test_cudasim_half: $(call leveled,2 3 4,$(wildcard $(CUDASIM)/table/table_half*.c))
$(BUILD)/tests/test_cudasim_sim: $(filter-out $(BUILD)/cudasim/runtime/% $(BUILD)/cudasim/driver/%,$(CUDASIM_OBJECTS))
$(CUDASIM_UNIT): $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) $(UNIT_LINK) -o $@ $^ $(CUDASIM_LIBS)

# The tests run the tools as well.
unit-tests: $(CUDASIM_UNIT) $(CUDASIM_TOOLS)

# ---- programs that the tests run on the library: tests/cudasim/PROGRAMS.md ----

# PTX alone, for these look at what ptxas says and nothing else does; and the CPU code fast to compile: the PTX is the
# same at any -O. Both save half of the minutes that this takes.
WITH_SASS := device_queries explain/%
PTX_CODE := -gencode arch=compute_90,code=compute_90
SASS_CODE := -gencode 'arch=compute_90,code=[sm_90,compute_90]'
# These use what compute capability 9.0a alone has.
WITH_90A := features/cuda_ptx wgmma tensor_maps async_stores sparse multicast
PTX_90A := -gencode arch=compute_90a,code=compute_90a
code_of = $(if $(filter $(WITH_SASS),$(1)),$(SASS_CODE),$(if $(filter $(WITH_90A),$(1)),$(PTX_90A),$(PTX_CODE)))
PROGRAM_FLAGS := -std=c++17 -O0 -lineinfo -cudart shared --compress-mode=none -Icontrib/cuda
PROGRAM_STAMP := $(BUILD)/cudasim-tests/flags
$(call stamp,$(PROGRAM_STAMP),$(NVCC) $(PROGRAM_FLAGS) $(WITH_SASS) $(WITH_90A))

# Short programs that need nothing of their own are built together: tests/scripts/one_program.sh says why.
TOGETHER_PARTS := 1 2 3 driver rdc bad good
TOGETHER_1 := async_copy batches bfs bitonic clock_nanosleep clusters constant_memory cooperative_groups \
	dependent_launch device_malloc dynamic_programming dynamic_shared fft fp8_ops game_of_life half_ops histogram \
	int128 launch_bounds_3d local_memory mandelbrot matmul_shared
TOGETHER_2 := mbarrier memory_api merge_sort mma_ptx nbody needleman_wunsch odd_ptx pools producer_consumer radix_sort \
	reduce scan sha256 sobel spin_lock spmv struct_params texture_shapes transpose vector_add vector_types \
	warp_algorithms
TOGETHER_3 := as_the_card atomics bit_ptx float_ops function_pointers graph_objects graphs group_calls host_memory \
	integer_ops launch_attributes memory_places recursion streams_events texture_views textures volatile_fence wrong_calls
TOGETHER_driver := contexts driver_api driver_arrays driver_graph first_variants graph_edges graph_words \
	green_contexts interleaved_maps link_logs logs processes queries stream_words virtual_memory
TOGETHER_rdc := children conditional_graphs device_graphs device_nodes device_runtime
TOGETHER_bad := $(patsubst tests/cudasim/checks/%.cu,%,$(wildcard tests/cudasim/checks/*_bad.cu))
TOGETHER_good := $(patsubst tests/cudasim/checks/%.cu,%,$(wildcard tests/cudasim/checks/*_good.cu))
TOGETHER := $(addprefix $(BUILD)/cudasim-tests/together_,$(TOGETHER_PARTS))

CUDASIM_SOURCES := $(wildcard $(addprefix tests/cudasim/,*.cu checks/*.cu explain/*.cu features/*.cu))
together_sources = $(filter $(addprefix %/,$(addsuffix .cu,$(TOGETHER_$(1)))),$(CUDASIM_SOURCES))
CUDASIM_PROGRAMS := $(TOGETHER) $(patsubst tests/cudasim/%.cu,$(BUILD)/cudasim-tests/%, \
	$(filter-out $(foreach part,$(TOGETHER_PARTS),$(call together_sources,$(part))),$(CUDASIM_SOURCES)))

# nvcc takes long for these: the tests that run them are tagged long. CUB stays with the jury's sort for mergesort.
CUDASIM_LONG := $(addprefix $(BUILD)/cudasim-tests/,cub_reduce cub_scan cub_sort curand_pi templates_lambdas \
	thrust_sort $(addprefix features/,atomics_wide cub_kinds generators std_types thrust_keys))
.PHONY: cudasim-programs
cudasim-programs: $(filter-out $(CUDASIM_LONG),$(CUDASIM_PROGRAMS))

$(BUILD)/cudasim-tests/%: tests/cudasim/%.cu $(PROGRAM_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(PROGRAM_FLAGS) $(call code_of,$*) \
		-MMD -MP -MF $@.d $$(sed -n '1s|^// flags: ||p' $<) -o $@ $<

.SECONDARY: $(TOGETHER:=.cu)
$(foreach part,$(TOGETHER_PARTS),$(eval \
	$(BUILD)/cudasim-tests/together_$(part).cu: $(call together_sources,$(part))))
$(TOGETHER:=.cu): tests/scripts/one_program.sh
	@mkdir -p $(@D)
	@tests/scripts/one_program.sh $(filter %.cu,$^) > $@

$(TOGETHER): %: %.cu $(PROGRAM_STAMP)
	$(call say,NVCC $<)$(NVCC) $(PROGRAM_FLAGS) $(PTX_CODE) -I. -Itests/cudasim -Itests/cudasim/checks -w \
		-MMD -MP -MF $@.d $(FLAGS) -o $@ $<
$(BUILD)/cudasim-tests/together_driver: FLAGS := -lcuda
$(BUILD)/cudasim-tests/together_rdc: FLAGS := -rdc=true -lcudadevrt

# Kernels with races and without: tests/races/README.md.
RACE_PROGRAMS := $(patsubst tests/races/%.cu,$(BUILD)/race-tests/%,$(wildcard tests/races/*.cu))
.PHONY: race-programs
race-programs: $(RACE_PROGRAMS)

$(BUILD)/race-tests/%: tests/races/%.cu tests/races/suite.h $(PROGRAM_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(PROGRAM_FLAGS) $(PTX_CODE) -diag-suppress 20054 -o $@ $<

# Work in streams, ordered and not: tests/streams/README.md.
STREAM_PROGRAMS := $(patsubst tests/streams/%.cu,$(BUILD)/stream-tests/%,$(wildcard tests/streams/*.cu))
.PHONY: stream-programs
stream-programs: $(STREAM_PROGRAMS)

$(BUILD)/stream-tests/%: tests/streams/%.cu tests/streams/suite.h $(PROGRAM_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(PROGRAM_FLAGS) $(PTX_CODE) $$(sed -n '1s|^// flags: ||p' $<) -o $@ $<

# Variables that are used before they have a value, in optimised code and in that of -G: tests/undefined/README.md.
UNDEFINED_PROGRAMS := $(foreach name,wrong right,$(BUILD)/undefined-tests/$(name) $(BUILD)/undefined-tests/$(name)-G)
.PHONY: undefined-programs
undefined-programs: $(UNDEFINED_PROGRAMS)

$(BUILD)/undefined-tests/%-G: tests/undefined/%.cu tests/undefined/suite.h $(PROGRAM_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC -G $<)$(NVCC) $(filter-out -lineinfo,$(PROGRAM_FLAGS)) $(PTX_CODE) -G -w -o $@ $<

$(BUILD)/undefined-tests/%: tests/undefined/%.cu tests/undefined/suite.h $(PROGRAM_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(PROGRAM_FLAGS) $(PTX_CODE) -w -o $@ $<

# Defective programs, their right twins, and eight more suites: tests/defects/README.md.
DEFECT_PROGRAMS := $(foreach name,kernels host,$(BUILD)/defect-tests/$(name) $(BUILD)/defect-tests/$(name)-right)
DEFECTS_SECOND := $(addprefix $(BUILD)/defect-tests/,blocks threads runtime idioms idioms_grid)
DEFECTS_THIRD := $(addprefix $(BUILD)/defect-tests/,courses programs careful)
DEFECTS_FOURTH := $(foreach name,lab lab_host,$(BUILD)/defect-tests/$(name) $(BUILD)/defect-tests/$(name)-right)
DEFECTS_FIFTH := $(foreach name,field field_hopper field_host,$(BUILD)/defect-tests/$(name) \
	$(BUILD)/defect-tests/$(name)-right)
DEFECTS_SIXTH := $(foreach name,clinic clinic_hopper clinic_host,$(BUILD)/defect-tests/$(name) \
	$(BUILD)/defect-tests/$(name)-right)
DEFECTS_SEVENTH := $(foreach name,ward ward_host,$(BUILD)/defect-tests/$(name) $(BUILD)/defect-tests/$(name)-right)
DEFECTS_EIGHTH := $(foreach name,shop shop_hopper shop_host,$(BUILD)/defect-tests/$(name) \
	$(BUILD)/defect-tests/$(name)-right)
DEFECTS_TENTH := $(foreach name,yard yard_order yard_hopper yard_host,$(BUILD)/defect-tests/$(name) \
	$(BUILD)/defect-tests/$(name)-right)
DEFECTS_MUTANTS := $(BUILD)/defect-tests/mutants $(BUILD)/defect-tests/mutants-right
.PHONY: defect-programs defects-second defects-third defects-fourth defects-fifth defects-sixth defects-seventh \
	defects-eighth defects-mutants defects-tenth
defect-programs: $(DEFECT_PROGRAMS)
defects-second: $(DEFECTS_SECOND)
defects-third: $(DEFECTS_THIRD)
defects-fourth: $(DEFECTS_FOURTH)
defects-fifth: $(DEFECTS_FIFTH)
defects-sixth: $(DEFECTS_SIXTH)
defects-seventh: $(DEFECTS_SEVENTH)
defects-eighth: $(DEFECTS_EIGHTH)
defects-mutants: $(DEFECTS_MUTANTS)
defects-tenth: $(DEFECTS_TENTH)

$(BUILD)/defect-tests/threads: private PROGRAM_FLAGS += -rdc=true
$(addprefix $(BUILD)/defect-tests/,runtime programs lab_host lab_host-right \
	field_host field_host-right clinic_host clinic_host-right): private PROGRAM_FLAGS += -g
$(addprefix $(BUILD)/defect-tests/,ward_host ward_host-right): private PROGRAM_FLAGS += -g --extended-lambda -lcuda
$(addprefix $(BUILD)/defect-tests/,shop shop-right): private PROGRAM_FLAGS += -rdc=true
$(addprefix $(BUILD)/defect-tests/,yard yard-right): private PROGRAM_FLAGS += -rdc=true
$(addprefix $(BUILD)/defect-tests/,yard_order yard_order-right yard_host \
	yard_host-right shop_host shop_host-right): private PROGRAM_FLAGS += -g -lcuda
$(DEFECTS_MUTANTS): private PROGRAM_FLAGS += -g

$(BUILD)/defect-tests/%-right: tests/defects/%.cu tests/defects/suite.h $(PROGRAM_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC -DRIGHT $<)$(NVCC) $(PROGRAM_FLAGS) $(PTX_90A) -DRIGHT -w -o $@ $<

$(BUILD)/defect-tests/%: tests/defects/%.cu tests/defects/suite.h $(PROGRAM_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(PROGRAM_FLAGS) $(PTX_90A) -w -o $@ $<

# Finds the tables of approximate functions on a GPU; on the library it prints the tables that the library has.
$(BUILD)/interpolation: $(CUDASIM)/tools/main_interpolation.cu $(PROGRAM_STAMP)
	$(call say,NVCC $<)$(NVCC) -O2 $(filter-out -O0,$(PROGRAM_FLAGS)) $(PTX_CODE) -o $@ $<

# A CUDA program that measures the library: tests/bench/bench_cudasim.sh.
$(BUILD)/cudasim_speed: tests/bench/main_cudasim.cu $(PROGRAM_STAMP)
	$(call say,NVCC $<)$(NVCC) -O3 $(filter-out -O0,$(PROGRAM_FLAGS)) $(PTX_CODE) -o $@ $<

# The same for its checks: tests/bench/bench_checks.sh.
$(BUILD)/cudasim_checks: tests/bench/main_checks.cu $(PROGRAM_STAMP)
	$(call say,NVCC $<)$(NVCC) -O3 $(filter-out -O0,$(PROGRAM_FLAGS)) $(PTX_CODE) -o $@ $<

# ---- fuzzers ----

# Seconds for each. What was found lies in build/fuzz/NAME-*, as does what was learned.
FUZZ_SECONDS ?= 60
# libFuzzer takes another word for 0, which has no end.
fuzz_seconds = [[ '$(FUZZ_SECONDS)' =~ ^[1-9][0-9]*$$ ]] || \
	{ echo "FUZZ_SECONDS: '$(FUZZ_SECONDS)' is not a number of seconds" >&2; exit 2; }
CLANG ?= clang
FUZZERS := $(BUILD)/fuzz/ptx $(BUILD)/fuzz/fatbin
REPLAYERS := $(FUZZERS:%=%_replay)
FUZZ_FLAGS := -std=gnu11 -D_GNU_SOURCE -I. -g -O1 -fno-sanitize-recover=all -fno-omit-frame-pointer
fuzz_sources = tests/fuzz/fuzz_$(1).c $(wildcard $(FUZZED_$(1):%=$(CUDASIM)/%))
FUZZED_ptx := ptx/*.c base/arena.c features/feature_code.c features/feature_graph.c
FUZZED_fatbin := container/*.c
FUZZ_OPTIONS_ptx := -malloc_limit_mb=64 -max_len=16384 -dict=tests/fuzz/ptx.dict
FUZZ_OPTIONS_fatbin := -malloc_limit_mb=1100 -rss_limit_mb=4096

# A replayer is built with gcc: the corpus, and what comes of it by seeded damage, without libFuzzer.
define fuzz_rules
$(BUILD)/fuzz/$(1): $(call fuzz_sources,$(1)) $(wildcard $(CUDASIM)/*/*.h)
	@mkdir -p $$(@D)
	$$(call say,CLANG $$@)$$(CLANG) $$(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $$@ \
		$$(filter %.c,$$^) -lelf -lzstd
$(BUILD)/fuzz/$(1)_replay: tests/fuzz/main_replay.c $(call fuzz_sources,$(1)) $(wildcard $(CUDASIM)/*/*.h)
	@mkdir -p $$(@D)
	$$(call say,CC $$@)$$(CC) $$(FUZZ_FLAGS) -fsanitize=address,undefined -o $$@ $$(filter %.c,$$^) -lelf -lzstd
.PHONY: fuzz-$(1)
fuzz-$(1): $(BUILD)/fuzz/$(1)
	@mkdir -p $(BUILD)/fuzz/$(1)-corpus
	@$$(fuzz_seconds)
	$$(Q)$$< -max_total_time=$$(FUZZ_SECONDS) -print_final_stats=1 $(FUZZ_OPTIONS_$(1)) \
		-artifact_prefix=$(BUILD)/fuzz/$(1)- $(BUILD)/fuzz/$(1)-corpus tests/fuzz/corpus/$(1)
endef
$(foreach name,ptx fatbin,$(eval $(call fuzz_rules,$(name))))

.PHONY: replayers
replayers: $(REPLAYERS)

-include $(wildcard $(BUILD)/cudasim/*.d $(BUILD)/cudasim/*/*.d $(CUDASIM_PROGRAMS:%=%.d))
