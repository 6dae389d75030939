# Mutants of the jury's sources: contrib/mutate makes them, run_scripts/mutate.sh builds and judges them.

LLVM := /usr/lib/llvm-14
MUTATE_OBJECTS := $(call object,$(wildcard contrib/mutate/*.c) $(addprefix verify/base/,error.c text.c random.c))
$(call object,contrib/mutate/operators.c): HOST_CPPFLAGS += -isystem $(LLVM)/include

.PHONY: mutate-program
mutate-program: $(BUILD)/mutants
$(BUILD)/mutants: $(MUTATE_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -L$(LLVM)/lib -lclang-14

# How a submission of PROBLEM is compiled and linked, a line each, for mutate.sh: as 30-submission.mk does. For the
# simulator PTX is enough; without the numbers of lines it is the same for the same code.
MUTATED := problems/$(PROBLEM)/submissions/accepted/x
MUTATE_PTX := -std=c++17 -O1 -cudart shared --compress-mode=none -Xcompiler -fPIC -w \
	-gencode arch=compute_90,code=compute_90
MUTATE_PARSE_CU = -x cuda --cuda-host-only -nocudainc -nocudalib -std=c++17 -w -ferror-limit=0 \
	-Xclang -fcuda-allow-variadic-functions -I$(CUDA_INCLUDE) -isystem $(CUDA_INCLUDE)/cccl \
	-include contrib/mutate/cuda_words.h
.PHONY: print-mutate
print-mutate:
	@echo 'c $(CC) $(SUBMISSION_CFLAGS) -w $(call INCLUDES,$(MUTATED))'
	@echo 'cu $(NVCC) $(MUTATE_PTX) $(WITHOUT_NVTX) $(call INCLUDES,$(MUTATED))'
	@echo 'link-c $(CC) -shared -Wl$(comma)$(LINK_OPTIONS)'
	@echo 'link-cu $(NVCC) -shared -cudart shared -Xlinker $(LINK_OPTIONS)'
	@echo 'parse-c -std=gnu11 -march=native -w $(call INCLUDES,$(MUTATED))'
	@echo 'parse-cu $(MUTATE_PARSE_CU) $(call INCLUDES,$(MUTATED))'
