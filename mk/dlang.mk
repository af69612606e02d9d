# The D compiler: its reference of built-in things is made from its tables.
GEND     := $(B)/tools/gend
GEN_DMD  := docs/d-builtins.md

CHECKS     += gen-d='$(MAKE) --no-print-directory check-gen-d'
CHECKS     += fuzz-golden-dlang='$(B)/tests/dlang_replay $(sort $(wildcard tests/golden/dlang/*))'
CHECKS     += d-docs='BEAMTAP=$(abspath $(B))/beamtap tests/golden/d_docs docs/d-language.md'
CHECK_DEPS += $(GEND) $(B)/tests/dlang_replay $(B)/beamtap

$(GEND): tools/gend.c decoder/dprog/builtin.def decoder/dlang/diag.def
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

.PHONY: gen-d check-gen-d
gen: gen-d
gen-d: $(GEND)
	@$(GEND) > $(B)/gend.tmp && mv $(B)/gend.tmp $(GEN_DMD)

check-gen-d: $(GEND)
	@mkdir -p $(B)/gen && $(GEND) > $(B)/gen/d-builtins.md && \
	cmp -s $(GEN_DMD) $(B)/gen/d-builtins.md || { echo "$(GEN_DMD) is stale: run 'make gen' and commit it"; exit 1; }
