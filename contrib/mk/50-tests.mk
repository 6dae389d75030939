# The unit tests: tests/unit/test_NAME.c, each a program that exits 0 when all its checks hold.

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))

.PHONY: unit-tests
unit-tests: $(UNIT_TESTS)

$(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(HOST_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS) -lm
