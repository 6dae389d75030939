# The package's own output validator, where it has one.
ifneq ($(wildcard problems/adapted/imported/output_validator),)
ADAPTED_VALIDATOR := $(BUILD)/validators/adapted/run
all ready ready-to-judge: $(ADAPTED_VALIDATOR)
$(ADAPTED_VALIDATOR): $(shell find problems/adapted/imported/output_validator -type f) \
		run_scripts/lib/package_program.sh contrib/kattis/program_build.sh
	$(call say,BUILD $@)run_scripts/lib/package_program.sh problems/adapted/imported/output_validator $(@D)
endif
