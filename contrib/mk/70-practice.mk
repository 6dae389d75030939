# build/practice/NAME: a submission of the problem NAME in one plain process, for the tools that watch one.

$(BUILD)/practice/%: $(BUILD)/obj/contrib/practice/main_practice.o $(BUILD)/plain/problems/%/call.o \
		$(BUILD)/plain/verify/runner/resident.o $(HOST_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ $(HOST_LIBS)
.PRECIOUS: $(BUILD)/practice/%

# What OpenCL finds: run_scripts/devices.sh. It needs OpenCL's headers and its loader.
$(BUILD)/opencl_devices: $(BUILD)/obj/contrib/practice/main_devices.o
	$(call say,LINK $@)$(CC) $(SANITIZERS) -o $@ $^ -lOpenCL
