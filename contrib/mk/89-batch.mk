# batch: the client of a contest's server for programs. It needs none of the judge.

.PHONY: batch-program
batch-program: $(BUILD)/batch

$(BUILD)/batch: $(call object,$(wildcard contrib/batch/*.c) \
		$(patsubst %,verify/base/%.c,error blob number text))
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lcurl -ljansson -lm
