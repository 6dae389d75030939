# Programs that measure: problems/NAME/main_bench.c, with the libraries that its problem.mk names.

BENCHES := $(patsubst problems/%/main_bench.c,$(BUILD)/benches/%,$(wildcard problems/$(PROBLEM)/main_bench.c))

$(BUILD)/benches/%: $(BUILD)/obj/problems/%/main_bench.o $(HOST_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS) $(BENCH_LIBS_$*)
