# The agent: an OTP application and its tracer NIF, built into $(B)/agent/beamtap-$(VERSION),
# for the Erlang found as $(ERL).  Nothing is fetched.
ERL      ?= erl
ERLC     ?= erlc
AGENT    := $(B)/agent/beamtap-$(VERSION)
AGENT_C  := $(wildcard erts-hooks/agent/c_src/*.c)
AGENT_E  := $(wildcard erts-hooks/agent/src/*.erl)
AGENT_O  := $(patsubst %.c,$(B)/agent/obj/%.o,$(AGENT_C) $(wildcard erts-hooks/writer/*.c))
AGENT_B  := $(patsubst erts-hooks/agent/src/%.erl,$(AGENT)/ebin/%.beam,$(AGENT_E))
AGENT_H  := erts-hooks/agent/include/beamtap.hrl
ERLC_OPT := +debug_info +warnings_as_errors -I erts-hooks/agent/include
# Asked once, and only when something needs it: starting a VM takes a moment.
ERL_INC   = $(eval ERL_INC := $(shell $(ERL) -noshell -eval 'io:put_chars(filename:join(code:root_dir(),"usr/include")),halt().' 2>/dev/null))$(ERL_INC)

WORKLOAD_E := $(wildcard tests/e2e/workload/*.erl)
WORKLOAD_B := $(patsubst tests/e2e/workload/%.erl,$(B)/workload/%.beam,$(WORKLOAD_E))

.PHONY: agent
agent: $(AGENT)/priv/beamtap_nif.so $(AGENT_B) $(AGENT)/ebin/beamtap.app workload ## build the agent for the Erlang installed here

.PHONY: workload
workload: $(WORKLOAD_B)

# Kept apart from the objects of the command: hidden symbols, other includes.
$(B)/agent/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q_CC)$(CC) $(CPPFLAGS) -I$(ERL_INC) $(CFLAGS) -fvisibility=hidden -MMD -MP -c -o $@ $<

$(AGENT)/priv/beamtap_nif.so: $(AGENT_O)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) -shared $(LDFLAGS) -o $@ $^ -lpthread

$(AGENT)/ebin/%.beam: erts-hooks/agent/src/%.erl $(AGENT_H)
	@mkdir -p $(@D)
	$(Q_ERL)$(ERLC) $(ERLC_OPT) -o $(@D) $<

$(AGENT)/ebin/beamtap.app: erts-hooks/agent/src/beamtap.app.src mk/flags.mk
	@mkdir -p $(@D)
	$(Q_GEN)sed 's/@VERSION@/$(VERSION)/' $< > $@

$(B)/workload/%.beam: tests/e2e/workload/%.erl
	@mkdir -p $(@D)
	$(Q_ERL)$(ERLC) +debug_info -o $(@D) $<

# Tests: Common Test suites that start VMs of their own, and read what they write with reader.c.
AGENT_TEST_E := $(wildcard erts-hooks/agent/test/*.erl)
AGENT_TEST   := $(B)/agent/test
AGENT_TEST_B := $(patsubst erts-hooks/agent/test/%.erl,$(AGENT_TEST)/%.beam,$(AGENT_TEST_E))

$(AGENT_TEST)/%.beam: erts-hooks/agent/test/%.erl $(AGENT_H)
	@mkdir -p $(@D)
	$(Q_ERL)$(ERLC) +debug_info +nowarn_deprecated_catch -I erts-hooks/agent/include -o $(@D) $<

$(AGENT_TEST)/reader: erts-hooks/agent/test/reader.c uapi/beamtap/catalog.h uapi/beamtap/region.h uapi/beamtap/records.h
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-shadow -o $@ $< -lpthread

.PHONY: check-agent
check-agent: agent $(AGENT_TEST_B) $(AGENT_TEST)/reader ## run the agent's tests in real VMs
	@ERL=$(ERL) erts-hooks/agent/test/run.sh $(B) $(AGENT) $(CASES)

# Benches: what an event costs beside a tracer that does nothing; a node with the agent and nothing on.
AGENT_BENCH   := $(B)/bench/agent
AGENT_BENCH_B := $(patsubst tests/bench/agent/%.erl,$(AGENT_BENCH)/%.beam,$(wildcard tests/bench/agent/*.erl))

$(AGENT_BENCH)/%.beam: tests/bench/agent/%.erl
	@mkdir -p $(@D)
	$(Q_ERL)$(ERLC) +nowarn_deprecated_catch -o $(@D) $<

$(AGENT_BENCH)/bench_nif.so: tests/bench/agent/bench_nif.c
	@mkdir -p $(@D)
	$(Q_LD)$(CC) -I$(ERL_INC) -Iuapi $(CFLAGS) -shared -o $@ $<

.PHONY: bench-agent
bench-agent: agent $(AGENT_BENCH_B) $(AGENT_BENCH)/bench_nif.so $(AGENT_TEST_B) $(AGENT_TEST)/reader ## measure what events cost through the agent
	@ERL=$(ERL) tests/bench/agent/run.sh $(B) $(AGENT) $(BENCH)

# With the Erlang of another Debian, in a root of it, see docs/agent.md: the project as it is here, put there as /src.
ROOT ?=
IN_ROOT = test -n "$(ROOT)" && test -x "$(ROOT)/usr/bin/erl" || { echo "ROOT=DIR: a root of another Debian with erlang, see docs/agent.md"; exit 1; }; \
	mkdir -p $(ROOT)/src && for d in Makefile mk uapi erts-hooks tests tools decoder docs; do rm -rf "$(ROOT)/src/$$d" && cp -rp $$d "$(ROOT)/src/" || exit 1; done; \
	mountpoint -q $(ROOT)/proc || mount -t proc proc $(ROOT)/proc; \
	mountpoint -q $(ROOT)/dev/shm || { mkdir -p $(ROOT)/dev/shm && mount -t tmpfs tmpfs $(ROOT)/dev/shm; }; \
	env -i PATH="$$PATH" HOME=/root LANG=C.UTF-8 chroot $(ROOT) make -C /src
.PHONY: check-agent-root
check-agent-root: ## run the agent's tests with the Erlang of another Debian, in ROOT=DIR
	@$(IN_ROOT) check-agent CASES="$(CASES)"

CHECKS_E2E     += rabbitmq='tests/e2e/rabbitmq.sh $(B)'
CHECK_E2E_DEPS += rabbitmq
.PHONY: rabbitmq
rabbitmq: # for tests, where it is not installed
	@tests/lib/rabbitmq_fetch.sh $(B)
