# The commands of the project. Each first installs what it needs (scripts/bootstrap).
SWIFT ?= swift
export SIMPLEX_STRICT = 1
# Simulations replay only if dictionaries have the same order in every process.
export SWIFT_DETERMINISTIC_HASHING = 1

.PHONY: test soak run bench programs lib check fuzz format bootstrap

bootstrap:
	@scripts/bootstrap

# The library first: tests load it as other languages do. Tests of real connections come one after the other, as their
# time limits mean something only then; all others at once.
NETWORK_TESTS = ^(SMPServer|SMPClient|SimplexTransport|SimplexAgent|SimpleXChat|SimplexFFI|LocalWebSocket|ChatTerminal|Program)Tests\.
test: bootstrap lib
	$(SWIFT) test --skip '$(NETWORK_TESTS)'
	$(SWIFT) test --skip-build --no-parallel --filter '$(NETWORK_TESTS)'

# The terminal client with a relay of its own and a contact that echoes; without a terminal, a short conversation.
# DASHBOARD=1 shows the example on ChatModel instead.
run: PROGRAM = $(if $(DASHBOARD),chat-dashboard,simplex-demo)
run: bootstrap
	scripts/build-release $(PROGRAM)
	.build/release/$(PROGRAM) $(ARGS)

bench: bootstrap
	@mkdir -p .build/bench
	scripts/build-release SimplexBench agent-peer smp-server smp-bench
	.build/release/SimplexBench --json .build/bench/latest.json $(ARGS)

# What people use, in .build/release, with all libraries inside.
programs: bootstrap
	scripts/build-release simplex-chat smp-server smp-bench

# The C library: dist/lib/libsimplex.so and simplex.h.
lib: bootstrap
	scripts/make-lib

check: bootstrap
	scripts/check

fuzz: bootstrap
	scripts/fuzz $(ARGS)

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

# The long tests at full length: 50 rounds of killing the relay under load, 33,000 simulations of agents, 600 stories
# of chat cores.
soak: bootstrap
	SIMPLEX_SOAK=1 $(SWIFT) test --filter 'CrashTests|HostileLoadTests|ZipArchiveTests'
	SIMPLEX_SOAK=1 $(SWIFT) test -c release -Xswiftc -enable-testing --filter 'SimulationTests.ScenarioTests|ChatStoryTests'
