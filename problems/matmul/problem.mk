# The answers are the same bits on every machine: no fused multiply-adds where C says two operations. And sqrt() is one
# instruction, which needs no libm.
$(BUILD)/obj/problems/matmul/%.o: HOST_CFLAGS += -ffp-contract=off -fno-math-errno
