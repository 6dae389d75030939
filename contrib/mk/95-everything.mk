# All that the project's own tests look at: every program, library and unit test that this machine can build.

.PHONY: everything
everything: all $(BUILD)/bench_overhead $(BUILD)/bench_inputs unit-tests grade-programs format-programs clics-programs \
	mutate-program $(BUILD)/scoreboard serve-programs batch-program simulate predict-tests \
	$(BUILD)/practice/$(PROBLEM) $(call object,$(wildcard problems/*/main_*.c)) \
	$(if $(CUDASIM_LACKS),,cudasim-library $(BUILD)/cudasim_instructions $(BUILD)/ptx_check predict-features) \
	$(if $(NVCC),$(BUILD)/predict/collect)
