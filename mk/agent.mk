# The agent: an OTP application and its tracer NIF, built into $(B)/agent/beamtap-$(VERSION).
.PHONY: agent
agent: ## build the agent for the Erlang installed here
