# Programs that measure: problems/NAME/main_bench.c, with the libraries that its problem.mk names.

$(BUILD)/benches/%: $(BUILD)/obj/problems/%/main_bench.o $(HOST_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS) $(BENCH_LIBS_$*)

# Kernels beside other libraries, which problem.mk names, in one process on a GPU: problems/NAME/bench_gpu.cu.
# Code for sm_90a and its like as well, as for submissions, where one of the experts asks for it.
bench_accepted = $(wildcard $(addprefix problems/$(1)/submissions/accepted/,*.cu */*.cu */*.cuh))
bench_gpu_flags = $(if $(shell grep -ls '__CUDA_ARCH_FEAT_SM$(CUDA_ARCH)_ALL' $(bench_accepted)),\
	$(subst $(GENCODE),$(GENCODE_OWN),$(NVCC_FLAGS)),$(NVCC_FLAGS))
$(BUILD)/benches/%_gpu: problems/%/bench_gpu.cu $(HOST_OBJECTS) $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(call bench_gpu_flags,$*) --extended-lambda -MMD -MP -MF $@.d \
		-I. -Icontrib/cuda -Iproblems/$* -Iproblems/$*/include -o $@ $< $(filter %.o,$^) $(HOST_LIBS) $(BENCH_GPU_LIBS_$*)
-include $(wildcard $(BUILD)/benches/*_gpu.d)

# What CUPTI says, beside the judge: tests/bench/bench_resident.sh.
$(BUILD)/bench_resident: tests/bench/main_resident.cu verify/base/clock.h $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,NVCC $<)$(NVCC) $(NVCC_FLAGS) -I. -Xlinker -rpath=$(CUDA_FOLDER):/usr/local/cuda/lib64 -o $@ $< -lcupti -ldl
