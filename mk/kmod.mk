# The kernel module.  KDIR: headers of the kernel it is for.  It is built from a copy in $(B)/kmod/<release>, so
# that builds for several kernels do not meet, and the sources stay clean.
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
KMOD_SRC := Kbuild $(wildcard kmod/*.[ch]) $(wildcard uapi/beamtap/*.h)
# What Debian 12 has: its own kernel and the one of its backports; and the newest of Debian, sid's.
KMOD_KERNELS := 6.1 6.12
KMOD_NEWEST  := newest
KERNELS      := $(B)/kernels
# W=1 for the kernel's extra warnings, C=1 for sparse; both are on for developers' targets.
KMOD_FLAGS ?=

# Build into $(B)/kmod/$(1); $(2): a command, make in the folder of the headers
define kmod_build
	@mkdir -p $(B)/kmod/$(1)
	@tar cf - $(KMOD_SRC) | tar xf - --keep-newer-files -C $(B)/kmod/$(1) 2>/dev/null || true
	$(Q_KMOD)MAKEFLAGS= $(2) -j$$(nproc) --no-print-directory M=$(abspath $(B))/kmod/$(1) $(KMOD_FLAGS) modules $(if $(V),,>$(B)/kmod/$(1).log 2>&1 || { cat $(B)/kmod/$(1).log; exit 1; })
	@if [ -f $(B)/kmod/$(1).log ]; then ! grep -iE 'warning:|error:' $(B)/kmod/$(1).log; fi
endef
ifneq ($(V),1)
Q_KMOD = @echo "  KMOD    $(B)/kmod/$(1)/beamtap.ko";
endif

.PHONY: kmod
kmod: ## build beamtap.ko for the running kernel, or for KDIR=
	@[ -e $(KDIR)/Makefile ] || tools/need.sh kmod
	@[ -e $(KDIR)/Makefile ] || { echo "make kmod: no headers in $(KDIR): install linux-headers-$(KVER), or say KDIR="; exit 1; }
	$(call kmod_build,$(KVER),$(MAKE) -C $(KDIR))
	@ln -sfn kmod/$(KVER)/beamtap.ko $(B)/beamtap.ko

$(KERNELS)/%/make:
	@tools/need.sh kmod-test
	$(Q_GEN)tests/kselftest/kernel.sh $* $(KERNELS)

.PHONY: kmod_all
kmod_all: $(KMOD_KERNELS:%=kmod-%) kmod-$(KMOD_NEWEST) ## build it for Debian 12's kernels and for the newest, with W=1
.PHONY: $(KMOD_KERNELS:%=kmod-%) kmod-$(KMOD_NEWEST)
$(KMOD_KERNELS:%=kmod-%) kmod-$(KMOD_NEWEST): kmod-%: $(KERNELS)/%/make
	$(call kmod_build,$*,$(abspath $(KERNELS)/$*/make))
kmod_all: KMOD_FLAGS = W=1

.PHONY: kmod_install kmod_dkms
# Debian's headers have neither System.map, without which modules_install leaves depmod to us, nor a
# key to sign with.
kmod_install: kmod ## install beamtap.ko for the kernel it was built for
	$(MAKE) --no-print-directory -C $(KDIR) M=$(abspath $(B))/kmod/$(KVER) CONFIG_MODULE_SIG_ALL= \
		$(if $(DESTDIR),INSTALL_MOD_PATH=$(abspath $(DESTDIR))) modules_install
	PATH="$$PATH:/sbin:/usr/sbin" && depmod $(if $(DESTDIR),-b $(DESTDIR)) \
		$$(modinfo -F vermagic $(B)/kmod/$(KVER)/beamtap.ko | cut -d ' ' -f 1)
kmod_dkms: ## register the module's source with DKMS: built anew for each new kernel
	@[ -n "$(DESTDIR)" ] || tools/need.sh dkms
	install -d $(DESTDIR)/usr/src/beamtap-$(VERSION)
	tar cf - $(KMOD_SRC) | tar xf - -C $(DESTDIR)/usr/src/beamtap-$(VERSION)
	install -m 644 kmod/dkms.conf $(DESTDIR)/usr/src/beamtap-$(VERSION)/dkms.conf
	[ -n "$(DESTDIR)" ] || dkms install --force beamtap/$(VERSION) -k $(KVER)

# -- what developers run --
CHECKPATCH := $(KERNELS)/source/scripts/checkpatch.pl
# trace.h and desc.c project the catalogue: their macros are lists, not expressions.  compat.h looks at versions.
MACRO_TYPES := COMPLEX_MACRO,TRAILING_SEMICOLON,MULTISTATEMENT_MACRO_USE_DO_WHILE,SPACING
VERSION_TYPES := LINUX_VERSION_CODE,CONSTANT_COMPARISON
waive = $(if $(filter kmod/trace.h kmod/desc.c uapi/beamtap/catalog.h uapi/beamtap/records.h,$(1)),--ignore $(MACRO_TYPES)) \
	$(if $(filter kmod/compat.h,$(1)),--ignore $(VERSION_TYPES))
$(CHECKPATCH):
	@tools/need.sh kmod-check
	@mkdir -p $(KERNELS)/source
	$(Q_GEN)tar xf /usr/src/linux-source-6.1.tar.xz -C $(KERNELS)/source --strip-components 1 \
		linux-source-6.1/scripts
.PHONY: kmod-check
kmod-check: KMOD_FLAGS = W=1 C=2
kmod-check: $(CHECKPATCH) $(KMOD_KERNELS:%=kmod-sparse-%) kmod-sparse-$(KMOD_NEWEST) ## sparse, checkpatch and the compiler's extra warnings over the module
	@$(foreach f,$(wildcard kmod/*.[ch]) $(wildcard uapi/beamtap/*.h),perl $(CHECKPATCH) --no-tree --terse --show-types \
		--no-summary --max-line-length=100 $(call waive,$(f)) -f $(f) &&) true
	@grep -q 'MODULE_VERSION("$(VERSION)")' kmod/main.c && grep -q '^PACKAGE_VERSION="$(VERSION)"' kmod/dkms.conf || \
		{ echo "kmod/main.c, kmod/dkms.conf: not version $(VERSION)"; exit 1; }
.PHONY: kmod-sparse-%
kmod-sparse-%: $(KERNELS)/%/make
	@tools/need.sh kmod-check
	@rm -rf $(B)/kmod/sparse-$*
	$(call kmod_build,sparse-$*,$(abspath $(KERNELS)/$*/make))
	@$(if $(V),,grep -q CHECK $(B)/kmod/sparse-$*.log || { echo "sparse did not run for $*"; exit 1; })

# -- tests, in the guest --
KSFT_DIR := $(B)/kernels/selftests
KSFT_SRC := $(wildcard tests/kselftest/*_test.c)
KSFT     := $(KSFT_SRC:tests/kselftest/%.c=$(B)/kselftest/%) $(B)/kselftest/talker $(B)/kselftest/emit_bench
# The kernel's test harness, and checkpatch, come with its source.
$(KSFT_DIR)/kselftest_harness.h:
	@tools/need.sh kmod-test
	@mkdir -p $(KSFT_DIR)
	$(Q_GEN)tar xf /usr/src/linux-source-6.1.tar.xz -C $(KSFT_DIR) --wildcards --strip-components 4 \
		'linux-source-6.1/tools/testing/selftests/kselftest*.h'
$(B)/kselftest/%: tests/kselftest/%.c tests/kselftest/vm.c tests/kselftest/vm.h tests/kselftest/harness.h \
		$(wildcard uapi/beamtap/*.h) | $(KSFT_DIR)/kselftest_harness.h
	@mkdir -p $(@D)
	$(Q_LD)$(CC) -D_GNU_SOURCE -std=gnu11 -g -O1 -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter \
		-Wno-clobbered -Wno-stringop-overread -Iuapi -I$(KSFT_DIR) -o $@ $< tests/kselftest/vm.c -lpthread

# The module with a leak in it, which limit_test must find.  The smallest of them is enough each time.
PLANTED ?= page reader strings
.PHONY: kmod-planted $(PLANTED:%=kmod-planted-%)
kmod-planted: $(PLANTED:%=kmod-planted-%)
$(PLANTED:%=kmod-planted-%): kmod-planted-%: $(KERNELS)/6.1/make
	@tests/kselftest/plant.sh $* $(B)/kmod/planted-$* $(KMOD_SRC)
	$(call kmod_build,planted-$*,$(abspath $(KERNELS)/6.1/make))
kmod_planted_test = kmod-planted='tests/kselftest/boot.sh $(KERNELS)/6.1 600 tests/kselftest/planted.sh $(B)/kselftest/limit_test $(1:%=$(B)/kmod/planted-%/beamtap.ko)'
.PHONY: check-kmod-planted
check-kmod-planted: kmod-planted kmod-tests ## leaks planted in the module, which its tests must find
	@tests/tap.py -t 700 $(call kmod_planted_test,$(PLANTED))

# NAME=COMMAND for tap.py
kmod_test = "kmod-$(1)=tests/kselftest/boot.sh $(KERNELS)/$(1) 960 tests/kselftest/run.sh $(B)/kmod/$(1)/beamtap.ko $(KMOD_TESTS)"

.PHONY: kmod-tests check-kmod
kmod-tests: $(KSFT)
KMOD_TESTS := $(filter %_test,$(KSFT)) 'tests/kselftest/tools_test.sh $(B)/kselftest/talker' \
	'tests/kselftest/erlang_test.sh $(B)' 'tests/kselftest/user_test.sh $(B) $(B)/kselftest/talker'
check-kmod: ## the module's kselftests in QEMU, on each of Debian 12's kernels
	@tools/need.sh build agent kmod-test dkms
	@$(MAKE) --no-print-directory -j$$(nproc) all $(KMOD_KERNELS:%=kmod-%) kmod-tests kmod-planted-page KMOD_FLAGS=W=1
	@$(MAKE) --no-print-directory check-kmod-run
.PHONY: check-kmod-run check-kmod-newest check-kmod-newest-run
check-kmod-run:
	@tests/tap.py -t 1000 kmod-install='tests/kselftest/install_test.sh $(B) $(firstword $(KMOD_KERNELS))' \
		$(foreach k,$(KMOD_KERNELS),$(call kmod_test,$(k))) $(call kmod_planted_test,page)
check-kmod-newest: ## the same on Debian's newest kernel, which is fetched from sid
	@tools/need.sh build agent kmod-test
	@$(MAKE) --no-print-directory -j$$(nproc) all kmod-$(KMOD_NEWEST) kmod-tests KMOD_FLAGS=W=1
	@$(MAKE) --no-print-directory check-kmod-newest-run
check-kmod-newest-run:
	@tests/tap.py -t 1000 $(call kmod_test,$(KMOD_NEWEST))
.PHONY: bench-kmod
bench-kmod: kmod-6.1 kmod-tests ## what handing a record to the module costs, as ratios, in QEMU
	@APPEND=mitigations=auto tests/kselftest/boot.sh $(KERNELS)/6.1 500 sh -c \
		'insmod $(B)/kmod/6.1/beamtap.ko && tests/kselftest/bench.sh $(abspath $(B))/kselftest/emit_bench'
