# The report: golden tests, bench.
CHECKS     += report-golden=BEAMTAP=$(abspath $(B))/beamtap\ tests/golden/report/run
CHECK_DEPS += $(B)/beamtap

$(B)/tests/report_bench: tests/bench/report_bench.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS)

.PHONY: bench-report
bench-report: $(B)/tests/report_bench $(MKREC) ## measure the report against plain reading of 10 million events
	@rm -rf $(B)/bench-report && $(MKREC) events 10000000 2 $(B)/bench-report >/dev/null
	@$(B)/tests/report_bench $(B)/bench-report
	@$(B)/tests/report_bench 10000000 1000
	@$(B)/tests/report_bench 10000000 100000
	@rm -rf $(B)/bench-report
