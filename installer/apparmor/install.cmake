# SPDX-License-Identifier: Apache-2.0
# Run by `cmake --install`: puts the AppArmor profile to the others. Set by CMakeLists.txt: GLOVEBOX_APPARMOR,
# GLOVEBOX_APPARMOR_SOURCE, GLOVEBOX_LIBEXECDIR.

# An AppArmor before 4.0 doesn't know the profile's rule, and has no restriction that would need it.
if(GLOVEBOX_APPARMOR STREQUAL "AUTO")
    if(EXISTS /etc/apparmor.d/abi/4.0)
        set(GLOVEBOX_APPARMOR ON)
    else()
        set(GLOVEBOX_APPARMOR OFF)
    endif()
endif()
# Anywhere else the spawner isn't root's. A tarball is made in such a folder if the checkout is below /opt.
if(GLOVEBOX_APPARMOR AND NOT CMAKE_INSTALL_PREFIX MATCHES "/_CPack_Packages/" AND CMAKE_INSTALL_PREFIX MATCHES "^/(usr|usr/local|opt/.+)/?$")
    set(GLOVEBOX_SPAWNER "${CMAKE_INSTALL_PREFIX}/${GLOVEBOX_LIBEXECDIR}/glovebox-spawner")
    string(REPLACE "//" "/" GLOVEBOX_SPAWNER "${GLOVEBOX_SPAWNER}")
    set(profile "$ENV{DESTDIR}/etc/apparmor.d/glovebox-spawner")
    configure_file("${GLOVEBOX_APPARMOR_SOURCE}" "${profile}" @ONLY)
    message(STATUS "Installing: ${profile}")
endif()
