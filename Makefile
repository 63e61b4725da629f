# The two commands of the README, and what the workshop needs besides. Everything happens in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test quick lint types contracts unit samples verapdf bench docs lock licences wheel release clean

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

# The daily round, under two minutes: everything but photos, pages in a browser, whole walks, and ports that are waited for.
# A file stays with one worker: what it loads and parses, it loads and parses once.
QUICK := tests/values tests/rulebook tests/judgement tests/inspection tests/capture tests/uncertainty tests/checkin \
    tests/test_house.py tests/test_notices.py tests/test_errors.py tests/test_no_english.py tests/test_docs.py \
    tests/cli/test_judge.py tests/cli/test_spoken_help.py tests/cli/guided/test_session.py --ignore=tests/capture/test_driver.py
quick: lint types contracts
	$(BIN)/pytest -q -n 2 --dist loadfile $(QUICK)

samples: $(VENV)/.installed-dev
	$(BIN)/python -m tests.samples

# veraPDF is heavy (a JDK and a 23 MB jar), so it has its own target; CI runs it.
verapdf: $(VENV)/.installed-dev
	sh tests/verapdf/run.sh $(BIN)/python

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

# The site of docs/, with the reference of the Python names; a dead link or an unknown name is an error.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/mkdocs build --strict --quiet

# The versions and hashes that a release is tested with, for every system and every Python that is promised.
lock: $(VENV)/.installed-release
	$(BIN)/uv pip compile pyproject.toml --extra dask --extra postgres --extra hid --extra bluetooth --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-annotate --quiet --output-file requirements.lock

licences: $(VENV)/.installed-dev
	$(BIN)/pytest -q tests/test_supply_chain.py

# The same bytes from the same commit, on any computer.
wheel: $(VENV)/.installed-release
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --wheel --no-isolation --outdir dist

release: wheel
	cp requirements.lock dist/requirements.txt
	$(BIN)/cyclonedx-py requirements requirements.lock --output-reproducible --of JSON --output-file dist/inspect-kit.cdx.json
	cd dist && sha256sum *.whl requirements.txt inspect-kit.cdx.json > SHA256SUMS

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-release: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[release]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) demo build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
