# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # root and build are set by installer/dev
# Packages of what the preset release builds, each with its check sum, and a list of what is in them.

most_installed=14648 # KiB: 15 MB

# make_packages KIND...: deb, rpm, tgz. What was there of this version is replaced.
make_packages() {
    local kind folder=$build/packages made dated size
    # While it compiles there is another time (toolchain).
    dated=(env "SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(release_date)}")
    rm -rf "$folder" "$build/release/packages"
    mkdir -p "$folder"
    for kind in "$@"; do
        step "package-$kind" "Packing ($kind)" toolchain "${dated[@]}" cpack --config "$build/release/CPackConfig.cmake" -G "${kind^^}" \
            || die "The $kind package could not be made. The whole output is in $build/log/package-$kind.log."
    done
    for kind in "$@" ddeb tar.gz; do
        made=("$build/release/packages"/*."$kind")
        [ ! -e "${made[0]}" ] || mv "${made[@]}" "$folder"
    done
    for made in "$folder"/*.rpm; do
        [[ ! -e $made || $(distribution_list) == fedora ]] || can_be_installed_on_fedora "$made"
    done
    for made in "$folder"/*.ddeb; do
        [ ! -e "$made" ] || step package-ddeb "Packing (debug symbols)" toolchain "${dated[@]}" "$root/installer/package/debian/repack" "$made" \
            || die "The debug symbols could not be packed. The whole output is in $build/log/package-ddeb.log."
    done
    if command -v dpkg-query >/dev/null; then
        step sbom "Listing what is in them" toolchain "${dated[@]}" "$root/installer/package/sbom" "$build/release" "$folder" \
            || die "The list of what is in the packages could not be made. The whole output is in $build/log/sbom.log."
    fi
    (cd "$folder" && sha256sum -- *.* >"$folder/SHA256SUMS.new" && mv SHA256SUMS.new SHA256SUMS)
    if [ -n "$(compgen -G "$folder/*.deb")" ] && command -v lintian >/dev/null; then
        step lintian "Reading the package as Debian would" lintian --fail-on error --tag-display-limit 0 "$folder"/*.deb \
            || die "lintian finds errors in the package. The whole output is in $build/log/lintian.log."
        [ "${CI-}" != true ] || ! grep 'mismatched-override' "$build/log/lintian.log" \
            || die "An override of installer/package/debian/lintian-overrides is about nothing: take it out."
    fi
    for made in "$folder"/*.deb; do
        [ -e "$made" ] || continue
        size=$(dpkg-deb --field "$made" Installed-Size)
        note "Installed, ${made##*/} takes $size KiB."
        [ "${CI-}" != true ] || [ "$size" -le "$most_installed" ] || die "That is more than the $most_installed KiB that a package may take."
    done
    note "Made in build/packages:"
    (cd "$folder" && stat --printf '    %s bytes  %n\n' -- *) >&2
}

# can_be_installed_on_fedora FILE.rpm: or nobody gets it. Distributions call some libraries by names of their own.
can_be_installed_on_fedora() {
    local lacking
    if lacking=$(rpm -qp --requires "$1" | "$root/installer/package/fedora-lacks" "$root/installer/package/fedora-provides.txt"); then
        [ "$(rpm -qp --recommends "$1")" ] || die "The .rpm recommends nothing: CPack left out what installer/package/project.cmake says."
        return
    fi
    rm -- "$1"
    die "The .rpm can't be installed on Fedora, which lacks: ${lacking//$'\n'/, }. If it has them, add them to installer/package/fedora-provides.txt."
}

# When this version was made, in seconds: the commit's time, or where there is no git the release's.
release_date() {
    git -C "$root" log -1 --format=%ct 2>/dev/null \
        || date --utc --date="$(sed -n 's/.*<release .*date="\([0-9-]*\)".*/\1/p' "$root/resources/desktop/io.github.glovebox.Workbench.metainfo.xml" | head -n 1)" +%s
}
