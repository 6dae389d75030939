# The answers are the same bits on every machine: no fused multiply-adds where C says two operations. And sqrt() is one
# instruction. The loops over elements are to be vectors.
$(BUILD)/obj/problems/softmax/%.o: HOST_CFLAGS += -ffp-contract=off -fno-math-errno -fno-trapping-math
$(BUILD)/obj/problems/softmax/answer.o: HOST_CFLAGS += -O3
