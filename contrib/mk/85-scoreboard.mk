# scoreboard: a contest's results as pages. It links what grader knows of contests, results and standings.

SCOREBOARD := contrib/scoreboard
SCOREBOARD_OBJECTS := $(call object,$(wildcard $(SCOREBOARD)/*.c) verify/cases/keys.c) $(BUILD)/obj/scoreboard_style.o

# The style sheet as a string of C, without indents and comments: it is in every page.
$(BUILD)/scoreboard_style.c: $(SCOREBOARD)/style.css $(FLAGS_STAMP)
	$(Q){ echo '#include "contrib/scoreboard/style.h"'; echo 'const char scoreboard_style[] ='; \
		sed -E 's,/\*[^*]*\*/,,g; s/^ +//; s/ +$$//; /^$$/d; s/[\\"]/\\&/g; s/.*/    "&\\n"/' $<; echo ';'; } > $@

$(BUILD)/scoreboard: $(SCOREBOARD_OBJECTS) $(GRADE_LIBRARY)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lsqlite3 -ljansson -lyaml -lsodium -lm

$(BUILD)/tests/test_grade_page: $(call object,tests/unit/test_grade_page.c $(SCOREBOARD)/page.c $(SCOREBOARD)/words.c \
	verify/base/text.c)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lm
