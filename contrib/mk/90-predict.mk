# contrib/predict: how long a kernel will take, before it runs. Its parts need packages that the host does not:
# run_scripts/lib/packages.sh predict. Nothing else depends on them.

PREDICT := contrib/predict

# ---- features: what a launch is like, by the simulator ----

FEATURES_SOURCES := $(addprefix $(PREDICT)/,main_features.c launches.c rows/cells.c) verify/base/error.c \
	verify/base/text.c
$(BUILD)/predict/features: $(call object,$(FEATURES_SOURCES)) $(CUDASIM_OBJECTS)
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

PREDICT_KERNELS := $(patsubst $(PREDICT)/%.cu,$(BUILD)/predict/obj/%.o,$(wildcard $(PREDICT)/kernels/*.cu))
# The simulator reads PTX up to 9.0: newer GPUs' code comes with it as well.
PTX_90 := -gencode arch=compute_90,code=compute_90
PREDICT_PTX = $(if $(shell [ "$(CUDA_ARCH)" -le 90 ] || echo newer),$(PTX_90))

$(BUILD)/predict/collect: $(addprefix $(BUILD)/predict/obj/collect/,collect.o alone.o) $(PREDICT_KERNELS) \
		$(call object,verify/gpu/gpu.c verify/base/lockfile.c verify/base/error.c verify/base/text.c \
		verify/base/stats.c)
	$(call say,LINK $@)$(NVCC) $(NVCC_FLAGS) -o $@ $^ -ldl -lm

$(BUILD)/predict/obj/%.o: $(PREDICT)/%.cu $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(NVCC_FLAGS) $(PREDICT_PTX) -I. -MMD -MP -c -o $@ $<

-include $(wildcard $(BUILD)/predict/obj/*/*.d)

# ---- microbenchmarks: the constants of the mechanistic model ----

MICROBENCHMARKS := $(patsubst $(PREDICT)/%.cu,$(BUILD)/predict/obj/%.o,$(wildcard $(PREDICT)/microbenchmarks/*.cu))
$(BUILD)/predict/microbenchmarks: $(MICROBENCHMARKS)
	$(call say,LINK $@)$(NVCC) $(NVCC_FLAGS) -rdc=true -o $@ $^ -lcudadevrt
# Kernels that launch kernels are linked on the device's side as well.
$(BUILD)/predict/obj/microbenchmarks/nested.o: NVCC_FLAGS += -rdc=true

# ---- methods: training, evaluation, prediction ----

PREDICT_LIBS := -llapacke -lopenblas -lsvm -lnlopt -ljansson -lpthread -lm
PREDICT_SOURCES := $(filter-out $(PREDICT)/main_%.c $(PREDICT)/launches.c, \
	$(wildcard $(PREDICT)/*.c $(PREDICT)/rows/*.c $(PREDICT)/methods/*.c $(PREDICT)/collect/*.c))
PREDICT_OBJECTS := $(call object,$(PREDICT_SOURCES) verify/base/error.c verify/base/text.c verify/base/random.c)

# Loops over thousands of numbers: for the processor at hand, in any order. They see finite numbers only.
$(call object,$(PREDICT)/rows/vector.c): HOST_CFLAGS += -O3 -ffast-math -march=native
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
