# What the bench of editdistance is linked with: edlib is C++.
BENCH_LIBS_editdistance := -ledlib -lstdc++

# The submissions in CUDA beside each other and beside the reference: bench_gpu.cu, on a GPU.
EDITDISTANCE_BENCHED := $(addprefix problems/editdistance/submissions/accepted/,expert.cu 3_pipeline.cu 2_strips.cu \
	1_words.cu baseline.cu)
EDITDISTANCE_BENCH_OBJECTS := $(addprefix $(BUILD)/obj/problems/editdistance/,levenshtein.o levenshtein_portable.o \
	levenshtein_avx2.o levenshtein_avx512.o)
$(BUILD)/benches/editdistance_gpu: problems/editdistance/bench_gpu.cu $(EDITDISTANCE_BENCHED) \
		$(EDITDISTANCE_BENCH_OBJECTS)
	@mkdir -p $(@D)
	$(call say,NVCC $@)$(NVCC) $(NVCC_FLAGS) -I. -Iproblems/editdistance/include -o $@ $(filter %bench_gpu.cu %.o,$^)
