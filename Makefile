# One command each. Everything runs in .venv, made on first use; nothing outside this folder is touched.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
export PATH := $(CURDIR)/$(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1

.PHONY: demo mirror test test-near gpu mutations check lint type imports format bench clean long constraints dag docs reference

demo: $(VENV)/.ready             ## build the demo release and check every row
	haymaker run demo

mirror: $(VENV)/.ready           ## the same from real bAbI and real books; needs HAYMAKER_MIRROR
	haymaker run mirror

test: $(VENV)/.dev               ## every test that this machine can run
	pytest -n auto --dist worksteal

test-near: $(VENV)/.dev          ## the test files that import what changed since main
	pytest -n auto --dist worksteal $$(python -m devtools.tests_near)

gpu: $(VENV)/.dev                ## on a machine with a GPU: checks, tests and speeds, about six minutes
	haymaker doctor --gpu
	pytest -n 0 -m gpu
	haymaker dev bench retrieval

mutations: $(VENV)/.dev          ## damage 40 functions, one at a time: a test must fail for each
	python -m devtools.mutations

long: $(VENV)/.dev               ## the slow tests too
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

dag: $(VENV)/.ready              ## the pipeline
	dvc dag

bench: $(VENV)/.ready            ## speeds as ratios, measured on this machine
	haymaker dev bench

reference: $(VENV)/.ready        ## the generated pages of docs/reference/
	python -m devtools.reference_pages

docs: $(VENV)/.docs              ## the docs site in site/; a broken link or anchor is an error
	python devtools/site_source.py build/docs
	zensical build --strict --clean

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Haymaker needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)

# Every file that is installed has one of the SHA-256 in requirements/; what comes as source is built by the setuptools named there.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation
HASHED := $(INSTALL) --require-hashes --requirement
INSTALLED := $(BIN)/python -m pip check --quiet

$(VENV)/.ready: pyproject.toml requirements/build.txt requirements/setuptools.txt | $(VENV)/bin/python
	$(HASHED) requirements/setuptools.txt
	$(HASHED) requirements/build.txt
	$(INSTALL) --editable .
	$(INSTALLED)
	touch $@

$(VENV)/.dev: pyproject.toml $(wildcard requirements/*.txt) | $(VENV)/bin/python
	$(HASHED) requirements/setuptools.txt
	$(HASHED) requirements/dev.txt
	$(HASHED) requirements/torch-cpu.txt 2>/dev/null || $(HASHED) requirements/torch.txt  # without libraries for graphics cards where there is such a build
	$(INSTALL) --editable .
	$(INSTALLED)
	touch $@ $(VENV)/.ready

$(VENV)/.docs: requirements/docs.txt | $(VENV)/bin/python
	$(HASHED) requirements/docs.txt
	touch $@

COMPILE := uv pip compile --quiet --universal --python-version 3.11 --constraint constraints.txt --generate-hashes --no-annotate \
	--custom-compile-command 'make constraints' --no-emit-index-url --no-emit-find-links --output-file

constraints:                     ## requirements/ from pyproject.toml and the versions in constraints.txt; needs uv
	echo 'setuptools>=77' | $(COMPILE) requirements/setuptools.txt -
	$(COMPILE) requirements/build.txt pyproject.toml --extra build
	$(COMPILE) requirements/dev.txt pyproject.toml --extra dev --no-emit-package torch
	$(COMPILE) requirements/docs.txt --group docs
	echo 'torch' | $(COMPILE) requirements/torch.txt - --no-config

clean:                           ## remove everything built (data/, not the sources' lock file)
	rm -rf data/raw data/corpora data/indexes data/retrieval_sets data/classification_sets data/documents data/stages data/releases data/reports data/counts data/tokenizers data/work
