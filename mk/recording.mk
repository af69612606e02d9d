# Recordings: a maker of test recordings, tests with babeltrace2, benches.
MKREC := $(B)/tests/mkrec

$(MKREC): tests/lib/mkrec.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS)

$(B)/tests/recording_bench: tests/bench/recording.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS)

CHECKS_E2E     += babeltrace='tests/e2e/babeltrace.sh $(B)'
CHECK_E2E_DEPS += $(MKREC) $(B)/beamtap

.PHONY: bench-recording
bench-recording: $(MKREC) $(B)/tests/recording_bench $(B)/beamtap ## measure reading recordings against babeltrace2
	@tests/bench/recording.sh $(B)
