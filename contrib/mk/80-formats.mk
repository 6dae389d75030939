# The converters of results, and what else contrib/autograders/ holds. Built when asked for: nothing else needs libxml2.

CONVERT_OBJECTS := $(call object,$(wildcard contrib/autograders/*.c) verify/verdict.c verify/error.c)
$(call object,$(wildcard contrib/autograders/*.c)): HOST_CPPFLAGS += -isystem /usr/include/libxml2

$(BUILD)/convert: $(CONVERT_OBJECTS)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -ljansson -lxml2 -lm
