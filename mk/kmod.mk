# The kernel module.  KDIR: headers of the kernel it is for.  It is built from a copy in $(B)/kmod/<release>, so
# that builds for several kernels do not meet, and the sources stay clean.
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
KMOD_SRC := Kbuild $(wildcard kmod/*.[ch]) $(wildcard uapi/beamtap/*.h)
# What Debian 12 has: its own kernel and the one of its backports.
KMOD_KERNELS := 6.1 6.12
KERNELS      := $(B)/kernels
# W=1 for the kernel's extra warnings, C=1 for sparse; both are on for developers' targets.
KMOD_FLAGS ?=

# Build into $(B)/kmod/$(1) against $(2)
define kmod_build
	@mkdir -p $(B)/kmod/$(1)
	@tar cf - $(KMOD_SRC) | tar xf - --keep-newer-files -C $(B)/kmod/$(1) 2>/dev/null || true
	$(Q_KMOD)MAKEFLAGS= $(MAKE) -j$$(nproc) --no-print-directory -C $(2) M=$(abspath $(B))/kmod/$(1) $(KMOD_FLAGS) modules $(if $(V),,>$(B)/kmod/$(1).log 2>&1 || { cat $(B)/kmod/$(1).log; exit 1; })
	@if [ -f $(B)/kmod/$(1).log ]; then ! grep -iE 'warning:|error:' $(B)/kmod/$(1).log; fi
endef
ifneq ($(V),1)
Q_KMOD = @echo "  KMOD    $(B)/kmod/$(1)/beamtap.ko";
endif

.PHONY: kmod
kmod: ## build beamtap.ko for the running kernel, or for KDIR=
	@[ -e $(KDIR)/Makefile ] || tools/need.sh kmod
	@[ -e $(KDIR)/Makefile ] || { echo "make kmod: no headers in $(KDIR): install linux-headers-$(KVER), or say KDIR="; exit 1; }
	$(call kmod_build,$(KVER),$(KDIR))
	@ln -sfn kmod/$(KVER)/beamtap.ko $(B)/beamtap.ko

$(KERNELS)/%/kdir:
	@tools/need.sh kmod-test
	$(Q_GEN)tests/kselftest/kernel.sh $* $(KERNELS)

.PHONY: kmod_all
kmod_all: $(KMOD_KERNELS:%=kmod-%) ## build it for all of Debian 12's kernels, with W=1
.PHONY: $(KMOD_KERNELS:%=kmod-%)
$(KMOD_KERNELS:%=kmod-%): kmod-%: $(KERNELS)/%/kdir
	$(call kmod_build,$*,$(abspath $(KERNELS)/$*/kdir))
kmod_all: KMOD_FLAGS = W=1

.PHONY: kmod_install kmod_dkms
kmod_install: kmod ## install beamtap.ko for the kernel it was built for
	$(MAKE) --no-print-directory -C $(KDIR) M=$(abspath $(B))/kmod/$(KVER) \
		$(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install
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
kmod-check: $(CHECKPATCH) $(KERNELS)/6.1/kdir ## sparse, checkpatch and the compiler's extra warnings over the module
	@rm -rf $(B)/kmod/sparse
	$(call kmod_build,sparse,$(abspath $(KERNELS)/6.1/kdir))
	@$(foreach f,$(wildcard kmod/*.[ch]) $(wildcard uapi/beamtap/*.h),perl $(CHECKPATCH) --no-tree --terse --show-types \
		--no-summary --max-line-length=100 $(call waive,$(f)) -f $(f) &&) true
	@grep -q 'MODULE_VERSION("$(VERSION)")' kmod/main.c && grep -q '^PACKAGE_VERSION="$(VERSION)"' kmod/dkms.conf || \
		{ echo "kmod/main.c, kmod/dkms.conf: not version $(VERSION)"; exit 1; }

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

# NAME=COMMAND for tap.py
kmod_test = "kmod-$(1)=tests/kselftest/boot.sh $(KERNELS)/$(1) 960 tests/kselftest/run.sh $(B)/kmod/$(1)/beamtap.ko $(KMOD_TESTS)"

.PHONY: kmod-tests check-kmod
kmod-tests: $(KSFT)
KMOD_TESTS := $(filter %_test,$(KSFT)) 'tests/kselftest/tools_test.sh $(B)/kselftest/talker' \
	'tests/kselftest/erlang_test.sh $(B)'
check-kmod: ## the module's kselftests in QEMU, on each of Debian 12's kernels
	@tools/need.sh build agent kmod-test
	@$(MAKE) --no-print-directory -j$$(nproc) all kmod_all kmod-tests
	@$(MAKE) --no-print-directory check-kmod-run
.PHONY: check-kmod-run
check-kmod-run:
	@tests/tap.py -t 1000 $(foreach k,$(KMOD_KERNELS),$(call kmod_test,$(k)))
.PHONY: bench-kmod
bench-kmod: kmod-6.1 kmod-tests ## what handing a record to the module costs, as ratios, in QEMU
	@APPEND=mitigations=auto tests/kselftest/boot.sh $(KERNELS)/6.1 500 sh -c \
		'insmod $(B)/kmod/6.1/beamtap.ko && tests/kselftest/bench.sh $(abspath $(B))/kselftest/emit_bench'
