# The unit tests: tests/unit/test_NAME.c, each a program that exits 0 when all its checks hold.
# Those of cudasim are in 60-cudasim.mk: they link only what they test.

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter-out tests/unit/test_cudasim_% \
	tests/unit/test_grade_% tests/unit/test_predict_%,$(wildcard tests/unit/test_*.c)))

.PHONY: unit-tests
unit-tests: $(UNIT_TESTS) $(BUILD)/tests/container

$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(OUTPUTS_OBJECTS) $(HOST_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) $(UNIT_LINK) -o $@ $^ $(HOST_LIBS) -lm

# It is its own runner.
$(BUILD)/tests/test_ready: $(call object,verify/wire/guard.c)

# It has a stand-in for NVML in itself.
$(BUILD)/tests/test_gpm: UNIT_LINK := -Wl,--export-dynamic

# It is started in bare trees, which have no library of ours.
$(BUILD)/tests/container: $(call object,tests/unit/container.c)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) -static -o $@ $^ -lseccomp
