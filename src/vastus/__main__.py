"""`python -m vastus` is the command line."""

from vastus.cli import main

main(prog_name="vastus")
