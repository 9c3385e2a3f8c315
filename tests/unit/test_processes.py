"""A process of our own does not run an unguarded script a second time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from patience import patience

SCRIPT = """\
import os
from vastus.processes import prepared, start
print("once", flush=True)
process = prepared(os._exit, 7)
start(process, script=False)
process.join()
print(process.exitcode)
"""


def test_an_unguarded_script_runs_once(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    command = [sys.executable, file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience(60))
    assert (done.stdout, done.stderr) == ("once\n7\n", "")
