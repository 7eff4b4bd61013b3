# Everything runs from .venv, which the first use of any target creates.
PYTHON ?= python3
BIN := .venv/bin
EXTRAS ?= dev
comma := ,
# every core; files stay whole on one as long as nobody is idle
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# what one process compiles is compiled for all, kernels and byte code alike
unexport PYTHONDONTWRITEBYTECODE
STAMP := .venv/.installed-$(subst $(comma),-,$(EXTRAS))

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	touch $@

setup: $(STAMP)  ## create .venv with the console script .venv/bin/sixprime

demo: setup  ## a server, two bots and a rated match, nothing else needed
	$(BIN)/sixprime demo

play:  ## a board to play on in the browser (installs the extra `web`)
	$(MAKE) --no-print-directory EXTRAS=dev,web setup
	$(BIN)/sixprime web

test: setup  ## the whole test suite, on every core
	$(BIN)/sixprime warmup
	$(PYTEST) -m 'not slow'

test-slow: setup  ## the tests that take minutes
	$(BIN)/python -m pytest -m slow

check: lint types  ## the inner loop: format, lint, types, and the tests that are quick; two minutes
	$(PYTEST) -m 'not slow and not gnubg and not patient' -x

lint: setup  ## ruff: format and rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup  ## mypy, strict
	$(BIN)/mypy

train-smoke:  ## two minutes of training that show that it learns (installs torch)
	$(MAKE) --no-print-directory EXTRAS=dev,train setup
	$(BIN)/sixprime train smoke

docs:  ## the pages of docs/ as a site in docs/site (installs the extra `docs`)
	$(MAKE) --no-print-directory EXTRAS=dev,docs setup
	$(BIN)/python -m sphinx -q -W -b html docs docs/site

figures: setup  ## measure the figures of docs/ again, as far as ARGS="--minutes 5" go
	$(BIN)/python -m tests.support.docs.figures $(ARGS)

texts: setup  ## find the texts of the pages; fails while a language lacks one (bot/web/locale)
	$(BIN)/python -m tests.support.web.texts

bench: setup  ## one JSON object of speeds
	$(BIN)/sixprime bench

.PHONY: help setup demo play test test-slow check lint types train-smoke docs figures texts bench
