# Finds the algorithm's parameters: main_search.c.
$(BUILD)/benches/cointsp_search: $(BUILD)/obj/problems/cointsp/main_search.o $(HOST_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

# Times the baseline's stages: bench_stages.cu, on a GPU or on the simulator.
COINTSP_STAGES := problems/cointsp/bench_stages.cu problems/cointsp/submissions/accepted/baseline.cu \
	$(wildcard problems/cointsp/include/*.h)
$(BUILD)/benches/cointsp_stages: $(COINTSP_STAGES) $(addprefix $(BUILD)/obj/,problems/cointsp/tsplib.o \
		problems/cointsp/coin_plain.o verify/error.o verify/blob.o)
	@mkdir -p $(@D)
	$(call say,NVCC $@)$(NVCC) $(NVCC_FLAGS) -I. -Iproblems/cointsp/include -o $@ $(filter %bench_stages.cu %.o,$^) -lm

# The submissions in CUDA beside each other and beside the reference: bench_gpu.cu, on a GPU.
COINTSP_BENCHED := $(addprefix problems/cointsp/submissions/accepted/,expert.cu 1_one_kernel.cu warp.cu baseline.cu)
$(BUILD)/benches/cointsp_gpu: problems/cointsp/bench_gpu.cu $(COINTSP_BENCHED) $(addprefix $(BUILD)/obj/, \
		problems/cointsp/tsplib.o problems/cointsp/coin.o problems/cointsp/coin_plain.o verify/error.o verify/blob.o)
	@mkdir -p $(@D)
	$(call say,NVCC $@)$(NVCC) $(NVCC_FLAGS) -I. -Iproblems/cointsp -Iproblems/cointsp/include -o $@ \
		$(filter %bench_gpu.cu %.o,$^) -lm
