# Recipes for developers and CI; `make` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Extra arguments for `make run`, `make quick`, `make test-backends`, `make test-clients`, `make guard`, `make floods`, `make soak` and `make fuzz`: make run ARGS="--once"
ARGS ?=
export REASON ?=
CYCLES ?= 200
SECONDS ?= 60

.PHONY: help
help: ## list all recipes
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-13s %s\n", $$1, $$2 }'

.PHONY: run
run: ## build (dev profile) and run `baton demo`: two agents on loopback; stop with Ctrl-C
	cargo run -p baton -- demo $(ARGS)

.PHONY: test
test: ## run all tests and checks, with the time of each stage
	@scripts/test.sh

.PHONY: quick
quick: ## format, house rules and the tests of the lower layers, for the inner loop
	@scripts/quick.sh $(ARGS)

.PHONY: test-backends
test-backends: ## test with an OpenTelemetry Collector, Arize Phoenix and an outage; ARGS="behind outage" selects parts
	@scripts/backends/test.sh $(ARGS)

.PHONY: test-clients
test-clients: ## test public A2A clients and update docs/clients.md; ARGS="adk" selects clients by prefix
	@scripts/clients.sh $(ARGS)

.PHONY: test-model
test-model: ## test agents with real local models (downloads 1.4 GB once): a streamed conversation, a tool call
	@scripts/model/test.sh

.PHONY: lint
lint: ## check formatting and run clippy, warnings denied
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

.PHONY: fmt
fmt: ## format the sources
	cargo fmt --all

.PHONY: check
check: ## quick checks before a commit: lint, layers, file sizes, licences
	@scripts/check.sh

.PHONY: docs
docs: ## build the API documentation, warnings denied
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

.PHONY: soak
soak: ## run the kill loops: CYCLES (200) rounds of kill -9 under load, then 5 handoffs per round between two Batons
	BATON_SOAK_CYCLES=$(CYCLES) cargo test -p baton --test suite kill_loop -- --nocapture $(ARGS)
	BATON_RELAY_HANDOFFS=$$((5 * $(CYCLES))) cargo test -p baton --test suite relay -- --nocapture $(ARGS)

.PHONY: floods
floods: ## flood Baton on loopback (about four minutes); fails if its health probe is slow or its memory grows
	@scripts/floods.sh $(ARGS)

.PHONY: fuzz
fuzz: ## coverage-guided fuzzing of every wire parser for SECONDS (60) in total
	@scripts/fuzz.sh $(SECONDS) $(ARGS)

.PHONY: guard
guard: ## count the cost of operations and compare it with bench/baseline.json; ARGS="--plant" shows that costs are noticed
	@scripts/guard.sh $(ARGS)

.PHONY: baseline
baseline: ## renew bench/baseline.json: REASON="why the figures change"
	@scripts/guard.sh --renew "$$REASON"

.PHONY: bench
bench: ## benchmark release builds of Baton and its peers, and write bench/RESULTS.md; ARGS="--quick" only prints
	@bench/run.sh $(ARGS)
