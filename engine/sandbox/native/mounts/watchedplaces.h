// SPDX-License-Identifier: Apache-2.0
// Places of a run's root file system where secrets usually lie. There are none: each is a link into a file system for which the engine
// answers (PlaceWatch), so that whoever looks there is noticed, and nobody else waits.
//
// No place is one that harmless programs look into by themselves, nor one that is listed on the way through the file system.
#pragma once

#include <array>
#include <string_view>

namespace glovebox::native {

inline constexpr char watchedFolder[] = "/run/watched";

struct WatchedPlace
{
    const char *path;
    const char *name; // in watchedFolder
    bool isFile; // may be looked at, and not opened; else a folder
};

inline constexpr std::array watchedPlaces{
    WatchedPlace{"/root", "root", false},
    WatchedPlace{"/home", "home", false},
    WatchedPlace{"/etc/shadow", "shadow", true},
    WatchedPlace{"/etc/gshadow", "gshadow", true},
};

// Folders that seem to be there below a place, so that the names of files in them are told, too. The rest isn't there.
inline constexpr std::array<std::string_view, 21> watchedFolders{
    ".ssh",   ".aws",          ".azure",          ".config",      ".docker", ".gnupg",        ".kube",
    ".local", ".mozilla",      ".password-store", ".thunderbird", "share",   "keyrings",      "firefox",
    "gcloud", "google-chrome", "chromium",        "Default",      "gh",      "BraveSoftware", "Brave-Browser",
};

} // namespace glovebox::native
