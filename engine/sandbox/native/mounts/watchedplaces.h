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
// The run's own HOME, on its scratch file system. No place in it is one that programs of a run may want to write to.
inline constexpr char homeFolder[] = "/run/home";

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
    WatchedPlace{.path = "/run/home/.ssh", .name = "~ssh", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.aws", .name = "~aws", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.azure", .name = "~azure", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.kube", .name = "~kube", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.docker", .name = "~docker", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.mozilla", .name = "~mozilla", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.thunderbird", .name = "~thunderbird", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.password-store", .name = "~password-store", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.bitcoin", .name = "~bitcoin", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.ethereum", .name = "~ethereum", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.electrum", .name = "~electrum", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.git-credentials", .name = "~git-credentials", .isFile = true},
    WatchedPlace{.path = "/run/home/.config/gcloud", .name = "~gcloud", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.config/gh", .name = "~gh", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.config/google-chrome", .name = "~google-chrome", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.config/chromium", .name = "~chromium", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.config/BraveSoftware", .name = "~BraveSoftware", .hasSecrets = true},
    WatchedPlace{.path = "/run/home/.local/share/keyrings", .name = "~keyrings", .hasSecrets = true},
};

// Folders that seem to be there below a place, so that the names of files in them are told, too. The rest isn't there.
inline constexpr std::array<std::string_view, 29> watchedFolders{
    ".ssh",     ".aws",          ".azure",          ".config",      ".docker", ".gnupg",        ".kube",
    ".local",   ".mozilla",      ".password-store", ".thunderbird", "share",   "keyrings",      "firefox",
    "gcloud",   "google-chrome", "chromium",        "Default",      "gh",      "BraveSoftware", "Brave-Browser",
    "keystore", "bin",           "autostart",       "systemd",      "system",  "user",          "cron",
    "crontabs",
};

} // namespace glovebox::native
