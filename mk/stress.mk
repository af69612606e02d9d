# Stress tests and benches of the rings.
STRESS := $(B)/tests/ring_stress

$(STRESS): tests/stress/ring_stress.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS)

$(B)/tests/writer_bench: tests/bench/writer_bench.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS)

.PHONY: check-stress stress-long bench-writer
check-stress: ## rings under load for about 20 s, with ThreadSanitizer
	@$(MAKE) --no-print-directory SAN=thread build-thread/tests/ring_stress
	@build-thread/tests/ring_stress -v -n 6000000
stress-long: $(STRESS) ## 10^8 records and more through rings that lap their readers
	@$(STRESS) -v -n 120000000
	@$(MAKE) --no-print-directory SAN=thread build-thread/tests/ring_stress
	@build-thread/tests/ring_stress -v -n 20000000
bench-writer: $(B)/tests/writer_bench ## a record against a bare clock read; a reader that polls each millisecond
	@$(B)/tests/writer_bench
