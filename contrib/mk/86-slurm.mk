# Grading by the machines of a cluster: contrib/slurm, docs/CLUSTER.md.

# Whether BUILD was built with the flags that this machine would take, and the simulator for its level of x86-64. Asking
# writes nothing.
.PHONY: print-same-flags
print-same-flags:
	@echo '$(strip $(flags_now))' | cmp -s - $(FLAGS_STAMP)
	@echo '$(DEFAULT_LEVELS)' | cmp -s - $(LEVELS_STAMP)

.PHONY: simulate
simulate: $(BUILD)/simulate
$(BUILD)/simulate: $(call object,contrib/slurm/main_simulate.c \
	$(addprefix verify/base/,error.c text.c random.c number.c))
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lm
