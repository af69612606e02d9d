# Fuzz targets: tests/fuzz/x_fuzz.c, with clang a libFuzzer program $(B)/fuzz/x_fuzz, and with any
# compiler $(B)/tests/x_replay, which runs through tests/fuzz/corpus/x (part of `make check`).
# A new target needs its file, its corpus, and its name here.
FUZZ      := region ctf event dlang machine
FUZZ_SECS ?= 60
FUZZ_CC   ?= clang

CHECKS     += $(foreach f,$(FUZZ),fuzz-corpus-$(f)='$(B)/tests/$(f)_replay tests/fuzz/corpus/$(f)')
CHECK_DEPS += $(foreach f,$(FUZZ),$(B)/tests/$(f)_replay)

$(B)/tests/%_replay: tests/fuzz/%_fuzz.c $(CLILESS)
	@mkdir -p $(@D)
	$(Q_LD)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< -Wl,--start-group $(CLILESS) -Wl,--end-group $(LDLIBS)

# All in one go: the layers must be built with the fuzzer's counters, too.
$(B)/fuzz/%_fuzz: tests/fuzz/%_fuzz.c $(CLILESS)
	@mkdir -p $(@D)
	$(Q_LD)$(FUZZ_CC) $(CPPFLAGS) -Itests -DFUZZ_LIBFUZZER -std=gnu11 -g -O1 -fno-strict-aliasing -fsanitize=fuzzer,address,undefined -w -o $@ $< $(foreach l,base source event corr provider dprog dlang drun dout,$(wildcard decoder/$(l)/*.c)) $(LDLIBS)

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZ_SECS (60) seconds
	@tools/need.sh build fuzz
	@$(MAKE) --no-print-directory $(foreach f,$(FUZZ),$(B)/fuzz/$(f)_fuzz)
	@for f in $(FUZZ); do mkdir -p $(B)/fuzz/new-$$f && \
	  $(B)/fuzz/$${f}_fuzz -max_total_time=$(FUZZ_SECS) -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
	    $(B)/fuzz/new-$$f tests/fuzz/corpus/$$f || exit 1; done
