#!/usr/bin/env bash
# Installs the programs, unless they are in PATH. The installer is that of the commit to which
# `uses:` pins this action, so what it downloads has to have the signature of the key in that commit.
set -euo pipefail
if command -v tada-run tadactl >/dev/null; then exit 0; fi
packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=${TADA_VERSION:-${TADA_REF#v}}
if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[a-z]+\.?[0-9]+)?$ ]]; then
    echo "which version? pin this action to a tag, or give it: version: 1.2.3" >&2
    exit 1
fi
value() { sed -n "s/^$1=//p" "$packaging/release.env"; }
downloads=$(value DOWNLOADS) key=$(value PUBLIC_KEY)
if [[ -z $downloads || -z $key ]]; then
    echo "this commit cannot install: packaging/release.env has no address or no key" >&2
    exit 1
fi
downloads=${downloads//\{version\}/$version}
script=$(<"$packaging/install.sh")
script=${script//@\{VERSION\}/$version}
script=${script//@\{DOWNLOADS\}/${downloads%/}}
script=${script//@\{PUBLIC_KEY\}/$key}
sh -c "$script" install.sh --to "$RUNNER_TEMP/tada-run-programs" "$@"
echo "$RUNNER_TEMP/tada-run-programs/bin" >>"$GITHUB_PATH"
