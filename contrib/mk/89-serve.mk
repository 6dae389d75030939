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
		-ljansson -lyaml -lsodium -licui18n -licuuc -lpthread -lm

# ---- fuzzers: the whole server in one process, and the program that unpacks archives ----

# All sources are compiled for each, so that the fuzzer sees what is reached; what is generated is not.
SERVE_FUZZED := $(filter-out $(SERVE)/main_serve.c $(SERVE)/limits.c,$(patsubst $(BUILD)/obj/%.o,%.c,\
	$(filter-out $(BUILD)/obj/serve_script.o $(BUILD)/obj/scoreboard_style.o $(BUILD)/obj/frozen_lines.o,\
	$(SERVE_OBJECTS) $(GRADE_OBJECTS))))
SERVE_GENERATED := $(BUILD)/serve_script.c $(BUILD)/scoreboard_style.c $(BUILD)/frozen_lines.c
UNPACK_FUZZED := contrib/grade/litter.c verify/base/name.c verify/base/text.c verify/base/tree.c verify/base/error.c
SERVE_FUZZ_LIBS := -lmicrohttpd -lcmark-gfm-extensions -lcmark-gfm -larchive -lsqlite3 -ljansson -lyaml -lsodium \
	-licui18n -licuuc -lpthread -lm
SERVE_FUZZERS := $(BUILD)/fuzz/serve $(BUILD)/fuzz/unpack
FUZZ_OPTIONS_serve := -close_fd_mask=2 -timeout=120 -max_len=8192 -rss_limit_mb=4096
FUZZ_OPTIONS_unpack := -close_fd_mask=2 -max_len=65536 -rss_limit_mb=4096

$(SERVE_FUZZERS:%=%_replay): tests/fuzz/main_replay.c
$(BUILD)/fuzz/serve $(BUILD)/fuzz/serve_replay: tests/fuzz/fuzz_serve.c $(SERVE_FUZZED) $(SERVE_GENERATED) \
		$(SERVE)/main_serve.c $(BUILD)/toolkit.h $(wildcard $(SERVE)/*.h)
$(BUILD)/fuzz/unpack $(BUILD)/fuzz/unpack_replay: tests/fuzz/fuzz_unpack.c $(UNPACK_FUZZED) contrib/grade/main_unpack.c
$(SERVE_FUZZERS):
	@mkdir -p $(@D)
	$(call say,CLANG $@)$(CLANG) $(FUZZ_FLAGS) $(HOST_CPPFLAGS) -I$(BUILD) -fsanitize=fuzzer,address,undefined -o $@ \
		$(filter-out %/main_serve.c %/main_unpack.c,$(filter %.c,$^)) $(SERVE_FUZZ_LIBS)
$(SERVE_FUZZERS:%=%_replay):
	@mkdir -p $(@D)
	$(call say,CC $@)$(CC) $(FUZZ_FLAGS) $(HOST_CPPFLAGS) -I$(BUILD) -fsanitize=address,undefined -o $@ \
		$(filter-out %/main_serve.c %/main_unpack.c,$(filter %.c,$^)) $(SERVE_FUZZ_LIBS)

.PHONY: serve-replayers fuzz-serve fuzz-unpack
serve-replayers: $(SERVE_FUZZERS:%=%_replay)
fuzz-serve fuzz-unpack: fuzz-%: $(BUILD)/fuzz/%
	@mkdir -p $(BUILD)/fuzz/$*-corpus
	@$(fuzz_seconds)
	$(Q)$< -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 $(FUZZ_OPTIONS_$*) \
		-artifact_prefix=$(BUILD)/fuzz/$*- $(BUILD)/fuzz/$*-corpus tests/fuzz/corpus/$*

$(BUILD)/tests/test_formula: $(call object,tests/unit/test_formula.c $(SERVE)/formula.c $(SERVE)/statement.c \
	$(SCOREBOARD)/page.c $(SCOREBOARD)/words.c) $(GRADE_LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lcmark-gfm-extensions -lcmark-gfm -lm
