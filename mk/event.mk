# What is generated from the catalogue, the layers, and the golden tests of dump.
GENCAT  := $(B)/tools/gencat
GEN_HRL := erts-hooks/agent/include/beamtap.hrl
GEN_MD  := docs/events.md
GEN_IDS := docs/event-ids
GEN_BT  := bpf/tools/events.tab

CHECKS     += gen='$(MAKE) --no-print-directory check-gen' layers='tools/layers -q'
CHECKS     += dump-golden='BEAMTAP=$(abspath $(B))/beamtap tests/golden/run dump' gencat='tests/golden/gencat $(GENCAT)'
CHECK_DEPS += $(GENCAT) $(B)/beamtap

$(GENCAT): tools/gencat.c uapi/beamtap/catalog.h uapi/beamtap/records.h
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

.PHONY: gen check-gen layers check-layers
gen: $(GENCAT) ## write what is made from the event catalogue
	@$(GENCAT) ids $(GEN_IDS) > $(B)/event-ids.tmp && mv $(B)/event-ids.tmp $(GEN_IDS)
	@$(GENCAT) hrl > $(B)/hrl.tmp && mv $(B)/hrl.tmp $(GEN_HRL)
	@$(GENCAT) md > $(B)/md.tmp && mv $(B)/md.tmp $(GEN_MD)
	@$(GENCAT) bt > $(B)/bt.tmp && mv $(B)/bt.tmp $(GEN_BT)

check-gen: $(GENCAT) ## fail when that is stale, or an event's id was used again
	@mkdir -p $(B)/gen && \
	$(GENCAT) ids $(GEN_IDS) > $(B)/gen/event-ids && $(GENCAT) hrl > $(B)/gen/beamtap.hrl && \
	$(GENCAT) md > $(B)/gen/events.md && $(GENCAT) bt > $(B)/gen/events.tab && \
	for f in $(GEN_IDS) $(GEN_HRL) $(GEN_MD) $(GEN_BT); do \
		cmp -s $$f $(B)/gen/$${f##*/} || { echo "$$f is stale: run 'make gen' and commit it"; exit 1; }; \
	done

layers: ## show which layer includes which
	@tools/layers

check-layers: ## fail when an include points up
	@tools/layers -q
