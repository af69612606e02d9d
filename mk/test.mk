# Tests.  Each tests/unit/x_test.c is a program linked with all the layers but cli, and the writer.
#
# What `make check` runs is a list of NAME=COMMAND that any fragment may add to:
#   CHECKS      fast, no root, no Erlang VM          CHECK_DEPS      what must be built for them
#   CHECKS_E2E  with real VMs, babeltrace2, ...      CHECK_E2E_DEPS
UNIT_SRC := $(wildcard tests/unit/*_test.c)
UNIT     := $(patsubst tests/unit/%.c,$(B)/tests/%,$(UNIT_SRC))
CLILESS  := $(filter-out $(B)/libcli.a,$(LIBS))

CHECKS     += $(foreach t,$(UNIT),$(notdir $(t))=$(t))
CHECKS     += man='mandoc -Tlint -W error docs/man/*.1'
CHECKS     += after-otp='tests/after_otp.sh $(B)'
CHECK_DEPS += $(UNIT) $(B)/beamtap

$(B)/tests/%_test: tests/unit/%_test.c $(CLILESS) $(WRITER)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) $(WRITER) -Wl,--end-group $(LDLIBS) -lcmocka

# The list is made last, when all fragments have added to it.
.PHONY: check check-e2e check-unit
check-unit: $(UNIT)
	@tests/tap.py -j 2 $(foreach t,$(UNIT),$(notdir $(t))=$(t))
check: ## install what is missing, build, run the fast tests
	@tools/need.sh build agent test
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(MAKE) --no-print-directory check-run
.PHONY: check-run
check-run: $$(CHECK_DEPS)
	@tests/tap.py -j 2 $(CHECKS)
check-e2e: ## run the tests that need a real VM, babeltrace2, ...
	@tools/need.sh build agent test
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(MAKE) --no-print-directory check-e2e-run
.PHONY: check-e2e-run
check-e2e-run: $$(CHECK_E2E_DEPS)
	@tests/tap.py $(CHECKS_E2E)

CHECKS_E2E     += node='tests/e2e/node.sh $(B)'
CHECKS_E2E     += install='tests/e2e/install.sh $(B)'
CHECK_E2E_DEPS += $(B)/beamtap agent

.PHONY: check-san
check-san: ## the fast tests under ASan and UBSan, rings and regions under ThreadSanitizer
	@tools/need.sh build agent test
	@$(MAKE) --no-print-directory -j$$(nproc) SAN=address beamtap
	@$(MAKE) --no-print-directory SAN=address check-run
