#!/bin/sh
# Installs ai-assist @VERSION@ for this user, without root:
#
#   curl -fsSL @LATEST@/install.sh | sh
#
# Options, after `sh -s --`: --to DIR (default ~/.local/bin), --from DIR_OR_URL (where the archives are), --uninstall.
# It downloads the archive of this platform, compares its SHA-256 with SHA256SUMS, and puts one file into place. Beside it lies
# .ai-assist-install, by which `ai-assist self update` and `ai-assist self uninstall` know that it is theirs to change.
set -eu

version=@VERSION@
from=@URL@
latest=@LATEST@
to=${HOME:-}/.local/bin
uninstall=

die() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

main() {
    while [ $# -gt 0 ]; do
        case $1 in
        --to | --from)
            [ $# -ge 2 ] || die "$1 wants a value"
            if [ "$1" = --to ]; then to=$2; else from=$2; fi
            shift 2
            ;;
        --uninstall)
            uninstall=1
            shift
            ;;
        *) die "unknown option $1; there are --to DIR, --from DIR_OR_URL and --uninstall" ;;
        esac
    done
    case $to in /*) ;; *) die "--to wants an absolute folder, not $to" ;; esac

    if [ -n "$uninstall" ]; then
        [ -e "$to/.ai-assist-install" ] || die "$to has no ai-assist that this script installed"
        rm -f "$to/ai-assist" "$to/.ai-assist-install"
        echo "Removed $to/ai-assist. Indexes and settings stay: see docs/guides/install.md for where they are."
        return
    fi

    case $(uname -s) in
    Linux) system=unknown-linux-musl ;;
    Darwin) system=apple-darwin ;;
    *) die "there is no binary for $(uname -s); on Windows take the .zip of the release, elsewhere build from source with cargo" ;;
    esac
    case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) die "there is no binary for $(uname -m); build from source with cargo" ;;
    esac
    folder=ai-assist-$version-$machine-$system
    archive=$folder.tar.gz

    work=$(mktemp -d) || die "there is no room for a temporary folder"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    get "$archive"
    get SHA256SUMS
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
    [ -n "$expected" ] || die "SHA256SUMS does not name $archive"
    actual=$(sum "$work/$archive")
    [ "$actual" = "$expected" ] || die "$archive has the SHA-256 $actual, not $expected. Nothing was installed."

    tar -xzf "$work/$archive" -C "$work" || die "$archive can't be unpacked"
    said=$("$work/$folder/ai-assist" --version) || die "the binary does not run on this machine"
    mkdir -p "$to" || die "$to can't be made"
    # Into the folder first, then by a rename: a running ai-assist goes on, and nobody sees half of a file.
    cp "$work/$folder/ai-assist" "$to/.ai-assist.new" || die "$to can't be written"
    chmod 755 "$to/.ai-assist.new"
    mv -f "$to/.ai-assist.new" "$to/ai-assist"
    printf '%s\n' "$latest/install.sh" >"$to/.ai-assist-install"
    echo "Installed $said: $to/ai-assist"
    case :$PATH: in
    *:"$to":*) ;;
    *) echo "$to is not in your PATH. Add it: export PATH=\"$to:\$PATH\"" ;;
    esac
}

# A file of the release into the work folder.
get() {
    case $from in
    http://* | https://*)
        if command -v curl >/dev/null; then
            curl -fsSL --proto '=https,http' --retry 2 -o "$work/$1" "$from/$1"
        elif command -v wget >/dev/null; then
            wget -q -O "$work/$1" "$from/$1"
        else
            die "neither curl nor wget is there to download with"
        fi || die "$from/$1 can't be downloaded"
        ;;
    *) cp "$from/$1" "$work/$1" || die "$from/$1 can't be read" ;;
    esac
}

sum() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1" | cut -d' ' -f1
    elif command -v shasum >/dev/null; then
        shasum -a 256 "$1" | cut -d' ' -f1
    else
        die "neither sha256sum nor shasum is there to check the download with"
    fi
}

# Last, so that half of a download does nothing.
main "$@"
