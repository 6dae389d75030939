# The converters of results, and what makes and reads packages. Built when asked for: nothing else needs libxml2.

AUTOGRADERS := contrib/autograders
CONVERT_OBJECTS := $(call object,$(wildcard $(AUTOGRADERS)/*.c) verify/judge/verdict.c verify/base/error.c \
	verify/base/text.c)
$(call object,$(wildcard $(AUTOGRADERS)/*.c)): HOST_CPPFLAGS += -isystem /usr/include/libxml2

$(BUILD)/convert: $(CONVERT_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -ljansson -lxml2 -lm

$(BUILD)/export_problem: $(call object,contrib/kattis/main_export.c) $(OUTPUTS_OBJECTS) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

# Problems are in it, for it exports them. driver.c and validator.c go into packages.
KATTIS_OBJECTS := $(call object,$(addprefix contrib/kattis/,main_kattis.c kit.c rules.c archive.c check.c check_run.c \
	import.c import_yaml.c testdata.c) $(addprefix contrib/grade/,contest.c groups.c score.c litter.c))
$(BUILD)/kattis: $(KATTIS_OBJECTS) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS) -larchive

.PHONY: format-programs
format-programs: $(BUILD)/convert $(BUILD)/export_problem $(BUILD)/kattis
