# The bench of mergesort is linked with the jury's submissions in C, each under a name of its own.
MERGESORT_SORTS := baseline mergesort_threads qsort
MERGESORT_OBJECTS := $(MERGESORT_SORTS:%=$(BUILD)/obj/mergesort_bench/%.o)

$(BUILD)/benches/mergesort: $(MERGESORT_OBJECTS) $(BUILD)/obj/mergesort_bench/library_sorts.o
BENCH_LIBS_mergesort := -lstdc++ -lgomp $(if $(wildcard /usr/include/tbb/parallel_sort.h),-ltbb)
$(BUILD)/obj/mergesort_bench/library_sorts.o: problems/mergesort/library_sorts.cpp $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CXX $<)g++ -O3 -march=native -fopenmp -Wall -Wextra -c -o $@ $<
$(MERGESORT_OBJECTS): $(BUILD)/obj/mergesort_bench/%.o: problems/mergesort/submissions/accepted/%.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(SUBMISSION_CFLAGS) -Ddevice_user=mergesort_by_$* -MMD -MP \
		-include problems/mergesort/include/device_user.h -Iproblems/mergesort/include -c -o $@ $<
