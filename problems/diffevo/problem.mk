# The reference's inner loops, once for each instruction set: vectors from plain loops need -O3 and no errno.
DIFFEVO_FLAGS := -O3 -fno-math-errno -fno-trapping-math -fopenmp-simd
$(BUILD)/obj/problems/diffevo/evolve_portable.o: HOST_CFLAGS += $(DIFFEVO_FLAGS)
$(BUILD)/obj/problems/diffevo/evolve_avx2.o: HOST_CFLAGS += $(DIFFEVO_FLAGS) $(if $(X86_64),-mavx2 -mfma \
	-mtune=skylake-avx512)
$(BUILD)/obj/problems/diffevo/evolve_avx512.o: HOST_CFLAGS += $(DIFFEVO_FLAGS) $(if $(X86_64),-mavx2 -mfma -mavx512f \
	-mavx512dq -mprefer-vector-width=512 -mtune=skylake-avx512)
