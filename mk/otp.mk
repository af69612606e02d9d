# The emulator with hooks, for the Erlang installed here: $(B)/otp/bin/erl runs it (docs/otp.md).
#   OTP_SOURCE=DIR   an unpacked source of OTP instead of Debian's source package
OTP := $(B)/otp
OTP_SOURCE ?=
export BTAP_OTP_CACHE ?= $(CURDIR)/build/otp-cache

.PHONY: otp otp-emu otp_install otp_uninstall
otp: ## build the emulator with hooks for the Erlang installed here
	@tools/need.sh build agent otp
	@erts-hooks/otp/build.sh $(if $(OTP_SOURCE),-s $(OTP_SOURCE)) $(OTP)
otp-emu: ## the same, with the interpreter instead of the JIT: $(B)/otp-emu/bin/erl
	@tools/need.sh build agent otp
	@erts-hooks/otp/build.sh $(if $(OTP_SOURCE),-s $(OTP_SOURCE)) -f emu $(OTP)-emu

.PHONY: otp-stock otp-systemtap otp-lttng
otp-stock: ## the stock emulator, built in the same tree, to compare with
	@tools/need.sh build agent otp
	@erts-hooks/otp/build.sh $(if $(OTP_SOURCE),-s $(OTP_SOURCE)) -t opt $(OTP)
otp-systemtap otp-lttng: otp-%: ## with OTP's own probes or tracepoints, to compare with
	@tools/need.sh build agent test otp $@
	@erts-hooks/otp/build.sh $(if $(OTP_SOURCE),-s $(OTP_SOURCE)) -t $* $(OTP)

otp_install: ## put it beside the stock one: erl -emu_type tap
	@test -f $(OTP)/where || { echo "make otp comes first"; exit 1; }
	install -m 755 $(wildcard $(OTP)/beam.tap.* $(OTP)-emu/beam.tap.*) $(DESTDIR)$$(cat $(OTP)/where)/
otp_uninstall: ## remove it from there
	rm -f $(DESTDIR)$$(cat $(OTP)/where)/beam.tap.smp $(DESTDIR)$$(cat $(OTP)/where)/beam.tap.emu

# Tests in it: all of tests/otp, and the end-to-end tests with a real node, which run on the agent, too.
CHECKS_OTP = $(foreach t,$(filter-out %_suites.sh %_parts.sh %_bench.sh,$(wildcard tests/otp/*.sh)),otp-$(basename $(notdir $(t)))='$(t) $(B)') \
	$(foreach t,node otp_live rabbitmq,$(t)-hooks='tests/e2e/$(t).sh $(B)')
.PHONY: check-otp check-otp-run
check-otp: ## build it, and run the tests that need it
	@tools/need.sh build agent test otp
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(MAKE) --no-print-directory otp
	@$(MAKE) --no-print-directory check-otp-run
check-otp-run: $(B)/beamtap agent rabbitmq
	@PATH="$(abspath $(OTP))/bin:$$PATH" BEAMTAP_VM=hooks tests/tap.py $(CHECKS_OTP)

.PHONY: check-otp-emu
check-otp-emu: ## the same with the interpreter
	@tools/need.sh build agent test otp
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(MAKE) --no-print-directory otp-emu
	@$(MAKE) --no-print-directory check-otp-run OTP=$(OTP)-emu

.PHONY: check-otp-root
check-otp-root: ## the same with the Erlang of another Debian, in ROOT=DIR; OTP_SOURCE as seen there
	@$(IN_ROOT) check-otp OTP_SOURCE="$(OTP_SOURCE)"

# Benches: the VM with hooks, beside a stock one and the agent.
BENCH_OTP_B := $(B)/bench/agent/bench_otp.beam
$(B)/bench/agent/%.beam: tests/bench/otp/%.erl
	@mkdir -p $(@D)
	$(Q_ERL)$(ERLC) +nowarn_deprecated_catch -o $(@D) $<

BENCH_OTP_NEEDS := $(B)/beamtap agent otp otp-stock $(BENCH_OTP_B) $$(AGENT_BENCH_B) $$(AGENT_BENCH)/bench_nif.so

.PHONY: bench-otp bench-otp-links bench-otp-schedulers bench-otp-traced
bench-otp: $(BENCH_OTP_NEEDS) ## measure what events cost in the VM with hooks
	@tests/bench/otp/run.sh $(B) $(ROUNDS) $(REPS)
bench-otp-links: $(BENCH_OTP_NEEDS) ## what hooks cost that are off, in several links of each emulator
	@tests/bench/otp/links.sh $(B) $(LINKS) $(ROUNDS) $(REPS)
bench-otp-schedulers: $(BENCH_OTP_NEEDS) ## what events cost when 1, 2 and 4 schedulers write them
	@for k in send receive in_out; do KIND=$$k VMS="hooks-1 hooks-2 hooks-4" tests/bench/otp/run.sh $(B) $(ROUNDS) $(REPS) || exit 1; done
bench-otp-traced: $(BENCH_OTP_NEEDS) otp-systemtap otp-lttng ## the same events through OTP's own probes and tracepoints
	@for k in send receive in_out ping; do KIND=$$k VMS="hooks agent systemtap lttng" tests/bench/otp/run.sh $(B) $(ROUNDS) $(REPS) || exit 1; done
.PHONY: bench-otp-rabbitmq
bench-otp-rabbitmq: $(B)/beamtap agent otp rabbitmq ## RabbitMQ under load: stock VM, hooks, agent
	@tests/bench/otp/rabbitmq.sh $(B) $(ROUNDS) $(REPS) $(MESSAGES)

# Long: each prefix of the parts, and each with those that it needs.
.PHONY: check-otp-parts
check-otp-parts: ## build and boot the VM with some of the hooks' parts alone (long)
	@tools/need.sh build agent test otp
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@tests/otp/otp_parts.sh $(B) $(SETS)

.PHONY: gen-otp check-gen-otp otp-suites
gen: gen-otp
check-gen: check-gen-otp
check-gen-otp:
	@erts-hooks/otp/sites -c docs/otp-sites.md
gen-otp: ## write docs/otp-sites.md anew from the parts
	@mkdir -p $(B) && erts-hooks/otp/sites >$(B)/otp-sites.tmp && mv $(B)/otp-sites.tmp docs/otp-sites.md
otp-suites: $(B)/beamtap agent otp otp-stock $(AGENT_TEST)/reader ## OTP's own suites with the hooks off and on, beside the stock VM (long)
	@tests/otp/otp_suites.sh $(B) $(SUITES)
