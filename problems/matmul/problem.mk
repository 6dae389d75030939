# The answers are the same bits on every machine: no fused multiply-adds where C says two operations. And sqrt() is one
# instruction, which needs no libm.
$(BUILD)/obj/problems/matmul/%.o: HOST_CFLAGS += -ffp-contract=off -fno-math-errno
# OpenBLAS is loaded as it runs.
BENCH_LIBS_matmul := -ldl -pthread
# The bench times the submissions in C that it includes as the judge builds them.
$(BUILD)/obj/problems/matmul/main_bench.o: HOST_CFLAGS += -O3 -march=native -Wno-missing-prototypes \
	-Iproblems/matmul/include

# The experts beside cuBLAS; for a GPU.
.PHONY: bench-matmul-gpu
bench-matmul-gpu: $(BUILD)/benches/matmul_gpu
BENCH_GPU_LIBS_matmul := -lcublas
