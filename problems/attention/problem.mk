# The truth has the same bits in every version: no fused multiply-adds where C says two operations. sqrt() is one
# instruction, which needs no libm.
$(BUILD)/obj/problems/attention/%.o: HOST_CFLAGS += -ffp-contract=off -fno-math-errno
$(BUILD)/obj/problems/attention/rows%.o: HOST_CFLAGS += -O3
