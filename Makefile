# `make run` and `make test` set up everything they need by themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEVELOP := $(VENV)/.develop
# Kernels are seen by the tracing as plain Python, for which `tests/uncompiled` runs them so.
# Laws and papers compute at length and are left out of the tracing, which would triple their time.
PYTEST := $(BIN)/python -m pytest -q -rs -n 2 -m "not slow"

.DEFAULT_GOAL := help
.PHONY: help run test test-slow check format pictures bench clean

help:            ## say what the targets do
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

run: $(RUNTIME)  ## show the Kehl arm: pose, holding torques, both elbows, reach, and how it falls
	@$(BIN)/ulna pose kehl --q "40 deg, -60 deg"
	@$(BIN)/ulna hold kehl --q "40 deg, -60 deg"
	@$(BIN)/ulna reach kehl --to "0.6, 0.3"
	@$(BIN)/ulna simulate kehl --q0 "40 deg, -60 deg" --for "2 s"
	@echo
	@echo "Try next:  $(BIN)/ulna simulate kehl --q0 '40 deg, -60 deg' --for '5 s' --film kehl.mp4    $(BIN)/ulna hold kehl --q '40 deg, -60 deg' --explain    $(BIN)/ulna derive    $(BIN)/ulna --help"

test: $(DEVELOP)  ## run the tests, with branch coverage
	@$(BIN)/python tools/compile.py
	@NUMBA_DISABLE_JIT=1 $(PYTEST) tests/uncompiled --cov --cov-report= --cov-fail-under=0
	@$(PYTEST) tests/unit tests/docs --cov --cov-append --cov-report=term
	@$(PYTEST) tests/laws tests/crosscheck tests/papers

test-slow: $(DEVELOP)  ## run the tests that take minutes
	@$(BIN)/python -m pytest -q -n 2 -m slow || [ $$? -eq 5 ]

check: $(DEVELOP)  ## lint, types, import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(DEVELOP)  ## put the code into the project's format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

pictures: $(RUNTIME)  ## remake the pictures that README and docs show
	@$(BIN)/python tools/pictures.py

bench: $(DEVELOP)  ## measure how long things take, beside other engines
	@$(BIN)/python benchmarks/kinematics.py
	@$(BIN)/python benchmarks/simulation.py
	@$(BIN)/python benchmarks/following.py

clean:           ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage

$(RUNTIME): pyproject.toml tools/setup.py
	@$(PYTHON) tools/setup.py $(VENV) . $(PYTHON)
	@touch $@

$(DEVELOP): pyproject.toml tools/setup.py
	@$(PYTHON) tools/setup.py $(VENV) ".[dev]" $(PYTHON)
	@touch $(RUNTIME) $@
