# The host, the runners and getrndstr. A problem is any problems/NAME with a problem.c.

PROBLEM_NAMES := $(sort $(patsubst problems/%/problem.c,%,$(wildcard problems/*/problem.c)))
# Sources of the problems that go into the host: call.c goes into the runner, main_*.c are programs, outputs.c is for
# the tests of a problem's check().
PROBLEM_SOURCES := $(filter-out %/call.c %/outputs.c $(wildcard problems/*/main_*.c),$(wildcard problems/*/*.c))
OUTPUTS_SOURCES := $(wildcard problems/*/outputs.c)
RUNNER_SOURCES := $(addprefix verify/,runner/runner.c runner/opencl_runner.c runner/refusal.c \
	runner/resident.c runner/executable.c runner/device_code.c wire/filter.c wire/channel.c wire/guard.c wire/reap.c)
# The rooms of verify/ that the host is linked with: all but runner/, of wire/ all but what ends in the runner, and of
# inspect/ the form of its answer: what reads a submission's file is a program of its own.
VERIFY_SOURCES := verify/inspect/findings.c $(filter-out verify/wire/guard.c verify/result/main_%.c \
	verify/box/main_%.c,$(wildcard $(patsubst %,verify/%/*.c,base wire box gpu cases judge result)))
INSPECT_SOURCES := $(filter-out %/findings.c,$(wildcard verify/inspect/*.c))
TABLE := $(BUILD)/problems.c
OUTPUTS_TABLE := $(BUILD)/outputs.c

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(patsubst $(BUILD)/%,%,$(1)))
HOST_OBJECTS := $(call object,$(VERIFY_SOURCES) problems/prepare.c problems/second.c problems/series.c \
	$(PROBLEM_SOURCES) $(TABLE) $(BUILD)/frozen_lines.c)
OUTPUTS_OBJECTS := $(call object,$(OUTPUTS_SOURCES) $(OUTPUTS_TABLE))

RUNNERS := $(PROBLEM_NAMES:%=$(BUILD)/runners/%)
# The names that participants type. Another build folder beside the usual one leaves them where they point to.
NAMES := $(if $(filter build,$(BUILD))$(if $(wildcard ldistance),,none),getrndstr ldistance)

PROGRAMS := $(BUILD)/main_host $(BUILD)/inspect $(BUILD)/landlock $(BUILD)/check_problem \
	$(BUILD)/compare $(BUILD)/seal $(BUILD)/verify_record $(BUILD)/getrndstr $(RUNNERS) \
	$(NAMES) $(BUILD)/opencl/cpu/driver.icd $(BUILD)/opencl/gpu/driver.icd \
	$(BUILD)/empty.so $(if $(GPU),$(if $(NVCC),$(BUILD)/gpu_warden $(BUILD)/empty_gpu.so \
	$(BUILD)/empty_resident.so))

$(BUILD)/main_host: $(call object,main_host.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/inspect: $(call object,$(INSPECT_SOURCES))
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lelf -lseccomp

# What a box is made of where there are no namespaces.
$(BUILD)/landlock: $(call object,verify/box/main_landlock.c verify/box/landlock.c)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lseccomp

$(BUILD)/seal: $(call object,verify/result/main_seal.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/verify_record: $(call object,problems/main_record.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/check_problem: $(call object,problems/main_check.c problems/spoils.c) $(OUTPUTS_OBJECTS) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/compare: $(call object,verify/result/main_compare.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/bench_watch: $(call object,tests/bench/main_watch.c verify/gpu/warden.c verify/base/lockfile.c \
	verify/base/error.c verify/base/text.c)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^

$(BUILD)/bench_overhead: $(call object,tests/bench/main_overhead.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/bench_ready: $(call object,tests/bench/main_ready.c) $(call object,verify/wire/guard.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/bench_inputs: $(call object,tests/bench/main_inputs.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/getrndstr: $(call object,getrndstr.c)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^

# The names that the GPU Challenge 2009 manual has.
getrndstr: $(BUILD)/getrndstr
	$(Q)ln -sfn $< $@
ldistance: $(BUILD)/main_host
	$(Q)ln -sfn $< $@

# The runner is never built with sanitizers: it shares its process with user code. It stands before the OpenCL loader
# for two functions, before the C library for its allocators (verify/runner/refusal.h), and before the CUDA runtime for
# the one that takes device code (verify/runner/device_code.h).
RUNNER_EXPORTS := clBuildProgram clCompileProgram \
	malloc calloc realloc memalign aligned_alloc posix_memalign mmap mmap64 __cudaRegisterFatBinary
$(BUILD)/runners/%: $(RUNNER_SOURCES:%.c=$(BUILD)/plain/%.o) $(BUILD)/plain/problems/%/call.o
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(RUNNER_EXPORTS:%=-Wl,--export-dynamic-symbol=%) -o $@ $^ -lseccomp -ldl

# What the host times for the overhead of a call, and who looks after the GPU for it.
$(BUILD)/empty.so: verify/runner/empty.c $(FLAGS_STAMP)
	$(call say,CC $<)$(CC) $(HOST_CFLAGS) -fPIC -shared -o $@ $<
$(BUILD)/empty_gpu.so $(BUILD)/empty_resident.so: $(BUILD)/%.so: verify/runner/%.cu $(FLAGS_STAMP)
	$(call say,NVCC $<)$(NVCC) $(NVCC_FLAGS) -shared -o $@ $<
# It has the folders of the CUDA runtime in itself: whoever starts it need not know them. The tests have one that runs
# on the simulator.
$(BUILD)/gpu_warden $(BUILD)/bench_context: RUNTIME = $(CUDA_FOLDER):/usr/local/cuda/lib64
$(BUILD)/tests/sim_warden: RUNTIME = $(abspath $(BUILD))/cudasim
$(BUILD)/gpu_warden $(BUILD)/tests/sim_warden: verify/gpu/main_warden.cu verify/gpu/warden_slots.cu \
		verify/gpu/warden.h verify/gpu/warden_slots.h verify/wire/resident.h verify/wire/call.h verify/base/clock.h \
		verify/base/poison.h $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(NVCC_FLAGS) -I. -Xlinker -rpath=$(RUNTIME) -o $@ $(filter %.cu,$^) -ldl
$(BUILD)/bench_context: tests/bench/main_context.cu verify/base/clock.h $(FLAGS_STAMP)
	$(call say,NVCC $<)$(NVCC) $(NVCC_FLAGS) -I. -Xlinker -rpath=$(RUNTIME) -o $@ $<

# A folder for each OpenCL driver, which names that one alone to the loader.
$(BUILD)/opencl/cpu/driver.icd: ICD = libpocl.so.2
$(BUILD)/opencl/gpu/driver.icd: ICD = libnvidia-opencl.so.1
$(BUILD)/opencl/%.icd:
	@mkdir -p $(@D); echo $(ICD) > $@

$(BUILD)/plain/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(HOST_CPPFLAGS) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(HOST_CPPFLAGS) $(HOST_CFLAGS) $(SANITIZERS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: $(BUILD)/%.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(HOST_CPPFLAGS) $(HOST_CFLAGS) $(SANITIZERS) -MMD -MP -c -o $@ $<

$(TABLE): run_scripts/lib/problem_table.sh $(FLAGS_STAMP) problems $(wildcard problems/*/problem.c)
	$(Q)run_scripts/lib/problem_table.sh problems $(PROBLEM_NAMES) > $@.part && \
		{ cmp -s $@.part $@ && rm $@.part || mv $@.part $@; }; touch $@
$(call stamp,$(BUILD)/outputs-sources,$(OUTPUTS_SOURCES))
$(OUTPUTS_TABLE): run_scripts/lib/problem_table.sh $(BUILD)/outputs-sources
	$(Q)run_scripts/lib/problem_table.sh outputs $(OUTPUTS_SOURCES:problems/%/outputs.c=%) > $@

# The digests that the host carries: of the trusted files as they are now. A file that is gone changes the list. What
# builds no part of the host does not look.
BUILDS_HOST := $(filter-out submission simulator-if-used cudasim-library cudasim-programs,$(BUILDS))
ifneq ($(BUILDS_HOST),)
TRUSTED := $(shell run_scripts/lib/frozen.sh list)
TRUSTED_LIST := $(BUILD)/trusted-files
$(call stamp,$(TRUSTED_LIST),$(TRUSTED))
endif
$(BUILD)/toolkit.h: VERSION $(FLAGS_STAMP)
	$(Q)printf '#define %s "%s"\n' TOOLKIT_VERSION "$$(cat VERSION)" TOOLKIT_CUDA_FOLDER '$(CUDA_FOLDER)' > $@
$(BUILD)/frozen_lines.c: $(TRUSTED) $(TRUSTED_LIST) run_scripts/lib/frozen.sh $(FLAGS_STAMP)
	$(Q){ echo '#include "verify/cases/frozen.h"'; echo 'const char *const frozen_lines[] = {'; \
		run_scripts/lib/frozen.sh lines | sed 's/.*/    "&",/'; echo '    0,'; echo '};'; } > $@
$(call object,main_host.c verify/judge/device.c verify/result/report.c): $(BUILD)/toolkit.h

# Made on the way to a program, and wanted again.
.PRECIOUS: $(BUILD)/obj/%.o $(BUILD)/plain/%.o

ifneq ($(BUILDS_HOST),)
-include $(shell find $(BUILD)/obj $(BUILD)/plain -name '*.d' 2>/dev/null)
endif
