# Recordings: a maker of test recordings, tests with babeltrace2, benches.
MKREC := $(B)/tests/mkrec

$(MKREC): tests/lib/mkrec.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS)

TAPVM := $(B)/tests/tapvm

$(TAPVM): tests/lib/tapvm.c $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(WRITER) $(LDLIBS)

$(B)/tests/recording_bench: tests/bench/recording.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS)

CHECKS_E2E     += babeltrace='tests/e2e/babeltrace.sh $(B)'
CHECKS_E2E     += record='tests/e2e/record.sh $(B)'
CHECK_E2E_DEPS += $(MKREC) $(TAPVM) $(B)/beamtap

.PHONY: bench-recording
bench-recording: $(MKREC) $(TAPVM) $(B)/tests/recording_bench $(B)/beamtap ## measure reading recordings against babeltrace2
	@tests/bench/recording.sh $(B)
