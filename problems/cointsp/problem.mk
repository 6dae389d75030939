# The walks of the reference, once for each instruction set: a loop over lanes is slow unless it is unrolled.
$(BUILD)/obj/problems/cointsp/walk_portable.o: HOST_CFLAGS += -O3
$(BUILD)/obj/problems/cointsp/walk_avx512.o: HOST_CFLAGS += $(if $(X86_64),-mavx512f -mpopcnt)

# Finds the algorithm's parameters: main_search.c.
$(BUILD)/benches/cointsp_search: $(BUILD)/obj/problems/cointsp/main_search.o $(HOST_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

# Times the baseline's stages: bench_stages.cu, on a GPU or on the simulator.
COINTSP_STAGES := problems/cointsp/bench_stages.cu problems/cointsp/submissions/accepted/baseline.cu \
	$(wildcard problems/cointsp/include/*.h)
$(BUILD)/benches/cointsp_stages: $(COINTSP_STAGES) $(addprefix $(BUILD)/obj/,problems/cointsp/tsplib.o \
		problems/cointsp/coin_plain.o verify/base/error.o verify/base/text.o \
		verify/base/blob.o verify/cases/arguments.o)
	@mkdir -p $(@D)
	$(call say,NVCC $@)$(NVCC) $(NVCC_FLAGS) -I. -Iproblems/cointsp/include -o $@ $(filter %bench_stages.cu %.o,$^) -lm

# The stages of the baseline in C, built as a submission is: main_stages.c.
$(call object,problems/cointsp/main_stages.c): HOST_CFLAGS += -Iproblems/cointsp/include
COINTSP_STAGES_CPU := $(addprefix $(BUILD)/obj/,problems/cointsp/tsplib.o problems/cointsp/coin_plain.o \
	verify/base/error.o verify/base/text.o verify/base/blob.o verify/cases/arguments.o)
$(BUILD)/benches/cointsp_stages_cpu: problems/cointsp/main_stages.c problems/cointsp/submissions/accepted/baseline.c \
		$(COINTSP_STAGES_CPU)
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(SUBMISSION_CFLAGS) -D_GNU_SOURCE -I. -Iproblems/cointsp -Iproblems/cointsp/include -o $@ \
		$(filter %main_stages.c %.o,$^) -lm
