# `make run` and `make test` set up everything they need by themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEVELOP := $(VENV)/.develop
NOTEBOOKS := $(VENV)/.notebooks
# A file is run by one process, so that what its tests share is made once; tests/conftest.py says which go first, and
# which are left out of the coverage. Without its bytecode every process would compile the package and rewrite the tests again.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -rs -n 2 --dist loadfile --no-loadscope-reorder
UNCOMPILED := NUMBA_DISABLE_JIT=1 $(PYTEST) tests/uncompiled
# Builds the viewer if its sources have changed; without Node or network it says so and goes on, except under CI=true.
VIEWER := $(BIN)/python tools/viewer.py --install

.DEFAULT_GOAL := help
.PHONY: help run papers test test-docs test-papers coverage test-slow check format pictures bench performance wheel clean

help:            ## say what the targets do
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

run: $(RUNTIME)  ## plan loops on a circle, and follow them open loop and closed
	@$(VIEWER)
	@$(BIN)/ulna follow --out build/follow --overwrite
	@echo
	@echo "Open build/follow/report.html in a browser. An arm to play with, in one file:"
	@echo "  $(BIN)/ulna play --out build/arm.html"
	@echo "Try next:"
	@echo "  $(BIN)/ulna follow kehl --payload '1 kg' --controller-model kehl --out build/surprise --film"
	@echo "  $(BIN)/ulna follow so-101 --timing s-curve --max-speed '10 cm/s' --out build/so-101"
	@echo "  $(BIN)/ulna list paths    $(BIN)/ulna list controllers    $(BIN)/ulna --help"
	@echo "  make papers"

papers: $(RUNTIME)  ## compute the five papers again, into pages in build/papers
	@$(VIEWER)
	@$(BIN)/python -m papers --overwrite

test: $(DEVELOP)  ## run the tests
	@$(VIEWER) build test
	@$(BIN)/ulna compile
	@$(PYTEST) -m "not (check or docs or slow)" --ignore tests/uncompiled --ignore tests/papers

test-docs: $(DEVELOP)  ## run every command and block of the docs, every example and the notebook
	@$(VIEWER)
	@$(PYTEST) -m docs tests/docs

test-papers: $(DEVELOP)  ## test the five papers: their numbers, their errata, their pages
	@$(VIEWER)
	@$(PYTEST) -m "not slow" tests/papers

coverage: $(DEVELOP)  ## run kernels as plain Python, the unit tests once more, and say which branches they do not take
	@$(VIEWER)
	@# Kernels are seen by the tracing as plain Python only.
	@$(UNCOMPILED) --cov --cov-report= --cov-fail-under=0
	@$(PYTEST) -m "not (check or slow)" tests/unit --cov --cov-append --cov-report=term

test-slow: $(NOTEBOOKS)  ## run the tests that take minutes, notebooks in JupyterLab and marimo among them
	@$(VIEWER)
	@$(PYTEST) --dist load -m slow || [ $$? -eq 5 ]

check: $(DEVELOP)  ## lint, types, import contracts, public names, docstrings
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(VIEWER) check
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -p no:xdist -m check tests/typing $(wildcard tests/unit/*.py)

format: $(DEVELOP)  ## put the code into the project's format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

pictures: $(DEVELOP)  ## remake the pictures and the gallery that README and docs show
	@$(BIN)/python tools/pictures.py
	@$(BIN)/python tools/gallery.py --pictures
	@$(BIN)/python -m papers.errata
	@$(BIN)/python tools/rooms.py

bench: $(DEVELOP)  ## measure how long things take, beside other engines
	@$(VIEWER)
	@$(BIN)/python benchmarks/kinematics.py
	@$(BIN)/python benchmarks/calls.py
	@$(BIN)/python benchmarks/simulation.py
	@$(BIN)/python benchmarks/timing.py
	@$(BIN)/python benchmarks/following.py
	@$(BIN)/python benchmarks/batch.py
	@$(BIN)/python benchmarks/friction.py
	@$(BIN)/python benchmarks/motors.py
	@$(BIN)/python benchmarks/portrait.py
	@$(BIN)/python benchmarks/sweep.py
	@$(BIN)/python benchmarks/viewer.py
	@$(BIN)/python benchmarks/playground.py
	@$(BIN)/python benchmarks/cold_start.py
	@echo
	@echo "To put these figures into README's table and docs/performance.json: make performance"

performance: $(DEVELOP)  ## write the table in README from what bench measured
	@$(BIN)/python tools/performance.py

wheel: $(DEVELOP)  ## build a wheel for this system, with kernels typed beforehand, into dist/
	@$(BIN)/python tools/wheel.py

clean:           ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	rm -rf web/node_modules src/ulna/viewer/built

$(RUNTIME): pyproject.toml tools/setup.py
	@$(PYTHON) tools/setup.py $(VENV) ".[draw,films]" $(PYTHON)
	@touch $@

$(NOTEBOOKS): $(DEVELOP)
	@$(PYTHON) tools/setup.py $(VENV) ".[dev,notebook-test]" $(PYTHON)
	@touch $@

$(DEVELOP): pyproject.toml tools/setup.py
	@$(PYTHON) tools/setup.py $(VENV) ".[dev]" $(PYTHON)
	@touch $(RUNTIME) $@
