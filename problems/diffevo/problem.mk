# The reference's inner loops, once for each instruction set: vectors from plain loops need -O3 and no errno.
DIFFEVO_FLAGS := -O3 -fno-math-errno -fno-trapping-math -fopenmp-simd
$(BUILD)/obj/problems/diffevo/evolve_portable.o: HOST_CFLAGS += $(DIFFEVO_FLAGS)
$(BUILD)/obj/problems/diffevo/evolve_avx2.o: HOST_CFLAGS += $(DIFFEVO_FLAGS) $(if $(X86_64),-mavx2 -mfma \
	-mtune=skylake-avx512)
$(BUILD)/obj/problems/diffevo/evolve_avx512.o: HOST_CFLAGS += $(DIFFEVO_FLAGS) $(if $(X86_64),-mavx2 -mfma -mavx512f \
	-mavx512dq -mprefer-vector-width=512 -mtune=skylake-avx512)

# The submissions in CUDA beside each other and beside the reference: bench_gpu.cu, on a GPU.
DIFFEVO_BENCHED := $(addprefix problems/diffevo/submissions/accepted/,expert.cu 1_shared.cu baseline.cu naive.cu)
DIFFEVO_BENCH_OBJECTS := $(addprefix $(BUILD)/obj/problems/diffevo/,evolve.o evolve_portable.o evolve_avx2.o \
	evolve_avx512.o)
$(BUILD)/benches/diffevo_gpu: problems/diffevo/bench_gpu.cu $(DIFFEVO_BENCHED) $(DIFFEVO_BENCH_OBJECTS)
	@mkdir -p $(@D)
	$(call say,NVCC $@)$(NVCC) $(NVCC_FLAGS) -Iproblems/diffevo -Iproblems/diffevo/include -o $@ \
		$(filter %bench_gpu.cu %.o,$^)
