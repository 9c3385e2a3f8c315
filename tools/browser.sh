#!/bin/sh
# The tests of the pages drive Chromium: install it where there is none.
set -u
for name in chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null && exit 0
done
if ! command -v apt-get >/dev/null; then
  echo "note: Chromium was not found; the tests of the pages will be skipped." >&2
  exit 0
fi
root=""
[ "$(id -u)" = 0 ] || root="sudo"
echo "Installing Chromium for the tests of the pages"
$root apt-get update -qq && $root apt-get install -y -qq --no-install-recommends chromium >/dev/null || {
  echo "note: it could not be installed; the tests of the pages will be skipped." >&2
}
exit 0
