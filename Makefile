# The recipes that people and CI use; `make` alone lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Extra arguments for `make run`, `make test-backends`, `make test-clients`, `make floods`, `make soak` and `make fuzz`: make run ARGS="--once"
ARGS ?=
CYCLES ?= 200
SECONDS ?= 60

.PHONY: help
help: ## list the recipes
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-13s %s\n", $$1, $$2 }'

.PHONY: run
run: ## build (dev profile) and run `baton demo`: two agents on loopback, until Ctrl-C
	cargo run -p baton -- demo $(ARGS)

.PHONY: test
test: ## everything that must hold, with the time of each stage
	@scripts/test.sh

.PHONY: test-backends
test-backends: ## a real OpenTelemetry Collector and Arize Phoenix, and an outage; ARGS="behind outage" runs some of it
	@scripts/backends/test.sh $(ARGS)

.PHONY: test-clients
test-clients: ## public A2A clients, each counted how often it shows an answer; writes docs/clients.md; ARGS="adk" runs some
	@scripts/clients.sh $(ARGS)

.PHONY: test-model
test-model: ## agents on real models that are fetched once (1.4 GB) and run here: a streamed conversation, a tool call
	@scripts/model/test.sh

.PHONY: lint
lint: ## format check and clippy, warnings denied
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

.PHONY: fmt
fmt: ## format the sources
	cargo fmt --all

.PHONY: check
check: ## the quick checks before a commit: lint, layers, sizes, licences
	@scripts/check.sh

.PHONY: docs
docs: ## build the API documentation, warnings denied
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

.PHONY: soak
soak: ## the kill loops: CYCLES (200) rounds of kill -9 under load, then 5 handoffs a round between two Batons
	BATON_SOAK_CYCLES=$(CYCLES) cargo test -p baton --test suite kill_loop -- --nocapture $(ARGS)
	BATON_RELAY_HANDOFFS=$$((5 * $(CYCLES))) cargo test -p baton --test suite relay -- --nocapture $(ARGS)

.PHONY: floods
floods: ## floods the built Baton on loopback, about four minutes; fails if its health probe is slow or its memory grows
	@scripts/floods.sh $(ARGS)

.PHONY: fuzz
fuzz: ## coverage-guided fuzzing of every wire parser for SECONDS (60) in all
	@scripts/fuzz.sh $(SECONDS) $(ARGS)

.PHONY: bench
bench: ## release builds of Baton and its peers, measured side by side
	@bench/run.sh $(ARGS)
