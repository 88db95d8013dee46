# SPDX-License-Identifier: Apache-2.0
# Read by CPack once for each kind of package (CPACK_GENERATOR).

# The system that builds names the package, since a package needs the libraries of that system.
set(release "")
foreach(field IN ITEMS ID VERSION_ID)
    set(${field} "")
endforeach()
if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release fields REGEX "^(ID|VERSION_ID)=")
    foreach(field IN LISTS fields)
        string(REGEX MATCH "^([A-Z_]+)=\"?([^\"]*)" field "${field}")
        set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endforeach()
endif()
string(REPLACE debian deb short "${ID}")

if(CPACK_GENERATOR STREQUAL "DEB")
    # ~deb12 sorts before ~deb13, so an upgrade of the system upgrades Glovebox.
    set(CPACK_DEBIAN_PACKAGE_RELEASE "1~${short}${VERSION_ID}")
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_SECTION utils)
    set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
    set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
    # libcrypto is loaded when it is needed, so dpkg-shlibdeps doesn't see it (engine/base/crypto/openssl.cpp).
    execute_process(COMMAND dpkg-query --search libcrypto.so.3 OUTPUT_VARIABLE owner OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT owner MATCHES "(^|\n)(libssl3[a-z0-9]*):")
        message(FATAL_ERROR "No package owns libcrypto.so.3: the package can't say what it needs.")
    endif()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_2} (>= 3.0.0)")
    # Also loaded: systemd's library, where limits hold for all processes of a run, and libedit, where a person types cells. The
    # certificates are those that a run is shown.
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, libsystemd0, libedit2, ca-certificates, qt6-wayland, gnome-keyring | kwalletmanager | keepassxc, qt6-translations-l10n")
    set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nodejs, bubblewrap (>= 0.8), xdg-utils")
    set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
elseif(CPACK_GENERATOR STREQUAL "RPM")
    set(CPACK_STRIP_FILES ON)
    set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
    set(CPACK_RPM_PACKAGE_RELOCATABLE OFF)
    set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0")
    set(CPACK_RPM_PACKAGE_GROUP "Development/Tools")
    set(CPACK_RPM_PACKAGE_REQUIRES "libcrypto.so.3()(64bit)")
    # Folders of others.
    set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/libexec /usr/share/applications /usr/share/bash-completion
        /usr/share/bash-completion/completions /usr/share/doc /usr/share/fish /usr/share/fish/vendor_completions.d /usr/share/icons
        /usr/share/icons/hicolor /usr/share/icons/hicolor/scalable /usr/share/icons/hicolor/scalable/apps /usr/share/man
        /usr/share/man/man1 /usr/share/man/man5 /usr/share/man/man7 /usr/share/metainfo /usr/share/zsh /usr/share/zsh/site-functions)
    # Two builds are one; what was stripped isn't stripped again. CPack itself writes neither recommendations nor suggestions.
    set(CPACK_RPM_SPEC_MORE_DEFINE "Recommends: python3, libedit, ca-certificates, qt6-qtwayland, qt6-qttranslations, gnome-keyring
Suggests: nodejs, bubblewrap
%define _buildhost glovebox
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define __os_install_post %{nil}
%define _build_id_links none")
else()
    set(CPACK_STRIP_FILES ON)
    set(CPACK_PACKAGE_FILE_NAME "glovebox-${CPACK_PACKAGE_VERSION}-${ID}-${VERSION_ID}-${CMAKE_HOST_SYSTEM_PROCESSOR}")
endif()
