#!/bin/sh
# Make off-screen rendering possible: install Mesa's EGL where the loader does not find it.
set -u
find_library() { "$(dirname "$0")/../.venv/bin/python" -c "
import ctypes, sys
try:
    ctypes.CDLL(sys.argv[1])
except OSError:
    sys.exit(1)" "$1"; }

find_library libEGL.so.1 && find_library libGL.so.1 && exit 0
if ! command -v apt-get >/dev/null; then
  echo "note: libEGL and libGL were not found; pictures need them (package 'mesa')." >&2
  exit 0
fi
root=""
[ "$(id -u)" = 0 ] || root="sudo"
echo "Installing Mesa's off-screen rendering (libegl1, libgl1, libgl1-mesa-dri)"
$root apt-get update -qq && $root apt-get install -y -qq libegl1 libgl1 libgl1-mesa-dri >/dev/null || {
  echo "note: it could not be installed; the simulation will run without pictures." >&2
}
exit 0
