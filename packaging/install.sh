#!/bin/sh
# Installs tada-run @{VERSION}: checks the signature of the checksums, then the checksum of the
# archive, then unpacks it.
#
#   sh install.sh [--to PREFIX] [--from FOLDER]   PREFIX: default ~/.local
#   sh install.sh --remove [--to PREFIX]
#
# --from takes the files from a folder instead of @{DOWNLOADS}.
# Needs tar, sha256sum, and ssh-keygen (OpenSSH 8.1) or openssl (3.0); curl or wget without --from.
set -eu

version='@{VERSION}'
downloads='@{DOWNLOADS}'
key='@{PUBLIC_KEY}'

fail() { echo "install.sh: $1" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# get NAME: one of the files of the release, into $tmp
get() {
    case $from in
    https://*)
        if has curl; then
            curl --proto '=https' --tlsv1.2 -fsSL -o "$tmp/$1" "$from/$1"
        elif has wget; then
            wget -q -O "$tmp/$1" "$from/$1"
        else
            fail "there is neither curl nor wget"
        fi ;;
    *) cp -- "$from/$1" "$tmp/$1" ;;
    esac || fail "cannot get $from/$1"
}

# verify: SHA256SUMS is signed by $key. What cannot be checked is not installed.
verify() {
    if has ssh-keygen; then
        get SHA256SUMS.sshsig
        echo "release namespaces=\"tada-run-release\" $key" >"$tmp/signers"
        ssh-keygen -Y verify -f "$tmp/signers" -I release -n tada-run-release \
            -s "$tmp/SHA256SUMS.sshsig" <"$tmp/SHA256SUMS" >/dev/null 2>&1 ||
            fail "SHA256SUMS does not have the signature of the release key"
    elif has openssl; then
        get SHA256SUMS.sig
        # the key in DER: what says Ed25519, then the last 32 bytes of ssh's form
        { printf '\060\052\060\005\006\003\053\145\160\003\041\000'
          echo "${key#* }" | base64 -d | tail -c 32; } >"$tmp/key"
        openssl pkeyutl -verify -pubin -keyform DER -inkey "$tmp/key" -rawin \
            -in "$tmp/SHA256SUMS" -sigfile "$tmp/SHA256SUMS.sig" >/dev/null 2>&1 ||
            fail "SHA256SUMS does not have the signature of the release key (or openssl is older than 3.0)"
    else
        fail "the signature cannot be checked: there is neither ssh-keygen nor openssl"
    fi
}

# checksum NAME: the file is the one that SHA256SUMS names
checksum() {
    awk -v name="$1" '$2 == name { print; n++ } END { exit n != 1 }' "$tmp/SHA256SUMS" >"$tmp/sum" ||
        fail "SHA256SUMS does not name $1"
    (cd "$tmp" && sha256sum -c sum >/dev/null 2>&1) || fail "$1 is not the file that was signed"
}

# place: moves each file to where it belongs, complete or not at all
place() {
    mkdir -p "$prefix/share/tada-run"
    (cd "$tmp/tree" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) >"$tmp/files"
    while IFS= read -r file; do
        mkdir -p "$prefix/$(dirname "$file")"
        cp -p -- "$tmp/tree/$file" "$prefix/$file.new"
        mv -f -- "$prefix/$file.new" "$prefix/$file"
    done <"$tmp/files"
    cp -- "$tmp/files" "$prefix/share/tada-run/files"
}

remove() {
    test -f "$prefix/share/tada-run/files" || fail "nothing was installed below $prefix"
    while IFS= read -r file; do rm -f -- "$prefix/$file"; done <"$prefix/share/tada-run/files"
    rm -f -- "$prefix/share/tada-run/files"
    rmdir -- "$prefix/share/tada-run" "$prefix/share/doc/tada-run" 2>/dev/null || true
    echo "removed; what was recorded is still in ~/.tada"
}

# In a function, so that half of this file does nothing.
main() {
    prefix=${HOME:?}/.local from=$downloads remove=
    while test $# -gt 0; do
        case $1 in
        --to) prefix=${2:?--to needs a folder}; shift 2 ;;
        --from) from=${2:?--from needs a folder}; shift 2 ;;
        --remove) remove=1; shift ;;
        *) fail "unknown argument $1; known are --to, --from and --remove" ;;
        esac
    done
    case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
    test -z "$remove" || { remove; return; }
    test "$(uname -s)" = Linux || fail "there are only programs for Linux"
    case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) fail "there are only programs for x86_64 and aarch64" ;;
    esac
    umask 022
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    trap 'exit 1' HUP INT TERM
    archive=tada-run_${version}_linux_$arch.tar.gz
    get SHA256SUMS
    verify
    get "$archive"
    checksum "$archive"
    mkdir "$tmp/tree"
    tar -xzf "$tmp/$archive" -C "$tmp/tree" --no-same-owner
    place
    echo "installed tada-run $version below $prefix"
    case :$PATH: in *":$prefix/bin:"*) ;; *)
        echo "$prefix/bin is not in PATH; type this, and write it into your shell's startup file:"
        echo "export PATH=\"\$PATH:$prefix/bin\"" ;;
    esac
    echo "next: tadactl doctor"
}

main "$@"
