# Everything that one does with a checkout: `make` lists it.
#
# All of it lives in .venv, installed from hashed lock files, so a second call needs no network. Nothing here starts or
# changes anything outside the checkout, except `make run`, which keeps its games in LANTERLOG_HOME.
# pip's own settings (PIP_*, pip.conf) are honoured.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet

# Any Python from 3.11 on. Left empty, the first one that works is taken.
PYTHON ?=
# More words for the tool behind a target: make test ARGS="-n 2 -k chain", make lock ARGS=--upgrade.
ARGS ?=

# Given on the command line only: a HOST or PORT of the surroundings means something else.
ifeq ($(origin PORT),command line)
export LANTERLOG_PORT := $(PORT)
endif
ifeq ($(origin HOST),command line)
export LANTERLOG_HOST := $(HOST)
endif
# make hands command-line variables to its children; the two above are the ones that count.
unexport PORT HOST PYTHON ARGS

CODE := events projections api migrations
CHECKED := $(CODE) tests

.PHONY: help run install test nightly check format bench lock clean

help: ## list what can be made
	@printf 'Lanterlog\n\n'
	@sed -nE 's/^([a-z]+):.*## (.*)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		while IFS='|' read -r name text; do printf '  make %-9s %s\n' "$$name" "$$text"; done
	@printf '\nVariables: PORT=8123 HOST=127.0.0.1 (run)  PYTHON=python3.12 (first install)\n'
	@printf '           ARGS="..." (run, test, nightly, bench, lock: handed on)\n'
	@printf 'Environment: LANTERLOG_HOME (data folder), DATABASE_URL and MIGRATION_DATABASE_URL (a server of yours)\n'

run: $(VENV)/.run-installed ## install, start PostgreSQL, load the sample games and serve
	@exec $(BIN)/lanterlog serve --samples $(ARGS)

install: $(VENV)/.run-installed ## install only what running needs
	@echo 'Installed in $(VENV)'

# Some hundreds of processes are started for the tests: where bytecode is not kept, each compiles the program anew.
# A worker takes neighbours, and from the other one what is left at the end: what a file's tests share is made once.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal

test: $(VENV)/.dev-installed ## install the test tools and run every test
	@exec $(PYTEST) $(ARGS)

nightly: $(VENV)/.dev-installed ## run every test, the slow ones too, with far more random examples
	@exec env HYPOTHESIS_PROFILE=nightly $(PYTEST) -m "nightly or not nightly" -o faulthandler_timeout=7200 $(ARGS)

check: $(VENV)/.dev-installed ## format, lint, types, import directions, migrations
	@step() { printf '%-20s' "$$1"; shift; \
		if output="$$("$$@" 2>&1)"; then echo ok; else echo failed; printf '%s\n' "$$output"; failed=1; fi; }; \
	: 'As root, PostgreSQL runs as another user, to whom a folder of mktemp is closed.'; \
	migrations() { local home rc=0; home="$$(mktemp -d "$${TMPDIR:-/tmp}/lanterlog-check.XXXXXX")"; chmod 755 "$$home"; \
		migrate() { env -u DATABASE_URL -u MIGRATION_DATABASE_URL -u WORKER_DATABASE_URL LANTERLOG_HOME="$$home" \
			$(BIN)/python -m api.cli migrate "$$@"; }; \
		{ migrate && migrate --check; } || rc=$$?; \
		rm -rf "$$home"; return $$rc; }; \
	failed=0; \
	step 'format' $(BIN)/ruff format --check $(CHECKED); \
	step 'lint' $(BIN)/ruff check $(CHECKED); \
	step 'types' $(BIN)/mypy --strict; \
	step 'import directions' $(BIN)/lint-imports; \
	step 'migrations' migrations; \
	exit $$failed

format: $(VENV)/.dev-installed ## let ruff format the code and mend what it safely can
	@$(BIN)/ruff format --quiet $(CHECKED)
	@$(BIN)/ruff check --fix --quiet $(CHECKED)

bench: $(VENV)/.bench-installed ## measure against PostgreSQL alone and the eventsourcing package
	@exec $(BIN)/lanterlog bench $(ARGS)

# On the oldest Python that is supported, since that one needs the most.
COMPILE := CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe \
	--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options

lock: $(VENV)/.dev-installed ## work the lock files out again (ARGS=--upgrade: newest releases)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "make lock needs a .venv of Python 3.11")'
	@$(COMPILE) $(ARGS) --build-deps-for wheel --output-file requirements.lock pyproject.toml
	@$(COMPILE) $(ARGS) --build-deps-for wheel --extra dev --constraint requirements.lock \
		--output-file requirements-dev.lock pyproject.toml
	@$(COMPILE) $(ARGS) --build-deps-for wheel --extra bench --constraint requirements-dev.lock \
		--output-file requirements-bench.lock pyproject.toml

clean: ## delete .venv and what tools leave behind (games in LANTERLOG_HOME stay)
	@rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find $(CHECKED) -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than what it was installed from. The larger locks contain the smaller ones.
$(VENV)/.run-installed: requirements.lock pyproject.toml $(VENV)/.made
	$(call install,requirements.lock,what running needs)
	@touch $@

$(VENV)/.dev-installed: requirements-dev.lock pyproject.toml $(VENV)/.made
	$(call install,requirements-dev.lock,the test tools)
	@touch $(VENV)/.run-installed $@

$(VENV)/.bench-installed: requirements-bench.lock $(VENV)/.run-installed
	$(call install,requirements-bench.lock,what the bench compares with)
	@touch $@

# The project itself is a link to this folder: built with the locked setuptools, so that nothing unhashed is fetched.
define install
@echo 'Installing $(2) into $(VENV) ...'
@$(PIP) install --require-hashes --requirement $(1)
@$(PIP) install --no-deps --no-build-isolation --editable .
endef

$(VENV)/.made:
	@works() { "$$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }; \
	for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
		if works "$$python"; then \
			"$$python" -m venv $(VENV); \
			touch $@; exit 0; \
		fi; \
	done; \
	echo 'No Python 3.11 or newer with its venv module found (tried: $(or $(PYTHON),python3, python3.14 to python3.11)).' >&2; \
	echo 'Install one (Debian: apt-get install python3-venv) or name it: make PYTHON=/path/to/python3.12' >&2; \
	exit 1
