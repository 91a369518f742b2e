# StoreHub. `make run` demonstrates it, `make test` tests it, and `make help` lists all targets: those with a comment after
# ##, in the order of this file, under the headings after ##@.

export DESTDIR PREFIX UNITDIR
SWIFT_BUILD = swift build --explicit-target-dependency-import-check error
STATIC_BUILD = $(SWIFT_BUILD) -c release --static-swift-stdlib --disable-local-rpath --scratch-path .build/static
.DEFAULT_GOAL = build

.PHONY: build run test test-build test-clients test-package golden-check simulate fuzz torture torture-cluster system-test sanitize lint tidy format man bench bench-inprocess static install install-files deb clean help setup bench-all bench-cluster bench-growth bench-recovery bench-smoke bench-fairness soak docs api-check

##@ Try and use

run: need-run ## build a hub, a terminal client and storectl without optimization, and start them (about 2 minutes)
	@scripts/run

build: need-build ## build the programs for release; `swift build -c release --show-bin-path` prints their directory
	STOREHUB_PROGRAMS=storectl,storegate,storehubd,storeload,storesim,storeterm $(SWIFT_BUILD) -c release

static: need-static ## build the programs for machines without a Swift toolchain, in .build/static
	set -e; for program in storehubd storectl storegate storeterm storeload storesim; do $(STATIC_BUILD) --product $$program; done

install: need-install static install-files ## install the programs, units and manual pages (PREFIX=/usr/local, DESTDIR=)

install-files:
	@scripts/install "$(or $(PROGRAMS),$$($(STATIC_BUILD) --show-bin-path))"

deb: need-deb static ## build a Debian package of the programs in .build/deb, and check it with lintian
	@scripts/deb

docs: need-docs ## write the API reference and the guides to .build/docs, and check their links and the documentation of public names
	@scripts/docs

setup: ## check the Swift toolchain and install missing Debian packages (part of run and test)
	@scripts/setup

clean: ## remove all build products
	rm -rf .build
	$(MAKE) -C bench/limit clean

help: ## print this list
	@sed -n 's/^##@ \(.*\)/\n\1:/p; s/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | sed 1d | expand -t 24

##@ Check a change

test: need-test lint test-build ## build and run every test
	@scripts/run-tests
	@scripts/test-package

test-build: need-test-build ## build all tests (part of test; from nothing, STOREHUB_WHOLE=1 needs a fifth less processor time)
	$(SWIFT_BUILD) --build-tests

test-package: need-test-package ## build a separate package that uses this one and its macros (1 minute after a build; part of test)
	@scripts/test-package

test-clients: need-test-clients ## test the clients in other languages with a hub (KILLS=10 of the hub under load; 40 seconds after a build; part of .ci/run)
	@STOREHUB_KILLS=$(or $(KILLS),10) scripts/test-clients

lint: need-lint ## check the format of the sources
	swift format lint --strict --recursive --parallel Sources Tests Package.swift

tidy: need-tidy ## check only layers, comments, commits and documents (part of test)
	@scripts/tidy

format: need-format ## format the sources and wrap the documents
	swift format --in-place --recursive --parallel Sources Tests Package.swift
	@scripts/wrap-markdown

man: need-man ## write docs/man, the manual pages of the programs built last (swift build)
	@scripts/man-pages

golden-check: need-golden-check ## check Tests/Golden with independent implementations of CBOR and CDDL from PyPI
	@scripts/golden-check

api-check: need-api-check ## compare the libraries with those of the last release, or of REV=COMMIT, for changes that break code
	@scripts/api-check $(REV)

##@ Search for failures

simulate: need-simulate ## simulate thousands of hubs and of clusters with faults, each from a seed (SEEDS=6000 FROM=0; about 2 minutes)
	$(SWIFT_BUILD) -c release --product storesim
	"$$(swift build -c release --show-bin-path)/storesim" --seeds $(or $(SEEDS),6000) --from $(or $(FROM),0) --jobs $$(nproc)
	"$$(swift build -c release --show-bin-path)/storesim" --cluster --seeds $(or $(SEEDS),6000) --from $(or $(FROM),0) --jobs $$(nproc)

fuzz: need-fuzz ## fuzz the code that takes bytes from peers (FUZZ_SECONDS=20 per target)
	@scripts/fuzz

sanitize: need-sanitize ## run the tests of code that touches C, memory or threads with the address and the thread sanitizer (SANITIZER=thread)
	@scripts/sanitize

torture: need-torture ## kill, stop and starve a hub under load (CYCLES=200 kills), and check that nothing is lost
	@scripts/torture

torture-cluster: need-torture-cluster ## kill machines of a cluster in network namespaces, and check that nothing is lost (KILLS=20; needs root)
	@scripts/torture-cluster

system-test: need-system-test $(if $(PACKAGE),,need-deb) ## install the package under a real systemd, in namespaces, and run the hub there (needs root)
	@scripts/system-test $(PACKAGE)

soak: need-soak ## run a hub at 80 % load for a long time, and check that nothing grows (MINUTES=30)
	@scripts/bench soak

##@ Measure

bench: need-bench ## compare the hub with the C limit, Redis, NATS and Python in one table (8 minutes; RUNS=5 SECONDS_EACH=0.7)
	@scripts/bench

bench-all: need-bench-all ## the same, and slower disks, recovery, growth and heap allocations (30 minutes)
	@scripts/bench all

bench-growth: need-bench-growth ## lists, shared models, views, clients, scopes and payloads of all sizes, with charts in docs/charts (10 minutes)
	@scripts/bench growth

bench-recovery: need-bench-recovery ## recovery from journals of 10 million actions, and snapshots of 1,000,000 todos (5 minutes)
	@scripts/bench recovery

bench-cluster: need-bench-cluster ## measure three hubs over etcd beside JetStream and Redis with Sentinel, against the budgets (10 minutes; RUNS=5 SECONDS_EACH=2)
	@scripts/bench cluster

bench-fairness: need-bench-fairness ## measure a client's latency while others attack the hub (5 minutes on an idle machine; best as root)
	$(SWIFT_BUILD) -c release --product storehubd
	bench/fairness.py --hub "$$(swift build -c release --show-bin-path)/storehubd" $(FAIRNESS)

bench-inprocess: need-bench-inprocess ## measure the cost of stores within one process
	@scripts/bench-inprocess

bench-smoke: need-bench-smoke ## guard against gross regressions by instructions, allocations and ratios (2 minutes)
	@scripts/bench smoke

# Prints all that is missing for the target, before anything is built.
need-%:
	@scripts/require $*
