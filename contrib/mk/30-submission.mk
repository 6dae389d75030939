# A submission: one .cu or .c file, or a folder of them, into a device_user.so that exports device_user only.

# What is run where nothing is named: the participant's file on a GPU, the problem's own baselines otherwise.
BASELINE := problems/$(PROBLEM)/submissions/accepted/baseline
DEFAULT_CUDA := $(if $(filter editdistance,$(PROBLEM)),device_user.cu,$(BASELINE).cu)
DEFAULT_SUBMISSION := $(if $(GPU),$(DEFAULT_CUDA),$(BASELINE).c)
SUBMISSION ?= $(DEFAULT_SUBMISSION)
ifeq ($(strip $(SUBMISSION)),)
override SUBMISSION := $(DEFAULT_SUBMISSION)
endif

# build/submissions/PROBLEM/NAME, NAME the path with its slashes and dots made safe.
submission_folder = $(BUILD)/submissions/$(PROBLEM)/$(subst /,-,$(subst ..,__,$(patsubst /%,%,$(1))))
submission_sources = $(sort $(if $(wildcard $(1)/.),$(wildcard $(1)/*.cu $(1)/*.c),$(1)))
submission_object = $(call submission_folder,$(1))/$(notdir $(2)).o

# Flags for one source: the problem's header is included before anything the submission may bring.
HEADER := problems/$(PROBLEM)/include/device_user.h
INCLUDES = -include $(HEADER) -Iproblems/$(PROBLEM)/include -I$(dir $(1))

define compile_rule
$(call submission_object,$(1),$(2)): $(2) $(HEADER) $(FLAGS_STAMP)
	@mkdir -p $$(@D)
	$$(call say,$(if $(filter %.cu,$(2)),NVCC,CC) $(2))$(if $(filter %.cu,$(2)),$$(NVCC) $$(NVCC_FLAGS) -MMD -MP \
		-MF $$@.d,$(CC) $(SUBMISSION_CFLAGS) -MMD -MP -MF $$@.d) $(call INCLUDES,$(2)) -c -o $$@ $(2)
-include $(call submission_object,$(1),$(2)).d
endef

define submission_rules
$(foreach source,$(call submission_sources,$(1)),$(eval $(call compile_rule,$(1),$(source))))
$(call submission_folder,$(1))/device_user.so: \
		$(foreach source,$(call submission_sources,$(1)),$(call submission_object,$(1),$(source))) contrib/mk/exports.map
	$$(call say,LINK $$@)$(if $(filter %.cu,$(call submission_sources,$(1))),$$(NVCC) -shared -cudart shared \
		-Xlinker --version-script=contrib/mk/exports.map$(comma)-z$(comma)defs,$(CC) -shared \
		-Wl$(comma)--version-script=contrib/mk/exports.map$(comma)-z$(comma)defs) -o $$@ $$(filter %.o,$$^) -lm
endef
comma := ,

SUBMISSION_SO := $(call submission_folder,$(SUBMISSION))/device_user.so
$(eval $(call submission_rules,$(SUBMISSION)))

ifneq ($(SUBMISSION),$(DEFAULT_SUBMISSION))
$(eval $(call submission_rules,$(DEFAULT_SUBMISSION)))
endif

# What main_host runs when it is given no --submission.
.PHONY: default-submission
default-submission: $(BUILD)/submissions/$(PROBLEM).so
$(BUILD)/submissions/$(PROBLEM).so: $(call submission_folder,$(DEFAULT_SUBMISSION))/device_user.so
	$(Q)ln -sfn $(patsubst $(BUILD)/submissions/%,%,$<) $@ && touch -h $@

# What `make run` says where it does not run the participant's file.
run_notice = $(if $(GPU),:,$(if $(filter-out $(DEFAULT_SUBMISSION),$(SUBMISSION)),:,echo \
	"This machine has no NVIDIA GPU: running the C version $(SUBMISSION) on the CPU; its times are not ranked."))

# For the scripts.
.PHONY: print-submission have-nvcc
print-submission:
	@echo $(SUBMISSION_SO)
have-nvcc:
	@test -x "$(NVCC)"
