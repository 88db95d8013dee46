# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # root and build are set by installer/dev
# Installs the distribution's packages that a purpose needs. It only ever adds packages, and asks for rights only then.

# The name of this distribution's list in installer/packages, or nothing if there is none.
distribution_list() {
    local ID='' VERSION_ID='' UBUNTU_CODENAME='' VERSION_CODENAME=''
    # shellcheck source=/dev/null
    [ ! -r /etc/os-release ] || source /etc/os-release
    case ${UBUNTU_CODENAME:-$VERSION_CODENAME}:$ID:$VERSION_ID in
    bookworm:*) echo debian-12 ;;
    trixie:* | *:debian:) echo debian-13 ;; # testing and unstable carry no version
    *:debian:1[4-9]*) echo debian-13 ;;
    bionic:* | focal:* | jammy:*) ;; # Qt and GCC are too old
    noble:* | *:ubuntu:2[4-9].*) echo ubuntu-24.04 ;;
    *:fedora:*) echo fedora ;;
    esac
}

# need_packages PURPOSE...: returns with everything installed, or ends with what to do.
need_packages() {
    local list_name list database wanted missing stamp purposes="$*"
    [ "${GLOVEBOX_PACKAGES-}" != skip ] || return 0
    list_name=$(distribution_list)
    if [ ! "$list_name" ]; then
        die "The set-up knows Debian 12 and 13, Ubuntu 24.04 and later, and Fedora, not this system. Install what" \
            "$root/installer/packages/debian-13.txt lists for: $purposes (the names may differ here; Qt 6.4, GCC 12 and" \
            "CMake 3.25 or later), then run this again with GLOVEBOX_PACKAGES=skip."
    fi
    list=$root/installer/packages/$list_name.txt
    database=/var/lib/dpkg/status
    if [ "$list_name" = fedora ]; then
        database=$(rpm --eval '%{_dbpath}/rpmdb.sqlite')
    fi
    # Asking the package database takes longer than all the rest when there is nothing to do.
    stamp=$build/.packages-${purposes// /-}
    if [ "$stamp" -nt "$database" ] && [ "$stamp" -nt "$list" ]; then
        return 0
    fi
    wanted=$(packages_for "$list" "$@")
    missing=$(missing_packages "$list_name" "$wanted")
    if [ "$missing" ]; then
        install_packages "$list_name" "$missing"
        missing=$(missing_packages "$list_name" "$wanted")
        [ ! "$missing" ] || die "These packages are still missing after they were installed: $missing"
        mkdir -p "$build" && touch "$build/.packages-installed"
    fi
    if mkdir -p "$build" 2>/dev/null; then
        touch "$stamp" 2>/dev/null || true
    fi
}

# packages_for LIST PURPOSE...: the packages, on one line.
packages_for() {
    local list=$1 purpose names wanted=()
    shift
    while read -r purpose names; do
        if [[ $purpose != '#'* && " $* " == *" $purpose "* ]]; then
            wanted+=("$names")
        fi
    done <"$list"
    echo "${wanted[*]}"
}

# missing_packages LIST_NAME "PACKAGE ...": those of them that aren't installed, on one line.
missing_packages() {
    local present name missing=() wanted
    read -ra wanted <<<"$2"
    if [ "$1" = fedora ]; then
        present=$(LC_ALL=C rpm -q --whatprovides "${wanted[@]}" || true)
        for name in "${wanted[@]}"; do
            [[ $present != *"no package provides $name"$'\n'* && $present != *"no package provides $name" ]] || missing+=("$name")
        done
    else
        # shellcheck disable=SC2016 # dpkg-query's own fields
        present=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "${wanted[@]}" 2>/dev/null || true)"
        for name in "${wanted[@]}"; do
            [[ $present == *" installed:$name "* ]] || missing+=("$name")
        done
    fi
    echo "${missing[*]}"
}

# install_packages LIST_NAME "PACKAGE ..."
install_packages() {
    local list_name=$1 packages command update
    read -ra packages <<<"$2"
    if [ "$list_name" = fedora ]; then
        command=(dnf install -y --setopt=install_weak_deps=False)
        update=()
    else
        # --no-remove makes apt give up where a package would have to go; needrestart must not restart services here.
        command=(env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get install -y --no-install-recommends
            --no-remove --no-auto-remove -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0)
        update=(apt-get update -o DPkg::Lock::Timeout=120)
    fi
    note "Missing packages: ${packages[*]}"
    become_root "$list_name" "${packages[*]}"
    if [ ${#update[@]} -gt 0 ] && ! apt_lists_present; then
        step apt-update "Fetching the package lists" "${as_root[@]}" "${update[@]}" || die "The package lists could not be fetched. Is there a network?"
    fi
    if step install "Installing what is missing" "${as_root[@]}" "${command[@]}" "${packages[@]}"; then
        return 0
    fi
    # Lists that are too old name files that no longer exist.
    if [ ${#update[@]} -gt 0 ] && grep -qE 'Unable to (locate|fetch|correct)|no installation candidate|404 ' "$build/log/install.log"; then
        step apt-update "Fetching newer package lists" "${as_root[@]}" "${update[@]}" || die "The package lists could not be fetched. Is there a network?"
        step install "Installing what is missing, once more" "${as_root[@]}" "${command[@]}" "${packages[@]}" && return 0
    fi
    die "Packages could not be installed. Nothing was removed. The whole output is in $build/log/install.log."
}

apt_lists_present() {
    local lists
    lists=$(apt-config shell directory Dir::State::lists/d)
    eval "$lists" # directory='/var/lib/apt/lists/'
    # shellcheck disable=SC2154 # set by eval
    compgen -G "$directory*_Packages*" >/dev/null
}

# Sets `as_root` to what comes before a command that needs root, or ends with the command for an administrator.
become_root() {
    local manual="apt-get install --no-install-recommends $2"
    if [ "$1" = fedora ]; then
        manual="dnf install $2"
    fi
    as_root=()
    if [ "$EUID" -eq 0 ]; then
        return 0
    fi
    as_root=(sudo)
    if ! command -v sudo >/dev/null; then
        die "Installing packages needs root, and there is no sudo. Ask an administrator to run:"$'\n'"    $manual"
    fi
    if ! sudo -n true 2>/dev/null; then
        [ -t 0 ] || [ -t 2 ] || die "sudo would ask for a password, and there is no terminal. Run first:"$'\n'"    sudo $manual"
        sudo -p "[sudo] password for %p, to install these packages: " true \
            || die "Without sudo nothing was installed. Ask an administrator to run:"$'\n'"    $manual"
    fi
}
