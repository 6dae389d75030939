# The host, the runners and getrndstr. A problem is any problems/NAME with a problem.c.

PROBLEM_NAMES := $(sort $(patsubst problems/%/problem.c,%,$(wildcard problems/*/problem.c)))
# Sources of the problems that go into the host: call.c goes into the runner, main_*.c are programs.
PROBLEM_SOURCES := $(filter-out %/call.c $(wildcard problems/*/main_*.c),$(wildcard problems/*/*.c))
VERIFY_SOURCES := $(filter-out verify/runner.c,$(wildcard verify/*.c))
TABLE := $(BUILD)/problems.c

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(patsubst $(BUILD)/%,%,$(1)))
HOST_OBJECTS := $(call object,$(VERIFY_SOURCES) $(PROBLEM_SOURCES) $(TABLE))

RUNNERS := $(PROBLEM_NAMES:%=$(BUILD)/runners/%)
PROGRAMS := $(BUILD)/main_host $(BUILD)/check_problem $(BUILD)/bench_overhead $(BUILD)/getrndstr $(RUNNERS) \
	getrndstr ldistance

$(BUILD)/main_host: $(call object,main_host.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/check_problem: $(call object,problems/main_check.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/bench_overhead: $(call object,tests/bench/main_overhead.c) $(HOST_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/getrndstr: $(call object,getrndstr.c verify/random.c)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^

# The names that participants type, as the ancestor had them.
getrndstr: $(BUILD)/getrndstr
	$(Q)ln -sfn $< $@
ldistance: $(BUILD)/main_host
	$(Q)ln -sfn $< $@

# The runner is never built with sanitizers: it shares its process with user code.
$(BUILD)/runners/%: $(BUILD)/plain/verify/runner.o $(BUILD)/plain/verify/channel.o $(BUILD)/plain/problems/%/call.o
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) -o $@ $^ -ldl

$(BUILD)/plain/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(CPPFLAGS) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(CPPFLAGS) $(HOST_CFLAGS) $(SANITIZERS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/problems.o: $(TABLE) $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(CPPFLAGS) $(HOST_CFLAGS) $(SANITIZERS) -MMD -MP -c -o $@ $<

$(TABLE): run_scripts/problem_table.sh $(FLAGS_STAMP) problems $(wildcard problems/*/problem.c)
	$(Q)run_scripts/problem_table.sh $(PROBLEM_NAMES) > $@.part && { cmp -s $@.part $@ && rm $@.part || mv $@.part $@; }; touch $@

# The digest that the host records: of the trusted files as they are now.
TRUSTED := $(shell run_scripts/frozen.sh list)
$(BUILD)/toolkit.h: $(TRUSTED) run_scripts/frozen.sh VERSION
	@mkdir -p $(@D)
	$(Q)printf '#define TOOLKIT_VERSION "%s"\n#define TOOLKIT_FROZEN "%s"\n' \
		"$$(cat VERSION)" "$$(run_scripts/frozen.sh digest)" > $@
$(call object,main_host.c verify/report.c): $(BUILD)/toolkit.h

-include $(shell find $(BUILD)/obj $(BUILD)/plain -name '*.d' 2>/dev/null)
