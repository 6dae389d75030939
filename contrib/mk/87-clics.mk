# clics: a graded contest as the files of a CLICS Contest API. It links the grader's reader of contests and standings.

CLICS_OBJECTS := $(call object,$(filter-out contrib/clics/main_%.c,$(wildcard contrib/clics/*.c)) \
	$(patsubst %,verify/%.c,cases/package cases/keys cases/league cases/frozen \
	inspect/rules inspect/imports judge/verdict) \
	$(BUILD)/frozen_lines.c)
$(call object,contrib/clics/objects.c): $(BUILD)/toolkit.h

.PHONY: clics-programs
format-programs: $(BUILD)/test_groups
clics-programs: $(BUILD)/clics $(BUILD)/test_groups

$(BUILD)/clics: $(call object,contrib/clics/main_clics.c) $(CLICS_OBJECTS) $(GRADE_LIBRARY)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lsqlite3 -ljansson -lyaml -lsodium -lelf -licui18n -licuuc -lm

# What a package's test_group.yaml files say, for the scripts that check and import packages.
$(BUILD)/test_groups: $(call object,contrib/kattis/main_test_groups.c \
	$(addprefix contrib/grade/,contest.c groups.c score.c) $(addprefix verify/base/,settings.c error.c root.c))
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lyaml -lm

