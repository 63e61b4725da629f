# The two commands of the README, and what the workshop needs besides. Everything happens in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types contracts unit samples verapdf bench clean

demo: $(VENV)/.installed
	$(BIN)/inspect-kit demo --out demo

test: lint types contracts unit

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

contracts: $(VENV)/.installed-dev
	$(BIN)/lint-imports

unit: $(VENV)/.installed-dev
	$(BIN)/pytest -n auto

samples: $(VENV)/.installed-dev
	$(BIN)/python -m tests.samples

# veraPDF is heavy (a JDK and a 23 MB jar), so it has its own target; CI runs it.
verapdf: $(VENV)/.installed-dev
	sh tests/verapdf/run.sh $(BIN)/python

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
