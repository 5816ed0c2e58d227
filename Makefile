# One command each. Everything runs in .venv, made on first use; nothing outside this folder is touched.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
export PATH := $(CURDIR)/$(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1

.PHONY: demo mirror test check lint type imports format bench clean long

demo: $(VENV)/.ready             ## build the demo release and check every row
	haymaker run --release demo

mirror: $(VENV)/.ready           ## the same from real bAbI and real books; needs HAYMAKER_MIRROR
	haymaker run --release mirror

test: $(VENV)/.dev               ## every test that this machine can run
	pytest -n auto --dist worksteal

long: $(VENV)/.dev               ## the long tests too
	HAYMAKER_LONG=1 pytest -n auto --dist worksteal

check: lint type imports test    ## what CI runs

lint: $(VENV)/.dev
	ruff check .
	ruff format --check .

type: $(VENV)/.dev
	mypy

imports: $(VENV)/.dev
	lint-imports

format: $(VENV)/.dev
	ruff format .
	ruff check --fix .

bench: $(VENV)/.ready            ## speeds as ratios, measured on this machine
	haymaker bench

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Haymaker needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[build]'
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(VENV)/.ready

clean:                           ## remove everything built (data/, not the sources' lock file)
	rm -rf data/raw data/corpora data/indexes data/mined data/labelled data/documents data/prepared data/release data/reports data/tokenizers data/work
