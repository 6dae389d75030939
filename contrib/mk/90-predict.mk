# contrib/predict: how long a kernel will take, before it runs. Its parts need packages that the host does not:
# run_scripts/packages.sh predict. Nothing else depends on them.

PREDICT := contrib/predict

# ---- features: what a launch is like, by the simulator ----

$(BUILD)/predict/features: $(call object,$(PREDICT)/main_features.c) $(CUDASIM_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(CUDASIM_LIBS)

FEATURE_TESTS := $(if $(CUDASIM_LACKS),,$(BUILD)/tests/test_cudasim_feature)
$(BUILD)/tests/test_cudasim_feature: $(BUILD)/obj/tests/unit/test_cudasim_feature.o $(CUDASIM_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(CUDASIM_LIBS)

.PHONY: predict-features
predict-features: $(if $(CUDASIM_LACKS),,$(BUILD)/predict/features $(FEATURE_TESTS) $(CUDASIM_LIBRARY))
	$(if $(CUDASIM_LACKS),@echo "the simulator needs $(strip $(CUDASIM_LACKS))" >&2; exit 2)

# ---- collect: the kernels that the predictor learns from, timed on a GPU or counted on the simulator ----

PREDICT_KERNELS := $(patsubst $(PREDICT)/%.cu,$(BUILD)/predict/%.o,$(wildcard $(PREDICT)/kernels/*.cu))
# The simulator reads PTX up to 9.0: newer GPUs' code comes with it as well.
PTX_90 := -gencode arch=compute_90,code=compute_90
PREDICT_PTX = $(if $(shell [ "$(CUDA_ARCH)" -le 90 ] || echo newer),$(PTX_90))

$(BUILD)/predict/collect: $(BUILD)/predict/collect.o $(PREDICT_KERNELS) $(call object,verify/gpu.c verify/error.c verify/stats.c)
	$(call say,LINK $@)$(NVCC) $(NVCC_FLAGS) -o $@ $^ -ldl -lm

$(BUILD)/predict/%.o: $(PREDICT)/%.cu $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(NVCC_FLAGS) $(PREDICT_PTX) -I. -MMD -MP -c -o $@ $<

-include $(wildcard $(BUILD)/predict/*.d $(BUILD)/predict/kernels/*.d)
