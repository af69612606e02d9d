# bpftrace tools for Erlang: bpf/tools.
BT := bpf/tools
CHECKS     += bpf-man='mandoc -Tlint -W error $(BT)/*.8'
CHECKS_BPF += bpf-dry='tests/bpf/dry.sh $(B)' bpf-run='tests/bpf/run.sh $(B)'

.PHONY: check-bpf check-bpf-run
check-bpf: ## bpftrace's tools for Erlang on a real node; as root
	@tools/need.sh build agent test bpf
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@$(MAKE) --no-print-directory check-bpf-run
check-bpf-run: $(B)/beamtap agent
	@tests/tap.py $(CHECKS_BPF)

# The same on tracepoints, in Debian's kernel with the module loaded: tests/kselftest/boot.sh.
.PHONY: check-bpf-guest
# Each takes a minute or so to start there.
GUEST_TOOLS ?= erllife erlmsgflow erlgc erlfunc erltcp erloffcpu erlmboxwait
check-bpf-guest: $(B)/beamtap agent kmod-6.1 ## tools on the kernel module's tracepoints, in QEMU
	@MEM=2048 tests/tap.py -t 1800 bpf-guest='tests/kselftest/boot.sh $(KERNELS)/6.1 1700 sh -c "insmod $(abspath $(B))/kmod/6.1/beamtap.ko && SLOW=3 NODE_NICE=3 tests/bpf/run.sh $(abspath $(B)) $(GUEST_TOOLS)"'

install: install-bpf
.PHONY: install-bpf
install-bpf:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/beamtap/tools $(DESTDIR)$(PREFIX)/share/man/man8
	install -m 755 $(BT)/beamtap-bt $(DESTDIR)$(PREFIX)/bin/beamtap-bt
	install -m 644 $(BT)/*.bt $(BT)/*.txt $(BT)/events.tab $(DESTDIR)$(PREFIX)/share/beamtap/tools
	install -m 644 $(BT)/*.8 $(DESTDIR)$(PREFIX)/share/man/man8
uninstall: uninstall-bpf
.PHONY: uninstall-bpf
uninstall-bpf:
	rm -f $(DESTDIR)$(PREFIX)/bin/beamtap-bt
	rm -rf $(DESTDIR)$(PREFIX)/share/beamtap/tools
	rm -f $(patsubst $(BT)/%,$(DESTDIR)$(PREFIX)/share/man/man8/%,$(wildcard $(BT)/*.8))
