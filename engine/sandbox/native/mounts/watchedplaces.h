// SPDX-License-Identifier: Apache-2.0
// Places of a run's root file system where secrets usually lie, or that others' programs start from. Nothing is there: each is a link into
// a file system for which the engine answers (PlaceWatch), so that whoever looks or writes there is noticed, and nobody else waits. To be
// asked about each write, as seccomp_unotify(2) could, makes writing a small file several times slower.
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
    bool isFile = false; // may be looked at, and not opened; else a folder
    bool hasSecrets = false; // who looks for something in it is told; else who writes alone
};

inline constexpr std::array watchedPlaces{
    WatchedPlace{.path = "/root", .name = "root", .hasSecrets = true},
    WatchedPlace{.path = "/home", .name = "home", .hasSecrets = true},
    WatchedPlace{.path = "/etc/shadow", .name = "shadow", .isFile = true},
    WatchedPlace{.path = "/etc/gshadow", .name = "gshadow", .isFile = true},
    WatchedPlace{.path = "/etc/sudoers", .name = "sudoers", .isFile = true},
    WatchedPlace{.path = "/etc/sudoers.d", .name = "sudoers.d"},
    WatchedPlace{.path = "/etc/crontab", .name = "crontab", .isFile = true},
    WatchedPlace{.path = "/etc/cron.d", .name = "cron.d"},
    WatchedPlace{.path = "/etc/systemd", .name = "systemd"},
    WatchedPlace{.path = "/var/spool", .name = "spool"},
    WatchedPlace{.path = "/opt", .name = "opt"},
};

// Folders that seem to be there below a place, so that the names of files in them are told, too. The rest isn't there.
inline constexpr std::array<std::string_view, 28> watchedFolders{
    ".ssh",   ".aws",          ".azure",          ".config",      ".docker", ".gnupg",        ".kube",
    ".local", ".mozilla",      ".password-store", ".thunderbird", "share",   "keyrings",      "firefox",
    "gcloud", "google-chrome", "chromium",        "Default",      "gh",      "BraveSoftware", "Brave-Browser",
    "bin",    "autostart",     "systemd",         "system",       "user",    "cron",          "crontabs",
};

} // namespace glovebox::native
