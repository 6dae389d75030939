# server: a contest over HTTP. It links the grader's library, the scoreboard's pages and the Contest API's objects.

SERVE := contrib/serve
SERVE_OBJECTS := $(call object,$(wildcard $(SERVE)/*.c)) $(BUILD)/obj/serve_script.o \
	$(filter-out %/main_scoreboard.o,$(SCOREBOARD_OBJECTS)) $(CLICS_OBJECTS)

# The script as a string of C, without indents and comments: it is in every page.
$(BUILD)/serve_script.c: $(SERVE)/live.js $(FLAGS_STAMP)
	$(Q){ echo '#include "contrib/serve/script.h"'; echo 'const char serve_script[] ='; \
		sed -E 's,/\*[^*]*\*/,,g; s/^ +//; s/ +$$//; /^$$/d; s/[\\"]/\\&/g; s/.*/    "&\\n"/' $<; echo ';'; } > $@

.PHONY: serve-programs
serve-programs: $(BUILD)/server

$(BUILD)/server: $(SERVE_OBJECTS) $(GRADE_LIBRARY)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lmicrohttpd -lcmark-gfm-extensions -lcmark-gfm -larchive -lsqlite3 \
		-ljansson -lyaml -lsodium -lelf -licui18n -licuuc -lpthread -lm
