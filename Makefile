# Every target says what it is for; `make` alone prints the list.
GO        ?= go
FUZZTIME  ?= 20s
DIFFERTIME ?= 5m
CMD       ?= ls | wc -l
export CGO_ENABLED = 0

.PHONY: packages release reproducible container test-packages help build run check tables test test-arm64 race cover fuzz fuzz-differ golden bench bench-peers bench-hook bench-pairs bench-start bench-scale bench-long bench-console install man cross stress fleet-stress capacity test-clients capture-clients test-docker test-registries ablate learn verdicts

help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build both binaries into bin/
	$(GO) build -trimpath -o bin/ ./cmd/...

run: build ## run one command line: make run CMD='ls | wc -l'
	@bin/tada-run "$$CMD"

install: ## install both binaries where `go install` puts them
	$(GO) install -trimpath ./cmd/...

man: build ## write the manual pages into man/
	@mkdir -p man
	bin/tadactl man man
	bin/tada-run --help | bin/tadactl man - > man/tada-run.1

# What is handed out of one commit; a new folder each time.
PACKAGES ?= bin/packages
ENV      ?= packaging/release.env

packages: ## deb, rpm, apk, Arch, archives, npm, SBOM, checksums for amd64 and arm64, into PACKAGES (default bin/packages)
	rm -rf $(PACKAGES)
	$(GO) run ./packaging/release -to $(PACKAGES) -env $(ENV) $(if $(KEY),-key $(KEY))

release: ## the same, signed with KEY=FILE, only from a commit with a tag and with all of packaging/release.env; DRY=1 says what is missing and makes it all the same
	@rm -rf $(PACKAGES)
	$(GO) run ./packaging/release -to $(PACKAGES) -env $(ENV) $(if $(KEY),-key $(KEY)) $(if $(DRY),-dry,-tagged)
	@test -n "$(DRY)" || echo "now push the tag and upload $(PACKAGES) to where DOWNLOADS in $(ENV) points"

reproducible: ## make packages of HEAD in two folders, each built from nothing, and compare every byte
	.ci/reproducible

container: ## an image with the programs and nothing else, of bin/packages, by podman or docker
	.ci/container $(PACKAGES)

test-packages: ## install, use and remove what make packages made, in new roots (needs root and Debian's tools)
	.ci/packages $(PACKAGES)

check: ## gofmt, vet, staticcheck (pinned in go.mod)
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted; run: gofmt -w $$files"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

cross: ## build and vet for other systems
	GOOS=linux GOARCH=arm64 $(GO) vet ./...
	GOOS=linux GOARCH=arm64 $(GO) build -o /dev/null ./cmd/tada-run
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=darwin GOARCH=amd64 $(GO) build -o /dev/null ./cmd/tadactl
	GOOS=darwin GOARCH=amd64 $(GO) build -o /dev/null ./cmd/tada-run
	$(GO) test -tags stepwise ./pathguard/walk ./pathguard/resolve ./launcher/session # the steps of macOS

test: ## all tests, real kernel included
	$(GO) test ./...

stress: ## RUNS (default 20000) runs, 64 at a time, beside 8 busy processes: none may be reported lost; half as many while other goroutines reuse free descriptors; names that are swapped, hundreds of times as often; and all other rounds ten times as often as in make test
	TEST_STRESS_RUNS=$${RUNS:-20000} $(GO) test -count=1 -timeout 0 -run '^TestRunsOfManyProcesses$$' -v ./audit
	TEST_STRESS_RUNS=$${RUNS:-20000} $(GO) test -count=1 -timeout 0 -run '^TestParallelRuns$$' -v ./integration
	TEST_ROUNDS=$$(($${RUNS:-20000} / 100)) $(GO) test -count=1 -timeout 0 -run '^TestDescriptorsOfARunAreItsOwn$$' -v ./launcher
	TEST_ROUNDS=$$(($${RUNS:-20000} / 400)) $(GO) test -count=1 -timeout 0 -run 'Swap|Race' ./pathguard ./launcher/broker ./launcher/sandbox
	TEST_ROUNDS=$$(($${RUNS:-20000} / 1000)) $(GO) test -count=1 -timeout 0 -run '^TestAttacks$$/swapped|thread' ./launcher/sandbox/attack
	TEST_ROUNDS=1 $(GO) test -count=1 -timeout 0 ./launcher ./launcher/broker/... ./launcher/sandbox ./pathguard

# Without a network but the loopback, where the model is.
OFFLINE = unshare $$(test $$(id -u) = 0 || echo --map-current-user --keep-caps) --net -- sh -c 'ip link set lo up && exec "$$@"' sh

fleet-stress: ## FLOOD (default 10m) of questions, answers and uses on three etcd nodes of which one after the other is killed or stopped, the same on nodes that are parted and on slow disks: no approval is used twice, none is lost; then MACHINES (default 1000) with ten questions each; an agent that is killed 200 times, and files of which a power cut left a part; what is shipped, against a real S3 server, also a full one; and agents of the commit BEFORE (default the one before this), and its other programs, and its registrar, with agents of this one
	TEST_FLOOD_TIME=$${FLOOD:-10m} $(GO) test -count=1 -timeout 0 -run '^TestFlood$$' -v ./approval/etcd
	TEST_MACHINES=$${MACHINES:-1000} $(GO) test -count=1 -timeout 0 -run '^TestManyMachines$$' -v ./integration/fleet/agent
	TEST_ROUNDS=4 $(GO) test -count=1 -timeout 0 -run '^Test(KilledAtWork|TornFiles)$$' -v ./integration/fleet/agent
	TEST_SERVERS=1 $(GO) test -count=1 -timeout 10m ./integration/fleet/ship
	TEST_BEFORE=$${BEFORE:-HEAD~1} $(GO) test -count=1 -timeout 10m -run '^TestFleetOfTwo$$' -v ./integration
	TEST_OTHERS_BEFORE=$${BEFORE:-HEAD~1} $(GO) test -count=1 -timeout 10m -run '^TestFleetOfTwo$$' -v ./integration
	TEST_REGISTRAR_BEFORE=$${BEFORE:-HEAD~1} $(GO) test -count=1 -timeout 10m -run '^TestFleetOfTwo$$' -v ./integration

capacity: ## what a fleet takes, for docs/capacity.md: questions of one etcd, memory of its programs, MACHINES (default 300) at once, what is shipped in a day of 200 and of 5,000 runs; real runs stay in bin/capacity
	@mkdir -p bin/capacity
	$(GO) test -run '^$$' -bench '^BenchmarkMachines$$' -benchtime 10s ./approval/etcd
	BENCH_CAPACITY=$(CURDIR)/bin/capacity $(GO) test -count=1 -timeout 0 -run '^TestCapacity$$' -v ./integration
	TEST_REAL_RUNS=$(CURDIR)/bin/capacity/real $(GO) test -count=1 -timeout 0 -run '^TestCapacity$$' -v ./integration/fleet/ship
	TEST_MACHINES=$${MACHINES:-300} $(GO) test -count=1 -timeout 0 -run '^TestManyMachines$$' -v ./integration/fleet/agent

test-clients: ## agent programs against a model on loopback: the newest on npm (CLIENTS=latest), releases (CLIENTS="codex@0.166.0 gemini"), or those in PATH or the directories TADA_CLIENTS
	@if test -n "$(CLIENTS)"; then TADA_CLIENTS=$$(.ci/clients $(CLIENTS)) || exit 1; export TADA_CLIENTS; fi; \
	UPDATE=1 TEST_CLIENTS=1 $(OFFLINE) $(GO) test -count=1 -timeout 90m -run '^TestClients' -v ./integration; status=$$?; \
	UPDATE=1 $(GO) test -count=1 -run '^TestDocsClients$$' ./integration && cat integration/testdata/clients/proven.txt; exit $$status

capture-clients: ## what these programs give their shell and their hook, into integration/testdata/clients; CLIENTS as above
	@if test -n "$(CLIENTS)"; then TADA_CLIENTS=$$(.ci/clients $(CLIENTS)) || exit 1; export TADA_CLIENTS; fi; \
	UPDATE=1 TEST_CLIENTS=1 $(OFFLINE) $(GO) test -count=1 -timeout 90m -run '^TestClientsCapture$$' -v ./integration

# The lines of a real corpus, with the files of its machine: real.jsonl, hostile.jsonl and bed.json.gz in the folder REAL.
JUDGE = TEST_REAL_CORPUS=$(REAL) $(GO) test -count=1 -timeout 0 ./integration -v

verdicts: ## write the verdicts of every corpus line to VERDICTS, or compare them with it: make verdicts VERDICTS=/tmp/before REAL=DIR
	@test -n "$(VERDICTS)" || { echo "name a file: make verdicts VERDICTS=/tmp/before"; exit 1; }
	TEST_VERDICTS=$(abspath $(VERDICTS)) $(JUDGE) -run '^TestVerdicts$$'

learn: ## what the questions of one half of a real corpus teach for the other: make learn REAL=DIR
	$(JUDGE) -run '^TestRealLearned$$'

ablate: ## what each reader of a language earns: switch it off, judge every corpus line again; READER=sql prints the lines, REAL=DIR as above
	TEST_ABLATE=$(or $(READER),all) $(JUDGE) -run '^TestAblate$$'

test-docker: ## both programs and every attack, in containers: make test-docker IMAGE=debian:stable-slim
	TEST_DOCKER=$${IMAGE:-debian:stable-slim} $(GO) test -count=1 -timeout 30m -run '^TestDocker$$' -v ./integration

test-registries: ## npm, pip and go install from their public registries, unasked
	TEST_REGISTRIES=1 $(GO) test -count=1 -run '^TestPublicRegistries$$' -v ./integration

test-arm64: ## what needs no arm64 kernel: parsers, tables and filters (needs qemu-user)
	GOARCH=arm64 $(GO) test -short -exec qemu-aarch64 ./approval/canonical ./shellparse/... ./launcher/sandbox/gitmeta ./launcher/broker/network
	GOARCH=arm64 $(GO) test -short -exec qemu-aarch64 -run '^Test(Filter|ProgramReadsTheTable|RulesReached|ForeignNumbers|OtherArchitecture|DigestCoversEverything|Explain)$$' ./launcher/sandbox

race: ## all tests under the race detector (needs a C compiler)
	@.ci/race

cover: ## test coverage of parser and policy; fails below the minimums in .ci/cover
	@.ci/cover

fuzz: ## run each fuzz target for FUZZTIME (default 20s)
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep ^Fuzz); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; done

fuzz-differ: ## compare the parser with real shells: random texts for DIFFERTIME (default 5m), then every change of every corpus line
	$(GO) test ./shellparse -count=1 -timeout 0 -run '^TestGeneratedWords$$' -v -differ $(DIFFERTIME)
	$(GO) test ./shellparse -count=1 -timeout 0 -run Changed -all

tables: ## after a change of facts: what a start asks of them, made ahead of time, and their digest
	UPDATE=1 $(GO) test ./shellparse/catalog/agents -run '^TestFactsAreOfTheFiles$$'
	UPDATE=1 $(GO) test ./shellparse/catalog -run '^TestIndexIsOfTheTable$$'
	UPDATE=1 $(GO) test ./pathguard -run '^TestBuiltin(NamesAreOfTheTables|Digest)$$'

golden: tables ## rewrite golden files and transcripts after an intended change
	UPDATE=1 $(GO) test ./integration -run '^Test(Script|DocsClients|DemoCast)$$'
	$(GO) test ./shellparse ./approval -run Golden -update

bench: build ## start and check time, as ratios to bash and bwrap
	$(GO) test -run '^$$' -bench . -benchmem ./shellparse ./pathguard ./approval ./audit ./integration/quarantine
	$(GO) test -run '^$$' -bench 'Network|Clients|View' -benchtime 10x -timeout 30m ./launcher/sandbox
	BENCH_PEERS=1 $(GO) test -count=1 -run '^TestPeers$$' -v ./integration

bench-hook: ## how long the hook delays each call of an agent, beside bash -c true
	BENCH_HOOK=1 $(GO) test -count=1 -run '^TestHookSpeed$$' -v ./integration

bench-pairs: ## size and start of the programs of a machine in no fleet, in pairs with those of the commit BEFORE (default the last one without fleets)
	BENCH_PAIRS=$${BEFORE:-5f38ae19} $(GO) test -count=1 -timeout 0 -run '^TestPairs$$' -v ./integration

bench-start: ## what the processor time of a start goes to, as a table (needs perf)
	BENCH_START=1 $(GO) test -count=1 -run '^TestStartParts$$' -v ./integration

bench-scale: ## how reading the record grows: made records of SCALE runs (default 10000,100000,1000000); SCALE_KEEP=DIR leaves them there, SCALE_EVERY=k leaves out the transcripts of all but each k-th run; then beside sudoreplay, journalctl and asciinema
	BENCH_SCALE=$${SCALE:-10000,100000,1000000} BENCH_SCALE_KEEP=$$SCALE_KEEP BENCH_SCALE_EVERY=$$SCALE_EVERY \
	  $(GO) test -count=1 -timeout 0 -run '^TestScale(Peers)?Speed$$' -v ./integration
	BENCH_PLANS=1000000 $(GO) test -count=1 -timeout 0 -run '^TestManyPlans$$' -v ./launcher/replay

bench-long: ## replay, export and log --grep of one made transcript of LONG MiB (default 900)
	BENCH_LONG=$${LONG:-900} $(GO) test -count=1 -timeout 0 -run '^TestLongSpeed$$' -v ./integration

bench-console: ## the console in Chromium: replay of LONG MiB (default 900), questions, a tap
	BENCH_LONG=$${LONG:-900} $(GO) test -count=1 -timeout 0 -run '^Test(LongReplayInABrowser|TapToRunning|ManyQuestionsInABrowser)$$' -v ./integration

bench-peers: build ## compare with installed peers: starts, recording much output, the log
	BENCH_PEERS=1 $(GO) test -count=1 -timeout 0 -run '^Test(Undo)?Peers(Do)?$$' -v ./integration
	BENCH_PEERS=1 TADA_RUN=$(CURDIR)/bin/tada-run $(GO) test -count=1 -timeout 0 -run '^TestThroughput$$' -v ./audit
	$(GO) test -run '^$$' -bench 'Append|Verify$$' ./audit
