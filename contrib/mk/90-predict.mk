# predict: how long a kernel will take.

PREDICT := contrib/predict

# ---- collect: the kernels that the predictor learns from, timed on a GPU or counted on the simulator ----

PREDICT_KERNELS := $(patsubst $(PREDICT)/%.cu,$(BUILD)/predict/%.o,$(wildcard $(PREDICT)/kernels/*.cu))

$(BUILD)/predict/collect: $(BUILD)/predict/collect.o $(PREDICT_KERNELS) $(call object,verify/gpu.c verify/error.c verify/stats.c)
	$(call say,LINK $@)$(NVCC) $(NVCC_FLAGS) -o $@ $^ -ldl -lm

$(BUILD)/predict/%.o: $(PREDICT)/%.cu $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(NVCC_FLAGS) -I. -MMD -MP -c -o $@ $<

-include $(wildcard $(BUILD)/predict/*.d $(BUILD)/predict/kernels/*.d)
