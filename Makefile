# Countersign. `make` lists what can be made.
SHELL := /bin/bash
GO ?= go
PKG ?= ./...
RACE ?= $$($(GO) list ./... | grep -v /e2e$$)

.DEFAULT_GOAL := help
.PHONY: help demo build test quick deps verify generate fmt bench bench-pages load fuzz soak race vuln clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## run the demo: an embedded database, three sample servers, one sign-in link
	$(GO) run ./cmd/countersign demo

build: ## build the one binary into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/countersign ./cmd/countersign

test: deps ## pass every test, bringing what they need and this machine lacks
	scripts/with-postgres $(GO) test -timeout 40m $(PKG)

quick: ## pass the tests that need nothing but Go
	$(GO) test $(PKG)

deps: ## bring PostgreSQL, Chromium, Node.js and the npm packages of the tests
	scripts/deps

verify: ## prove that formats, generated files and dependencies are as committed
	scripts/verify

generate: ## generate the code of the pages
	$(GO) tool templ generate -path views -log-level error

fmt: ## format everything
	gofmt -w $$(git ls-files '*.go' | grep -v _templ.go)
	$(GO) tool templ fmt -log-level error views

bench: ## run the benchmarks; compare two runs with benchstat
	scripts/with-postgres $(GO) test -run '^$$' -bench . -benchmem $(PKG)

bench-pages: ## measure in a browser what a reviewer of 200 changed tools waits for
	$(GO) test -run '^$$' -bench Pages -benchtime 9x -timeout 30m ./e2e

load: build ## drive the real binary with a long history and many readers; see docs/performance.md
	scripts/load bin/countersign

fuzz: ## fuzz everything that reads bytes, FUZZTIME (default 30s) each
	scripts/fuzz

soak: ## the long rounds of the fault tests
	COUNTERSIGN_SOAK=1 scripts/with-postgres $(GO) test -timeout 3h -run 'Kill|Race|Soak|EveryColumn|EveryKey|Image|PullRequests' -v $(PKG)

race: ## pass the tests but those in browsers with the race detector; needs a C compiler. One package: RACE=./store
	CGO_ENABLED=1 scripts/with-postgres $(GO) test -race -vet=off -timeout 2h $(RACE)

vuln: ## look for known vulnerabilities (asks an online database)
	$(GO) run golang.org/x/vuln/cmd/govulncheck@latest ./...

clean: ## remove what was made
	rm -rf bin data e2e/node_modules
