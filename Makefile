# Two commands do all the set-up: `make run` and `make test`.
GO      ?= go
export CGO_ENABLED ?= 0
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  = -s -w -X main.version=$(VERSION)
TOOL     = $(GO) run -modfile=tools/go.mod

# SQLite, translated from C, is not watched for races: it locks by itself, and takes seven times as long when it is. Only that
# package: what is not watched must have no generic functions, as the linker may take its copy of them for everybody's.
UNWATCHED = -gcflags='modernc.org/sqlite/lib=-race=false'

.PHONY: run build test check bench accuracy histories vectors golden clean

run: build ## build, and serve on SQLite at http://127.0.0.1:8470
	./bin/feedonce serve

build:
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/feedonce ./cmd/feedonce

test: ## everything CI runs; installs what the tests need (PostgreSQL, a C compiler for -race, browsers and readers) with apt
	sh scripts/test-tools
	$(MAKE) check
	CGO_ENABLED=1 $(GO) test -race $(UNWATCHED) -timeout 14m ./...

check: ## formatting, vet, staticcheck, known vulnerabilities
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) test -C tools ./...
	$(TOOL) honnef.co/go/tools/cmd/staticcheck ./...
	sh scripts/govulncheck

bench: ## Go benchmarks, in a form for benchstat
	$(GO) test -run '^$$' -bench . -benchmem -count 5 ./...

accuracy: ## how well simulated publishers' articles are told apart, beside six simpler strategies; fails when a gate is missed
	$(GO) run ./cmd/feedonce-accuracy

histories: ## the same on real feed histories, in ../shared/corpus or FEEDONCE_CORPUS
	$(GO) run ./cmd/feedonce-histories

vectors: ## export the decision cases as JSON, for implementations in other languages
	$(GO) test ./dedup -run Vectors -update

golden: ## rewrite golden files from what the code does now; read the diff before you commit it
	$(GO) test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -run 'Golden|Case|Corpus|Script|History|Vectors|Rules' -update

clean:
	rm -rf bin dist
