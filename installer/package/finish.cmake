# SPDX-License-Identifier: Apache-2.0
# Run by CPack on each tree that it is about to pack: what a kind of package wants otherwise than `cmake --install` leaves it, and
# nothing of the machine, the account and the hour of this build.
set(tree "${CPACK_TEMPORARY_DIRECTORY}")
set(doc "${tree}/usr/share/doc/glovebox")

function(must)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# AppStream wants the address of a page, which whoever makes the package names (lintian's appstream-metadata-validation-failed).
set(metainfo ${tree}/usr/share/metainfo/io.github.glovebox.Workbench.metainfo.xml)
if(EXISTS ${metainfo} AND CPACK_PACKAGE_HOMEPAGE_URL)
    file(READ ${metainfo} text)
    string(REPLACE "&" "&amp;" page "${CPACK_PACKAGE_HOMEPAGE_URL}")
    string(REPLACE "  <launchable " "  <url type=\"homepage\">${page}</url>\n  <launchable " text "${text}")
    file(WRITE ${metainfo} "${text}")
endif()

if(CPACK_GENERATOR STREQUAL "DEB")
    set(version "${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
    file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
    execute_process(COMMAND date --utc --rfc-email --date=@$ENV{SOURCE_DATE_EPOCH} OUTPUT_VARIABLE date COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE ${doc}/changelog.Debian "glovebox (${version}) unstable; urgency=medium\n\n"
        "  * Made from Glovebox ${CPACK_PACKAGE_VERSION}, whose changes are in changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}")
    file(MAKE_DIRECTORY ${tree}/usr/share/lintian/overrides)
    file(COPY_FILE ${CPACK_GLOVEBOX_PACKAGE}/debian/lintian-overrides ${tree}/usr/share/lintian/overrides/glovebox)
    # Debian's zsh looks elsewhere than zsh itself.
    file(RENAME ${tree}/usr/share/zsh/site-functions ${tree}/usr/share/zsh/vendor-completions)
    if(EXISTS ${tree}/etc/apparmor.d/glovebox-spawner)
        file(WRITE "${CPACK_TOPLEVEL_DIRECTORY}/conffiles" "/etc/apparmor.d/glovebox-spawner\n")
        set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CPACK_TOPLEVEL_DIRECTORY}/conffiles"
            "${CPACK_GLOVEBOX_PACKAGE}/debian/postinst" "${CPACK_GLOVEBOX_PACKAGE}/debian/postrm")
    endif()
    file(GLOB texts ${doc}/changelog*)
    file(REMOVE_RECURSE ${doc}/licenses) # Debian has them all in /usr/share/common-licenses
elseif(CPACK_GENERATOR STREQUAL "RPM")
    file(REMOVE_RECURSE ${tree}/etc) # a profile for this Debian
endif()

if(EXISTS ${tree}/usr)
    file(GLOB pages ${tree}/usr/share/man/man*/*)
    must(gzip -9n ${pages} ${texts})
else()
    set(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
    file(COPY_FILE ${CPACK_RESOURCE_FILE_LICENSE} ${folder}/LICENSE)
    file(WRITE ${folder}/START.txt "bin/glovebox and bin/glovebox-workbench run from wherever this folder is.\n")
    find_program(DPKG_QUERY dpkg-query)
    if(DPKG_QUERY)
        list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build)
        execute_process(COMMAND ${CPACK_GLOVEBOX_PACKAGE}/sbom --needs ${build} OUTPUT_VARIABLE needs COMMAND_ERROR_IS_FATAL ANY)
        file(APPEND ${folder}/START.txt "They need libraries of the system that they were built on:\n    sudo apt-get install ${needs}")
    endif()
endif()
must(chmod -R u=rwX,go=rX ${tree})
must(find ${tree} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +)
