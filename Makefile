# levelgen. `make` sets everything up, builds the two reference packs and verifies them; `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := all
MAKEFLAGS += --no-print-directory
.NOTPARALLEL:

PACKS := eram tilematch
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(filter-out %/_kernel.c,$(wildcard levelgen/solve/kernel/*.[ch] levelgen/solve/kernel/ffibuild.py))

# The first Python on the PATH that is new enough; `make PYTHON=/path/to/python` decides otherwise.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11 python,\
	$(shell $(name) -c '$(NEW_ENOUGH)' 2>/dev/null && echo $(name))))

.PHONY: all
all: packs verify gallery ## set up, build and verify the reference packs (what a plain `make` does)

.PHONY: setup
setup: $(VENV)/installed ## set up .venv/ and the compiled kernel; does nothing when nothing changed

.PHONY: packs
packs: setup ## build the reference packs into out/
	@for pack in $(PACKS); do \
		$(BIN)/levelgen build templates/packs/$$pack.yaml -o out/$$pack; \
		$(BIN)/levelgen sheet out/$$pack -o out/$$pack.png; \
	done

.PHONY: verify
verify: setup ## verify the reference packs: signatures, tree, every certificate
	@for pack in $(PACKS); do $(BIN)/levelgen verify --certified out/$$pack; done

.PHONY: gallery
gallery: setup ## write the galleries of the reference packs, and say which file to open
	@for pack in $(PACKS); do $(BIN)/levelgen gallery out/$$pack -o out/$$pack.html >/dev/null; done
	@echo "open in a browser: $(CURDIR)/out/$(firstword $(PACKS)).html"

.PHONY: test
test: setup ## run the whole test suite (`make test ARGS="-k shuffle"` runs a part)
	@$(BIN)/python -m pytest -n auto $(ARGS)

.PHONY: lint
lint: setup ## ruff, mypy in strict mode, and levelgen's own lint of templates, recipes and face sets
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/levelgen lint

.PHONY: format
format: setup ## format the code and mend what ruff can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: diff
diff: setup ## build the reference packs anew, elsewhere, and compare them with out/
	@fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
	for pack in $(PACKS); do \
		$(BIN)/levelgen build templates/packs/$$pack.yaml --no-cache -o "$$fresh/$$pack"; \
		$(BIN)/levelgen diff "out/$$pack" "$$fresh/$$pack"; \
	done

.PHONY: golden
golden: setup ## write the committed golden files and reference packs anew, and say what changed
	@$(MAKE) packs
	@$(BIN)/python -m pytest -q --golden
	@git --no-pager diff --stat -- tests out || true

.PHONY: harden
harden: setup ## the kernel under -Werror, sanitizers, a short fuzz run and Valgrind (needs gcc, clang, valgrind)
	@tests/kernel/harden.sh

.PHONY: bench
bench: setup ## print the figures levelgen promises, measured here
	@for bench in tests/bench/bench_*.py; do $(BIN)/python "$$bench"; done

.PHONY: lock
lock: ## pin every dependency anew in constraints.txt (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv: pip install uv" >&2; exit 1; }
	@env -u PIP_FIND_LINKS UV_NO_CONFIG=1 uv pip compile pyproject.toml --quiet --all-extras --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" --upgrade --output-file constraints.txt

.PHONY: clean
clean: ## remove what make made, but not out/
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f levelgen/solve/kernel/_kernel.c levelgen/solve/kernel/*.so levelgen/solve/kernel/*.o
	find levelgen artwork tests -name __pycache__ -prune -exec rm -rf {} +

.PHONY: help
help: ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1|\2/p' Makefile | column -t -s '|' 2>/dev/null \
		|| sed -nE 's/^([a-z]+):.*## (.*)/  make \1: \2/p' Makefile

# Everything pinned, with hashes. Then levelgen itself, with what is pinned: nothing else is fetched. The compat mode is a
# plain path entry; the other one costs every start 20 ms.
$(VENV)/locked: constraints.txt
	@[ -n "$(PYTHON)" ] || { echo "levelgen needs Python 3.11 or newer: install it (Debian: apt-get install python3 python3-venv)" >&2; exit 1; }
	@$(PYTHON) -c '$(NEW_ENOUGH)' || { echo "levelgen needs Python 3.11 or newer, and $(PYTHON) is older" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "levelgen needs Python's venv module: install it (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@$(PYTHON) setup.py check-machine
	@echo "setting up $(VENV) (a minute or two) …"
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --require-hashes -r constraints.txt
	@touch $@

$(VENV)/installed: $(VENV)/locked pyproject.toml setup.py $(KERNEL)
	@$(BIN)/python setup.py check-machine
	@echo "compiling the kernel …"
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		--config-settings editable_mode=compat --editable .
	@touch $@
