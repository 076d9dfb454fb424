#!/bin/sh
# Runs as root while the image is built. The installer beside it verifies what it downloads.
set -eu
exec sh "$(dirname "$0")/install-release.sh" --to /usr/local
