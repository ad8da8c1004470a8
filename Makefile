# The commands of the project. All but generate and format first install what they need (scripts/bootstrap).
SWIFT ?= swift
export SIMPLEX_STRICT = 1
# Simulations replay only if dictionaries have the same order in every process.
export SWIFT_DETERMINISTIC_HASHING = 1
# CONFIGURATION=release tests what is released: building takes longer, and the tests half as long. In a folder of its own,
# because programs are linked otherwise.
CONFIGURATION ?= debug
OPTIMIZED = --scratch-path .build/tests -c release -Xswiftc -enable-testing
export SIMPLEX_TEST_FLAGS = $(if $(filter release,$(CONFIGURATION)),$(OPTIMIZED))

.PHONY: test soak run bench programs lib dist docs check fuzz format generate bootstrap

bootstrap:
	@scripts/bootstrap

# The tests without connections run in parallel, and the library is built beside them: later tests load it as other
# languages do. The others run in five processes at the same time: chats, relays and agents, programs, and two of
# networks in memory. Each runs its tests one after the other, for the sake of their time limits, and a test that fails
# runs once more (scripts/run-tests).
RELAY_TESTS = ^(SMPServer|NotificationServer|SMPClient|SimplexTransport|HTTP2Transport|XFTPServer|SimplexAgent|LocalWebSocket)Tests\.
CHAT_TESTS = ^(SimpleXChat|SimplexFFI|ChatTerminal)Tests\.
PROGRAM_TESTS = ^ProgramTests\.
CRASH_TESTS = ^SimpleXChatTests\.(CrashScenario|CrashStory|Synchronization)Tests/
MEMORY_TESTS = ^SimpleXChatTests\.(MemoryScenario|RepeatedEvents|ChatStory|GroupStory)Tests/
test: bootstrap
	@mkdir -p .build
	scripts/make-lib >.build/make-lib.log 2>&1 & library=$$!; \
	scripts/run-tests --skip '$(RELAY_TESTS)|$(CHAT_TESTS)|$(PROGRAM_TESTS)'; result=$$?; \
	wait $$library || { cat .build/make-lib.log; exit 1; }; tail -1 .build/make-lib.log; exit $$result
	scripts/run-tests --repeat --no-parallel --filter '$(CHAT_TESTS)' --skip '$(MEMORY_TESTS)|$(CRASH_TESTS)' \
		--and --no-parallel --filter '$(RELAY_TESTS)' --and --no-parallel --filter '$(PROGRAM_TESTS)' \
		--and --no-parallel --filter '$(MEMORY_TESTS)' --and --no-parallel --filter '$(CRASH_TESTS)'

# The terminal client with a relay of its own and a contact that echoes; without a terminal, a short conversation.
# DASHBOARD=1 shows the example on ChatModel instead.
run: PROGRAM = $(if $(DASHBOARD),chat-dashboard,simplex-demo)
run: bootstrap
	scripts/build-release $(PROGRAM)
	.build/release/$(PROGRAM) $(ARGS)

bench: bootstrap
	@mkdir -p .build/bench
	scripts/build-release SimplexBench agent-peer smp-server smp-bench xftp
	.build/release/SimplexBench --json .build/bench/latest.json $(ARGS)

# The programs for distribution in .build/release, linked statically.
PROGRAMS = simplex-chat smp-server smp-bench xftp-server xftp ntf-server
programs: bootstrap
	scripts/build-release $(PROGRAMS)
	@echo "The programs, in .build/release:"
	@for program in $(PROGRAMS); do echo "  $$(.build/release/$$program --version | head -1): .build/release/$$program"; done

# The C library: dist/lib/libsimplex.so and simplex.h.
lib: bootstrap
	scripts/make-lib

# A release in dist: archives of the programs and of the C library, a Debian package, an SBOM and checksums. They are
# used as people use them, and a package outside of this one is built against the libraries.
dist: programs lib
	@scripts/version --check
	scripts/package dist
	scripts/check-dist dist
	scripts/check-consumer --build

# The guides and the API of the libraries as pages, in .build/docs (from the modules of `swift build`).
docs: bootstrap
	scripts/make-docs

check: bootstrap
	scripts/check

fuzz: bootstrap
	scripts/fuzz $(ARGS)

# The JSON readers and writers of the types that Sources/Chat/ChatAPI declares.
generate:
	scripts/generate-json

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Examples

# The long tests at full length: 50 rounds of killing the relay under load, a relay among 2,000 hostile clients for a
# minute, a minute of killing chat cores and their relay, 33,000 simulations of agents, stories of chat cores with
# crashes and power failures, a crash of a chat core and a power failure after each commit of a story, one of the two
# after each commit of every scenario (with one relay, and the other one with two), 6,000 stories of a relay's store with
# power failures, 300 killed imports of a profile.
# Where valgrind is installed, the compiled code with secrets is looked at too.
soak: bootstrap lib
	@if command -v valgrind >/dev/null; then scripts/check-constant-time; else echo "constant time is not checked: no valgrind"; fi
	SIMPLEX_SOAK=1 $(SWIFT) test $(OPTIMIZED) --filter 'CrashTests|HostileLoadTests|ZipArchiveTests'
	SIMPLEX_SOAK=1 $(SWIFT) test $(OPTIMIZED) --skip-build --no-parallel --filter 'SimplexFFITests.KillTests|anAppAndItsExtension'
	SIMPLEX_SOAK=1 $(SWIFT) test $(OPTIMIZED) --skip-build --no-parallel --filter 'ProgramTests.(FileKillTests|ImportKillTests)'
	SIMPLEX_SOAK=1 $(SWIFT) test $(OPTIMIZED) --skip-build --filter 'SimulationTests.ScenarioTests|MemoryScenarioTests|ChatStoryTests|GroupStoryTests|CrashStoryTests|CrashScenarioTests|RepeatedEventsTests|StorePowerFailureTests|GroupJobsTests'
