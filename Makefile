# The commands of development. `make help` lists them.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
FUZZTIME    ?= 30s
LIMIT       := 36000000

export CGO_ENABLED ?= 0

.PHONY: build check test bubblewrap race mcp-clients lsp-neovim lsp-node lint update fuzz pictures bench time cover cross demo help

build: ## build ./skills
	go build -trimpath -o skills .

check: lint race ## everything CI checks: gofmt, vet, staticcheck, race tests, tidy, our own skills
	go mod tidy -diff
	go run . validate --strict testdata/skills

test: ## the tests
	go test ./...

bubblewrap: ## download bubblewrap for the tests, where it is not installed (Debian, Ubuntu)
	bash ci/bubblewrap.sh

mcp-clients: ## real clients from npm use skills mcp (skips without npm)
	ci/mcp-clients.sh

skill-creator: ## skill-creator's own scripts read a workspace of skills eval; DIR is a checkout of it
	ci/skill-creator.sh $(DIR)

lsp-neovim: ## Neovim uses skills lsp (skips without it; NVIM names the programs)
	ci/lsp-neovim.sh $(NVIM)

lsp-node: ## the protocol's client for Node.js uses skills lsp (skips without npm)
	ci/lsp-node.sh

race: ## the tests with the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race ./...

lint: ## gofmt, vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -d .; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...

update: ## rewrite golden files, expected outputs and the README's generated parts
	go test $$(grep -rlE 'filetest\.(Golden|Update)' --include="*_test.go" . | xargs -n 1 dirname | sort -u) -update

pictures: ## draw the terminals in docs/*.svg again (on Linux, with bubblewrap)
	go test ./cmd -run TestReadmePictures -update

fuzz: ## every fuzz target for FUZZTIME
	@grep -rl '^func Fuzz' --include='*_test.go' . | while read -r f; do \
		for t in $$(sed -n 's/^func \(Fuzz[A-Za-z]*\).*/\1/p' "$$f"); do \
			echo "== $$f $$t"; go test "./$$(dirname "$$f")" -run '^$$' -fuzz "^$$t$$" -fuzztime $(FUZZTIME) || exit 1; \
		done; done

bench: ## the benchmarks
	go test ./... -run '^$$' -bench . -benchmem

time: build ## whole processes, in turn with what they are compared with (see ci/bench.py)
	go build -trimpath -o dist/bareclient ./cmd/testdata/bareclient
	BARE=dist/bareclient python3 ci/bench.py

cover: ## coverage of internal/
	go test ./... -coverpkg ./internal/... -coverprofile /dev/stdout | go tool cover -func /dev/stdin | tail -n 1

cross: ## build for every platform, without cgo, and check the size of the stripped binary
	@for p in $(PLATFORMS); do \
		out=dist/skills-$${p%/*}-$${p#*/}; \
		GOOS=$${p%/*} GOARCH=$${p#*/} go build -trimpath -ldflags '-s -w' -o $$out . || exit 1; \
		size=$$(wc -c < $$out); echo "$$out $$size bytes"; \
		test $$size -le $(LIMIT) || { echo "larger than $(LIMIT) bytes"; exit 1; }; \
	done

demo: ## the built-in demo
	go run . run --demo

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
