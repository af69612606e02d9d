# Debug kernels, and beamtap.ko under their checkers (tests/kernel/README.md).  BTAP_CACHE=DIR
# keeps the kernels elsewhere than beside the build folder.  Not in it: make looks there for *.d.
DEBUG_KERNELS := $(if $(BTAP_CACHE),$(BTAP_CACHE),$(B)-kernels)

.PHONY: check-kmod-debug check-kmod-kasan
check-kmod-debug: ## beamtap.ko in User Mode Linux with all checkers; builds that kernel: 8 minutes
	@tools/need.sh build test debug-kernel
	@$(MAKE) --no-print-directory kmod-tests
	@tests/kernel/uml.sh build $(DEBUG_KERNELS)/uml
	@tests/tap.py -t 1200 planted-uml='tests/kernel/planted.sh uml $(DEBUG_KERNELS)/uml' \
		kmod-uml='tests/kernel/suite.sh uml $(DEBUG_KERNELS)/uml $(filter %_test,$(KSFT))'
check-kmod-kasan: ## the same on x86 in QEMU; builds that kernel: 20 minutes
	@tools/need.sh build test debug-kernel debug-kernel-x86
	@$(MAKE) --no-print-directory kmod-tests
	@tests/kernel/kasan.sh build $(DEBUG_KERNELS)/kasan
	@tests/tap.py -t 3000 planted-kasan='tests/kernel/planted.sh kasan $(DEBUG_KERNELS)/kasan' \
		kmod-kasan='tests/kernel/suite.sh kasan $(DEBUG_KERNELS)/kasan $(filter %_test,$(KSFT))'
