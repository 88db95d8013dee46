# SPDX-License-Identifier: Apache-2.0
# Defines glovebox::syntax, KSyntaxHighlighting for Qt 6: the system's, else the one that installer/ksyntaxhighlighting/build.sh made.
set(GLOVEBOX_SYNTAX_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../build/deps/ksyntaxhighlighting/prefix"
    CACHE PATH "Where KSyntaxHighlighting 5.116 was built for Qt 6")

# The static library's export names Qt6::Network without looking for it.
find_package(Qt6 6.4 REQUIRED COMPONENTS Gui Network)

find_package(KF6SyntaxHighlighting QUIET GLOBAL)
if(KF6SyntaxHighlighting_FOUND)
    set(syntax_library KF6::SyntaxHighlighting)
else()
    # Nowhere else: the system's KF5SyntaxHighlighting is the Qt 5 build.
    find_package(KF5SyntaxHighlighting 5.116 QUIET GLOBAL NO_DEFAULT_PATH PATHS ${GLOVEBOX_SYNTAX_PREFIX})
    if(NOT KF5SyntaxHighlighting_FOUND)
        message(FATAL_ERROR "KSyntaxHighlighting for Qt 6 was not found. './installer/dev app' gets it.")
    endif()
    set(syntax_library KF5::SyntaxHighlighting)
endif()

get_target_property(syntax_links ${syntax_library} INTERFACE_LINK_LIBRARIES)
if(NOT "Qt6::Gui" IN_LIST syntax_links)
    message(FATAL_ERROR "${syntax_library} isn't built for Qt 6; it links: ${syntax_links}")
endif()
add_library(glovebox::syntax ALIAS ${syntax_library})
