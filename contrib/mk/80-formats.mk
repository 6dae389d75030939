# The converters of results, and what makes and reads packages. Built when asked for: nothing else needs libxml2.

AUTOGRADERS := contrib/autograders
CONVERT_OBJECTS := $(call object,$(wildcard $(AUTOGRADERS)/*.c) verify/judge/verdict.c verify/judge/reason.c \
	$(patsubst %,verify/base/%.c,error text number canonical blob))
$(call object,$(wildcard $(AUTOGRADERS)/*.c)): HOST_CPPFLAGS += -isystem /usr/include/libxml2

$(BUILD)/convert: $(CONVERT_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -ljansson -lxml2 -lm

# Problems are in it, for it exports them. driver.c and validator.c go into packages.
KATTIS_OBJECTS := $(call object,$(filter-out %/driver.c %/validator.c,$(wildcard contrib/kattis/*.c) \
	contrib/kattis/adapter/compare.c) \
	$(addprefix contrib/grade/,contest.c faults.c groups.c score.c litter.c))
$(BUILD)/kattis: $(KATTIS_OBJECTS) $(OUTPUTS_OBJECTS) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS) -larchive

.PHONY: format-programs
format-programs: $(BUILD)/convert $(BUILD)/kattis
