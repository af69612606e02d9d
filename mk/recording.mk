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

.PHONY: bench-node bench
bench-node: agent $(B)/beamtap ## record a real node that sends a million messages a second
	@tests/bench/node_rate.sh $(B)

# One after the other: two at a time would measure one another.
BENCHES := bench-writer bench-recording bench-report bench-d bench-agent bench-node
bench: ## run all benches, one after the other
	@failed=; for b in $(BENCHES); do \
		echo; echo "== make $$b ($$(sed -n "s/^$$b:.*## //p" mk/*.mk))"; \
		$(MAKE) --no-print-directory B=$(B) $$b || failed="$$failed $$b"; \
	done; [ -z "$$failed" ] || { echo; echo "figures not reached, or failed:$$failed"; exit 1; }
