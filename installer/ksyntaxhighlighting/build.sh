#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds KSyntaxHighlighting 5.116 for Qt 6, static, into FOLDER/prefix: Debian 12 and Ubuntu 24.04 only have it for Qt 5.
# Usage: build.sh FOLDER. The source is Debian 13's, fetched by apt with a configuration of its own inside FOLDER (nothing
# in /etc or /var changes, no root needed). FOLDER/complete appears last and holds this file's SHA-256; where it doesn't,
# everything starts over.
set -euo pipefail
export CC=gcc CXX=g++
script=$(sha256sum <"${BASH_SOURCE[0]}")
export SOURCE_DATE_EPOCH=1 # Qt's resources hold no time, so that two builds are one

[ $# -eq 1 ] || { echo "Usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd -- "$1" && pwd -P)
tarball=ksyntax-highlighting_5.116.0.orig.tar.xz
sha256=6f8ccacebd0dc9ce050b2b23b715750c97938b3336fbbb80967920cb8c1dfaa7

verified() {
    [ -f "$folder/$tarball" ] && sha256sum --check --status <<<"$sha256  $folder/$tarball"
}

# The Debian mirror that this system uses already; it may be the only one that can be reached.
mirror() {
    local found=''
    # shellcheck disable=SC2016 # apt's own fields
    found=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
        sed -n 's/^Debian|Debian|//p' | head -n 1) || true
    echo "${found:-http://deb.debian.org/debian}"
}

# apt that knows one source, keeps its state in $apt and runs none of the system's hooks. Proxies and access to mirrors
# stay the system's.
private_apt() {
    apt-get -c "$apt/apt.conf" "$@"
}

fetch() {
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    if [ ! -r "$keyring" ]; then
        echo "$keyring is missing, without which the source can't be verified. Install debian-archive-keyring." >&2
        exit 1
    fi
    apt=$folder/apt
    rm -rf "$apt"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/download"
    echo "deb-src [signed-by=$keyring] $(mirror) trixie main" >"$apt/sources.list"
    : >"$apt/status"
    cat >"$apt/apt.conf" <<CONF
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Sandbox::User "root"; // the download folder is ours
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONF
    private_apt update --error-on=any &&
        (cd "$apt/download" && private_apt source --download-only --tar-only ksyntax-highlighting) &&
        mv "$apt/download/$tarball" "$folder/$tarball"
    rm -rf "$apt"
}

rm -rf "$folder/complete" "$folder/source" "$folder/build" "$folder/prefix"
if ! verified; then
    fetch
    if ! verified; then
        rm -f "$folder/$tarball"
        echo "$tarball could not be fetched, or isn't the file it should be. Is there a network? You can also put the file" \
            "into $folder yourself (SHA-256 $sha256)." >&2
        exit 1
    fi
fi

mkdir "$folder/source"
tar -xf "$folder/$tarball" -C "$folder/source" --strip-components=1
# Its build tools (ECM) of one release earlier do. Translated language names, examples, programs and QML aren't used, and
# would need more packages.
sed -i -E -e "s/^(find_package\(ECM )5\.116\.0/\15.103.0/" -e '/^ecm_install_po_files_as_qm/d' \
    -e '/add_subdirectory\(examples\)/d' "$folder/source/CMakeLists.txt"
# Scripts of games, of 4DOS and of a synthesizer: 65 KB in each package for what no bench has.
rm "$folder"/source/data/syntax/{4dos,ample,idconsole,lpc,uscript,xonotic-console}.xml
# Compressed also where less than two thirds are saved.
sed -i -e 's/rcc --name syntax_data/rcc --threshold 1 --name syntax_data/' "$folder/source/data/CMakeLists.txt"
sed -i -E -e '/add_subdirectory\((cli|quick)\)/d' "$folder/source/src/CMakeLists.txt"

# Hardened as our own code, without a path of this machine, and so that functions nobody calls can be left out. One batch takes 21 seconds of
# processor time, single files 42. For size, as packages are: 74 KB less, and 3,400 lines of Python are coloured in about 6 ms more.
flags="-ffile-prefix-map=$folder=/usr/src/ksyntaxhighlighting -ffunction-sections -fstack-protector-strong -fstack-clash-protection -D_GLIBCXX_ASSERTIONS"
[ "$(uname -m)" != x86_64 ] || flags+=" -fcf-protection"
cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DQT_MAJOR_VERSION=6 \
    "-DCMAKE_CXX_FLAGS=$flags" "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-Os -g1 -DNDEBUG -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2" \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 \
    -DKDE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$folder/prefix"
ninja -C "$folder/build" install
# A package says whose work is in it.
mkdir -p "$folder/prefix/share/licenses"
cp -R "$folder/source/LICENSES" "$folder/prefix/share/licenses/ksyntaxhighlighting"
rm -rf "$folder/build" "$folder/source"
echo "$script" >"$folder/complete"
