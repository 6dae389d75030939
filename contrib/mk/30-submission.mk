# A submission: one .cu, .c or .cc file, or a folder of them, into a device_user.so that exports device_user only.
# OpenCL kernels, NAME.cl in the folder, come along as the text NAME_cl[].

# What is run where nothing is named: the participant's file, or the problem's own baseline. In CUDA, for the GPU or for
# the simulator; in C where there is neither.
BASELINE := problems/$(PROBLEM)/submissions/accepted/baseline
DEFAULT_CUDA := $(if $(filter editdistance,$(PROBLEM)),device_user.cu,$(BASELINE).cu)
CUDA_LACKS := $(if $(GPU),,$(if $(NVCC),$(strip $(CUDASIM_LACKS)),nvcc))
PLAIN_BASELINE := $(firstword $(wildcard $(BASELINE).c $(BASELINE).cc) $(BASELINE).c)
DEFAULT_SUBMISSION := $(if $(CUDA_LACKS)$(if $(wildcard $(DEFAULT_CUDA)),,none),$(PLAIN_BASELINE),$(DEFAULT_CUDA))
SUBMISSION ?= $(DEFAULT_SUBMISSION)
ifeq ($(strip $(SUBMISSION)),)
$(error SUBMISSION is empty: name a file or folder, or omit it for the default ($(DEFAULT_SUBMISSION)))
endif

# build/submissions/PROBLEM/PATH, no two paths in one: what is outside the toolkit goes by its absolute path, below @.
submission_path = $(patsubst /%,@/%,$(if $(findstring ..,$(1)),$(abspath $(1)),$(1)))
submission_folder = $(BUILD)/submissions/$(PROBLEM)/$(call submission_path,$(patsubst %/,%,$(1)))
# Headers may be in a folder of the folder; sources are not. A folder is none of both, whatever its name.
without_folders = $(filter-out $(patsubst %/.,%,$(wildcard $(addsuffix /.,$(1)))),$(1))
submission_files = $(sort $(if $(wildcard $(1)/.),$(call without_folders,\
	$(wildcard $(addprefix $(1)/,*.cu *.c *.cc *.h *.hh *.hpp *.cuh *.cl */*.h */*.hh */*.hpp */*.cuh))),$(1)))
submission_sources = $(filter %.cu %.c %.cc %.cl,$(call submission_files,$(1)))
submission_object = $(call submission_folder,$(1))/$(notdir $(2)).o

# Whether it uses OpenCL: kernels of its own files, or one of the headers.
submission_opencl = $(strip $(if $(filter %.cl,$(call submission_files,$(1))),yes,\
	$(if $(filter %.c,$(call submission_files,$(1))),\
	$(shell grep -lsE '^ *# *include *[<"](CL/|opencl_user)' $(filter %.c %.h,$(call submission_files,$(1)))))))

# The compiler's flags: code for sm_90a and its like where a file asks for it by the macro __CUDA_ARCH_FEAT_SM90_ALL.
# Without that macro's code the same file must compile too.
submission_own = $(if $(filter %.cu,$(call submission_files,$(1))),\
	$(shell grep -ls '__CUDA_ARCH_FEAT_SM$(CUDA_ARCH)_ALL' $(call submission_files,$(1))))
submission_flags = $(if $(call submission_own,$(1)),$(subst $(GENCODE),$(GENCODE_OWN),$(NVCC_FLAGS)),$(NVCC_FLAGS))

# The compiler of a source, and of what it is linked by.
submission_compiler = $(if $(filter %.cc,$(1)),$(CXX) $(SUBMISSION_CXXFLAGS),$(CC) $(SUBMISSION_CFLAGS))

# The toolkit's header and the problem's are included before anything the submission may bring.
HEADER := problems/$(PROBLEM)/include/device_user.h
INCLUDES = $(if $(filter %.cu,$(1)),$(CUDA_FIRST)) -include verify/wire/submission.h -include $(HEADER) \
	-Iproblems/$(PROBLEM)/include -I$(dir $(1)) -Icontrib/cuda -Icontrib/opencl
# What nvcc writes includes crt/host_runtime.h, which registers device code: not one in the submission's folder.
CUDA_FIRST = $(addprefix -I,$(CUDA_INCLUDE))
comma := ,
space := $(subst ,, )
SUBMISSION_LINK := contrib/mk/exports.map
# No compiler is started for what an object says of itself, nor does nm load the plugin that reads it.
WITHOUT_LTO := -fno-lto -fno-use-linker-plugin
LINK_OPTIONS := --version-script=$(SUBMISSION_LINK),-z,defs,--require-defined=device_user

# With BOXED=1 each compiler runs in a box, which sees the submission and what the toolkit gives to it.
SUBMISSION_SEES = verify/wire/submission.h verify/base/philox.h problems/$(PROBLEM)/include contrib/cuda \
	contrib/opencl $(SUBMISSION_LINK)
# One of the jury's may include files of another one, which lies beside it.
JURY_SEES = $(if $(filter problems/$(PROBLEM)/submissions/%,$(1)),$(patsubst %/,%,$(dir $(patsubst %/,%,$(1)))))
box = $(if $(BOXED),run_scripts/lib/compile_box.sh $(call submission_folder,$(1)) $(SUBMISSION_SEES) \
	$(call JURY_SEES,$(1)) $(patsubst %/,%,$(1)) -- )

# A submission is built anew when the names or contents of its files change, whatever their times say. With FRESH=1, as
# judge.sh asks, its folder is empty, and no list of headers that the compiler wrote is read back.
# Without a file sha256sum would wait for the terminal.
submission_stamp = $(call stamp,$(call submission_folder,$(1))/files,\
	$(shell sha256sum $(abspath $(call submission_files,$(1))) 2>/dev/null </dev/null))

# The text of a .cl file, ended by a zero byte.
kernel_name = $(shell basename $(1) .cl | tr -c 'A-Za-z0-9_\n' _)_cl
define kernel_rule
$(call submission_object,$(1),$(2)): $(2) $(call submission_folder,$(1))/files $(FLAGS_STAMP)
	$$(Q)printf '%s\n' .section\ .rodata '.globl $(call kernel_name,$(2))' '$(call kernel_name,$(2)):' '.incbin "$(2)"' \
		.byte\ 0 '.section .note.GNU-stack,"",@progbits' | $(call box,$(1))$(CC) -x assembler -c -o $$@ -
endef

define compile_rule
$(call submission_object,$(1),$(2)): $(2) $(call submission_folder,$(1))/files $(HEADER) verify/wire/submission.h \
		$(FLAGS_STAMP)
	$$(call say,$(if $(filter %.cu,$(2)),NVCC,CC) $(2))$(call box,$(1))$(if $(filter %.cu,$(2)),\
		$$(NVCC) $(call submission_flags,$(1)) $(WITHOUT_NVTX),$(call submission_compiler,$(2))) \
		$(if $(FRESH),,-MMD -MP -MF $$@.d) $(call INCLUDES,$(2)) -c -o $$@ $(2)
$(if $(FRESH),,-include $(call submission_object,$(1),$(2)).d)
endef

define submission_rules
$(call submission_stamp,$(1))
$(foreach source,$(filter-out %.cl,$(call submission_sources,$(1))),$(eval $(call compile_rule,$(1),$(source))))
$(foreach source,$(filter %.cl,$(call submission_sources,$(1))),$(eval $(call kernel_rule,$(1),$(source))))
$(call submission_folder,$(1))/files: ;
$(call submission_folder,$(1))/device_user.so: \
		$(foreach source,$(call submission_sources,$(1)),$(call submission_object,$(1),$(source))) \
		$(call submission_folder,$(1))/files $(SUBMISSION_LINK)
	@$(call box,$(1))nm --target=elf64-little -C --defined-only $$(filter %.o,$$^) | awk -f contrib/mk/entry.awk >&2
	$$(call say,LINK $$@)$(call box,$(1))$(if $(filter %.cu,$(call submission_sources,$(1))),\
		$$(NVCC) -shared -cudart shared -Xcompiler $(subst $(space),$(comma),$(WITHOUT_LTO)) -Xlinker $(LINK_OPTIONS),\
		$(if $(filter %.cc,$(call submission_sources,$(1))),$(CXX),$(CC)) -shared $(WITHOUT_LTO) \
		-Wl$(comma)$(LINK_OPTIONS)) \
		-o $$@ $$(filter %.o,$$^) -lm\
		$(if $(call submission_opencl,$(1)),-lOpenCL)
endef

# Not make's own words, which name files that nobody has heard of. Where a contest is graded (contrib/grade/build.mk)
# the compilers' box does not show the problems, and grade_build.sh has looked before.
ifneq ($(and $(PROBLEM_NAMES),$(filter run submission,$(MAKECMDGOALS))),)
$(if $(filter $(PROBLEM),$(PROBLEM_NAMES)),,$(error there is no problem '$(PROBLEM)'; there are: $(PROBLEM_NAMES)))
$(if $(wildcard $(SUBMISSION)),,$(error there is no submission '$(SUBMISSION)'))
endif

ifeq ($(filter help clean packages test-packages,$(MAKECMDGOALS)),)
SUBMISSION_SO := $(call submission_folder,$(SUBMISSION))/device_user.so
$(eval $(call submission_rules,$(SUBMISSION)))
ifneq ($(and $(BUILDS_HOST),$(filter-out $(DEFAULT_SUBMISSION),$(SUBMISSION))),)
$(eval $(call submission_rules,$(DEFAULT_SUBMISSION)))
endif
endif

# What main_host runs when it is given no --submission.
.PHONY: default-submission
default-submission: $(if $(wildcard $(DEFAULT_SUBMISSION)),$(BUILD)/submissions/$(PROBLEM).so)
$(BUILD)/submissions/$(PROBLEM).so: $(call submission_folder,$(DEFAULT_SUBMISSION))/device_user.so
	$(Q)ln -sfn $(patsubst $(BUILD)/submissions/%,%,$<) $@ && touch -h $@

# Where SUBMISSION runs on the simulator, that is to be there. The first time takes a minute or two.
SIMULATED = $(if $(GPU),,$(filter %.cu,$(call submission_sources,$(SUBMISSION))))
.PHONY: simulator-if-used ready
simulator-if-used: $(if $(SIMULATED),cudasim-library)
	@:

# What `make run` needs, and no more: the first one shall be quick. One goal, for make says of each goal that there was
# nothing to do.
ready: $(filter-out $(RUNNERS) $(addprefix $(BUILD)/,check_problem compare seal verify_record), \
		$(PROGRAMS)) $(BUILD)/runners/$(PROBLEM) submission simulator-if-used \
		$(if $(filter $(DEFAULT_SUBMISSION),$(SUBMISSION)),default-submission)
	@:

# What judging needs, in one call of make: the toolkit and the simulator if it is used, or neither where nvcc is wanted
# and not there. The last line of either goal has the submission's path, then `nvcc` if that is there or `no`, then
# `opencl` if that is used or `no`.
.PHONY: ready-to-judge print-facts
facts = @test -x "$(NVCC)" && nvcc=nvcc || nvcc=no; \
	echo $(SUBMISSION_SO) $$nvcc $(if $(call submission_opencl,$(SUBMISSION)),opencl,no)
ready-to-judge: $(if $(and $(filter %.cu,$(call submission_sources,$(SUBMISSION))),$(if $(wildcard $(NVCC)),,lacks)),,\
		all simulator-if-used)
	$(facts)
print-facts:
	$(facts)

# What `make run` says where it does not run the participant's file.
run_notice = $(if $(CUDA_LACKS),$(if $(filter-out $(DEFAULT_SUBMISSION),$(SUBMISSION)),:,echo "This machine has no \
	NVIDIA GPU, and the simulator needs $(CUDA_LACKS): running the C version $(SUBMISSION) on the CPU; its times \
	are not ranked." | tr -s '[:blank:]' ' '),:)

# For the scripts.
.PHONY: print-submission print-nvcc print-cuda-folder have-nvcc uses-opencl
print-nvcc:
	@echo $(NVCC)
print-cuda-folder:
	@echo $(CUDA_FOLDER)
print-submission:
	@echo $(SUBMISSION_SO)
uses-opencl:
	@$(if $(call submission_opencl,$(SUBMISSION)),true,false)
have-nvcc:
	@test -x "$(NVCC)"
