# SPDX-License-Identifier: Apache-2.0
# beamtap: `make help` lists the targets.
.SECONDEXPANSION:
include mk/flags.mk
include mk/quiet.mk

B := build$(if $(SAN),-$(SAN))

# decoder/: one archive a layer, in the order in which layers may use one another
LAYERS := base source event corr provider dprog dlang drun dout report export cli
layer_src = $(wildcard decoder/$(1)/*.c)
objs      = $(patsubst %.c,$(B)/%.o,$(1))
LIBS   := $(foreach l,$(LAYERS),$(if $(call layer_src,$(l)),$(B)/lib$(l).a))
WRITER := $(B)/libbtapw.a

.PHONY: all
all: beamtap agent ## build the command and the agent

.PHONY: beamtap
beamtap: $(B)/beamtap ## build the command alone

$(B)/beamtap: $(LIBS)
	$(Q_LD)$(CC) $(LDFLAGS) -o $@ -Wl,--start-group $(LIBS) -Wl,--end-group $(LDLIBS)

define layer_rule
$(B)/lib$(1).a: $(call objs,$(call layer_src,$(1)))
	$$(Q_AR)rm -f $$@ && $$(AR) rcs $$@ $$^
endef
$(foreach l,$(LAYERS),$(eval $(call layer_rule,$(l))))

$(WRITER): $(call objs,$(wildcard erts-hooks/writer/*.c))
	$(Q_AR)rm -f $@ && $(AR) rcs $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(Q_CC)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

include mk/agent.mk
include mk/otp.mk
include mk/test.mk
include mk/recording.mk
include mk/stress.mk
include mk/fuzz.mk
include mk/report.mk
include mk/event.mk
include mk/drun.mk
include mk/dlang.mk
include mk/kmod.mk
include mk/bpf.mk
include mk/kernel.mk

.PHONY: demo
demo: ## install what is missing, build, record a real Erlang node, print its report
	@tools/need.sh build agent
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@tools/demo.sh $(B)

# PREFIX for the command; ERL_LIB: where the Erlang installed here looks for applications.
PREFIX  ?= /usr/local
ERL_LIB ?= $(shell erl -noinput -boot start_clean -eval 'io:put_chars(code:lib_dir()), halt().')
.PHONY: install uninstall
install: all ## install the command and man pages into PREFIX, the agent into ERL_LIB
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(B)/beamtap $(DESTDIR)$(PREFIX)/bin/beamtap
	ln -sf beamtap $(DESTDIR)$(PREFIX)/bin/beamtap-dtrace
	install -m 644 docs/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(ERL_LIB)/beamtap-$(VERSION)/ebin $(DESTDIR)$(ERL_LIB)/beamtap-$(VERSION)/priv
	install -m 644 $(B)/agent/beamtap-$(VERSION)/ebin/* $(DESTDIR)$(ERL_LIB)/beamtap-$(VERSION)/ebin
	install -m 755 $(B)/agent/beamtap-$(VERSION)/priv/*.so $(DESTDIR)$(ERL_LIB)/beamtap-$(VERSION)/priv
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/beamtap $(DESTDIR)$(PREFIX)/bin/beamtap-dtrace
	rm -f $(patsubst docs/man/%,$(DESTDIR)$(PREFIX)/share/man/man1/%,$(wildcard docs/man/*.1))
	rm -rf $(DESTDIR)$(ERL_LIB)/beamtap-$(VERSION)

.PHONY: clean
clean: ## remove what was built
	rm -rf build build-*

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z][a-z0-9-]*:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | awk -F'\t' '{printf "  %-16s %s\n", $$1, $$2}'

-include $(shell find $(B) \( -name otp-cache -o -path $(B)/kernels -o -path $(B)/rabbitmq \) -prune -o -name '*.d' -print 2>/dev/null)
