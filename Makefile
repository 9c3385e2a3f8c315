# Each target does its own set-up: a virtual environment in .venv, and system packages if it must.
PYTHON ?= python3
PY := .venv/bin/python
# After the laws the slow folders come first, so that the many quick tests fill both processes to the
# end.
# Tests of pages, of commands and of interrupts mostly wait: three processes keep two cores busy.
PYTEST := .venv/bin/pytest -m 'not slow' --numprocesses 3 --max-worker-restart 2 --dist loadfile --no-loadscope-reorder --durations 25

.PHONY: demo test test-slow bench docs lint clean

demo: .venv/ready-demo
	$(PY) -m vastus demo --output demo

# More than a hundred processes import the same packages: byte code is kept, even where the
# environment asks for none, in the folder of the environment.
test test-slow: export PYTHONDONTWRITEBYTECODE :=
test test-slow: export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/bytecode

# Types and imports are checked beside the tests, which often wait for a browser or a file; what is
# said of them comes last.
test: .venv/ready-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	@(.venv/bin/mypy && .venv/bin/lint-imports) > .venv/types.log 2>&1 & types=$$!; tests=0; \
	$(PYTEST) || tests=$$?; \
	wait $$types; types=$$?; cat .venv/types.log; exit $$((tests ? tests : types))

test-slow: .venv/ready-dev
	.venv/bin/pytest -m slow -o faulthandler_timeout=3600

bench: .venv/ready-bench
	$(PY) benchmarks/laws.py
	$(PY) -m vastus bench --output out/bench --overwrite

docs: .venv/ready-docs
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "Vastus needs Python 3.11 to 3.13; try: make PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv .venv

# Off-screen pictures need Mesa's EGL; Debian and Ubuntu machines without it get it here. Of the ten
# thousand files of the packages a sixth is ever imported, and these are compiled to byte code, which
# would else be made in every run where the environment asks Python to keep none. The pip of a new
# environment is that of its Python, and may take half as long again as a recent one.
.venv/ready-%: pyproject.toml | .venv/bin/python
	@$(PY) -m pip install --quiet --disable-pip-version-check 'pip>=26' || true
	$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[$(EXTRA_$*)]'
	@sh tools/offscreen.sh
	@$(PY) -m vastus warm imports
	@$(if $(filter dev,$*),sh tools/browser.sh,true)
	@touch $@

EXTRA_demo := viz,contact
EXTRA_dev := dev
EXTRA_bench := viz,contact,bench
EXTRA_docs := docs

clean:
	rm -rf .venv build dist site demo
