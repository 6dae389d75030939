# clics: a graded contest as the files of a CLICS Contest API. It links the grader's reader of contests and standings.

CLICS_OBJECTS := $(call object,$(filter-out contrib/clics/main_%.c,$(wildcard contrib/clics/*.c)) \
	$(patsubst %,verify/%.c,cases/package cases/keys cases/league cases/frozen inspect/findings judge/verdict) \
	$(BUILD)/frozen_lines.c)
$(call object,contrib/clics/objects.c): $(BUILD)/toolkit.h

.PHONY: clics-programs
clics-programs: $(BUILD)/clics

$(BUILD)/clics: $(call object,contrib/clics/main_clics.c) $(CLICS_OBJECTS) $(GRADE_LIBRARY)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -larchive \
		-lsqlite3 -ljansson -lyaml -lsodium -licui18n -licuuc -lm
