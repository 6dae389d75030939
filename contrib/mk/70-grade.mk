# grader: contests, from files to results. It links the toolkit's readers of settings and digests, and no problem.

GRADE_OBJECTS := $(call object,$(filter-out contrib/grade/main_%.c,$(wildcard contrib/grade/*.c)) \
	$(wildcard contrib/grade/store/*.c) \
	$(patsubst %,verify/%.c,base/settings base/number base/name base/canonical base/error base/digest base/blob base/root \
	base/stats base/text base/lockfile base/tree wire/reap box/processor gpu/warden))

# As a library: who shows results needs what reads them, and not the loop.
GRADE_LIBRARY := $(BUILD)/grade.a
$(GRADE_LIBRARY): $(GRADE_OBJECTS)
	$(Q)rm -f $@
	$(call say,AR $@)ar rcs $@ $^

.PHONY: grade-programs
grade-programs: $(BUILD)/grader $(BUILD)/unpack

$(BUILD)/grader: $(call object,contrib/grade/main_grade.c) $(GRADE_LIBRARY)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lsqlite3 -ljansson -lyaml -lsodium -lm

$(BUILD)/unpack: $(call object,contrib/grade/main_unpack.c contrib/grade/litter.c verify/base/name.c verify/base/text.c)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -larchive

$(BUILD)/tests/test_grade_score: $(call object,tests/unit/test_grade_score.c contrib/grade/score.c)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lm

$(BUILD)/tests/test_grade_progress: $(call object,tests/unit/test_grade_progress.c contrib/grade/progress.c \
	verify/base/text.c)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^

# Programs that are linked with all of it.
$(BUILD)/tests/test_grade_queue $(BUILD)/tests/test_grade_intake: $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o \
		$(GRADE_LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lsqlite3 -ljansson -lyaml -lsodium -lm
