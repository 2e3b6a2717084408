# Each target is one visible command. `make` alone prints what there is.
SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION   ?= $(shell git -c safe.directory="$(CURDIR)" describe --tags --always --dirty 2>/dev/null || echo dev)
DATA      ?= ./data
LISTEN    ?= 127.0.0.1:7077
FUZZTIME  ?= 10s
BENCHTIME ?= 200ms
N         ?= 100000
PKG       ?= ./...
TARGETS   ?= linux/arm64 darwin/arm64 windows/amd64

# All that is built, tested and inspected is compiled in one way, so that each package, with those of others, is compiled once.
export CGO_ENABLED := 0
export GOFLAGS     := $(filter-out -trimpath,$(GOFLAGS)) -trimpath

TOOLS := $(CURDIR)/bin/tools
LINT  := golangci-lint
LINT_VERSION := v2.15.0

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Build and serve (DATA=./data LISTEN=127.0.0.1:7077)
	./bin/lukasa serve --data $(DATA) --listen $(LISTEN)

.PHONY: build
build: ## Build the one static binary, bin/lukasa
	go build -buildvcs=false -ldflags="-s -w -X main.version=$(VERSION)" -o bin/lukasa ./cmd/lukasa

.PHONY: test
test: servers ## Run all tests (PKG=./...), with the servers that are at hand; one package more at a time than there are cores, as some wait
	. bin/servers/env && go test -vet=off -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -timeout 30m -json $(PKG) 2>&1 | go run ./scripts/testsum

.PHONY: clients-test
clients-test: build ## Test the clients in TypeScript and Python alone (part of make test too)
	LUKASA_TEST_BINARY=$(CURDIR)/bin/lukasa clients/test.sh core

.PHONY: clients-integrations
clients-integrations: build ## Test the clients with the packages of others, from PyPI and npm (NAMES="langchain crewai"; the first time it installs 2 GB)
	LUKASA_TEST_BINARY=$(CURDIR)/bin/lukasa clients/test.sh integrations $(NAMES)

.PHONY: clients-generate
clients-generate: build ## Write again what the clients derive from clients/verbs.json and the OpenAPI
	clients/generate.py

.PHONY: race
race: servers ## Run all tests under the race detector (needs a C compiler)
	. bin/servers/env && CGO_ENABLED=1 go test -vet=off -race -timeout 60m -json $(PKG) 2>&1 | go run ./scripts/testsum

.PHONY: servers
servers: ## Prepare what some tests need and may be installed here; see scripts/servers.sh
	scripts/servers.sh start

.PHONY: check
check: vet layout lint test verify tidy ## Everything that must be green before a change is accepted

.PHONY: vet
vet: ## Run go vet
	go vet ./...

.PHONY: layout
layout: ## Check the layers, the limits and the guides (layout_test.go), and that each dependency has its reason
	go test -count=1 -run 'Layout|Dependencies' .

.PHONY: lint
lint: $(TOOLS)/$(LINT)-$(LINT_VERSION) ## Run golangci-lint (the first time it is built, which takes minutes)
	$(TOOLS)/$(LINT) run $(PKG)

.PHONY: fmt
fmt: $(TOOLS)/$(LINT)-$(LINT_VERSION) ## Format the sources
	$(TOOLS)/$(LINT) fmt

$(TOOLS)/$(LINT)-$(LINT_VERSION):
	@echo "building golangci-lint $(LINT_VERSION) into bin/tools: this takes two to six minutes, once"
	GOBIN=$(TOOLS) GOFLAGS=-trimpath go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	touch $@

.PHONY: bench
bench: ## Run every benchmark for a moment (PKG=./... BENCHTIME=200ms)
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(PKG) | grep -v -e '^?' -e 'no test files' -e '^PASS$$'

.PHONY: bench-peers
bench-peers: ## Run the same searches on lukasa's index and on other engines (N=20000, ARGS=-words=made-up; needs a C compiler)
	if [ -f bin/servers/env ]; then . bin/servers/env; fi; CGO_ENABLED=1 bench/run.sh -n $(N) $(ARGS)

.PHONY: eval
eval: build ## Measure recall on a data file (DATA=path/to/file.jsonl; otherwise a small sample); see docs/evaluating.md
	./bin/lukasa bench recall $(if $(filter file,$(origin DATA)),bench/testdata/sample.jsonl,$(DATA))

.PHONY: answers
answers: build ## Ask for saved facts beside foreign chat and documents (FILE=answers.jsonl NOISE=folder); see docs/evaluating.md
	bench/answers/run.sh "$(FILE)" "$(NOISE)" $(ARGS)

.PHONY: arm64
arm64: ## Run for arm64, under qemu where need be, the tests of what has assembly or reads memory as it is
	scripts/arm64.sh

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME=10s (PKG narrows it: PKG=./internal/text)
	scripts/fuzz.sh $(FUZZTIME) $(PKG)

.PHONY: cover
cover: ## Measure which statements the tests reach; the detail goes to cover.out
	@mkdir -p bin
	go test -coverpkg=./... -coverprofile=cover.out $(PKG) > bin/cover.log || { cat bin/cover.log; exit 1; }
	go tool cover -func=cover.out | tail -1

.PHONY: generate
generate: ## Write again what is derived from the sources
	go generate ./...

.PHONY: verify
verify: ## See that what is derived from the sources is up to date
	scripts/verify.sh

.PHONY: tidy
tidy: ## See that go.mod lists what is used, and that the module graph resolves
	go mod tidy -diff

.PHONY: cross
cross: ## Build for other systems (TARGETS="linux/arm64 darwin/arm64 windows/amd64"; GCFLAGS="all=-N -l" does not optimize, in half the time)
	for t in $(TARGETS); do echo "build for $$t"; GOOS=$${t%/*} GOARCH=$${t#*/} go build -buildvcs=false $(if $(GCFLAGS),-gcflags="$(GCFLAGS)") ./... ; done
