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

$(BUILD)/predict/collect: $(BUILD)/predict/collect.o $(BUILD)/predict/alone.o $(PREDICT_KERNELS) \
		$(call object,verify/gpu.c verify/lockfile.c verify/error.c verify/stats.c)
	$(call say,LINK $@)$(NVCC) $(NVCC_FLAGS) -o $@ $^ -ldl -lm

$(BUILD)/predict/%.o: $(PREDICT)/%.cu $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(NVCC_FLAGS) $(PREDICT_PTX) -I. -MMD -MP -c -o $@ $<

-include $(wildcard $(BUILD)/predict/*.d $(BUILD)/predict/kernels/*.d)

# ---- methods: training, evaluation, prediction ----

PREDICT_LIBS := -llapacke -lopenblas -lsvm -lnlopt -ljansson -lpthread -lm
PREDICT_SOURCES := $(addprefix $(PREDICT)/,table.c gpus.c terms.c design.c normalise.c split.c mrmr.c method.c \
	ridge.c nearest.c elm.c mlp.c svr.c roofline.c limits.c kriging.c nested.c plain.c bounded.c vector.c score.c jobs.c \
	model.c model_file.c evaluate.c report.c)
PREDICT_OBJECTS := $(call object,$(PREDICT_SOURCES) verify/error.c verify/random.c)

# Loops over thousands of numbers: for the processor at hand, in any order. They see finite numbers only.
$(call object,$(PREDICT)/vector.c): HOST_CFLAGS += -O3 -ffast-math -march=native
$(call object,$(PREDICT_SOURCES) $(PREDICT)/main_predict.c): HOST_CFLAGS += -fno-math-errno

.PHONY: predict-program predict-tests
predict-program: $(BUILD)/predict/predict
$(BUILD)/predict/predict: $(call object,$(PREDICT)/main_predict.c) $(PREDICT_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(PREDICT_LIBS)

PREDICT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_predict_*.c)) \
	$(BUILD)/tests/predict_law
predict-tests: $(BUILD)/predict/predict $(PREDICT_TESTS)
$(PREDICT_TESTS): $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(PREDICT_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(PREDICT_LIBS)
