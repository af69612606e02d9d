# D's run-time: golden tests, benches; the name by which scripts call it.
all: $(B)/beamtap-dtrace
$(B)/beamtap-dtrace: $(B)/beamtap
	@ln -sf beamtap $@

CHECKS     += d-golden='BEAMTAP=$(abspath $(B))/beamtap MKREC=$(abspath $(MKREC)) tests/golden/d_run'
CHECKS     += d-samples='BEAMTAP=$(abspath $(B))/beamtap tests/golden/d_samples'
CHECKS     += d-fast='BEAMTAP=$(abspath $(B))/beamtap tests/golden/d_fast'
CHECKS     += otp-examples=tests/e2e/otp_examples.sh\ $(B)
CHECK_DEPS += $(B)/beamtap $(MKREC)

.PHONY: bench-d
bench-d: $(MKREC) $(B)/tests/recording_bench $(B)/beamtap ## measure D over a recording of 10 million events
	@tests/bench/d_bench.sh $(B)
CHECKS_E2E     += dtrace='tests/e2e/dtrace.sh $(B)'
CHECK_E2E_DEPS += $(B)/beamtap $(B)/tests/tapvm
CHECKS_E2E     += d-on-a-node='tests/e2e/otp_live.sh $(B)'
