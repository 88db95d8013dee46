// SPDX-License-Identifier: Apache-2.0
// Where Glovebox keeps its files and finds its own programs.
#pragma once

#include "engine/base/result.h"

#include <QString>

namespace glovebox {

struct Paths
{
    QString data; // audit log, store, sessions, engines
    QString config; // settings
    QString runtime; // sockets
    QString libexec; // the folder of glovebox-spawner and other helpers

    // From the XDG variables, or all below GLOVEBOX_HOME when that is set (data, config, run). libexec is found beside the
    // running program (../libexec/glovebox), never from the environment. Fails with a sentence when there is no home.
    static Result<Paths> standard();

    QString auditFile() const { return data + QStringLiteral("/audit.db"); }
    QString storeFolder() const { return data + QStringLiteral("/store"); }
    QString sessionsFolder() const { return data + QStringLiteral("/sessions"); }
    QString jobsFolder() const { return data + QStringLiteral("/jobs"); }
    QString enginesFolder() const { return data + QStringLiteral("/engines"); }
    QString deletingFile() const { return data + QStringLiteral("/deleting.lock"); }
    QString vaultFile() const { return data + QStringLiteral("/secrets.vault"); }
    QString signingKeyFile() const { return data + QStringLiteral("/signing.key"); }
    QString toolServersFile() const { return config + QStringLiteral("/mcp-servers.json"); }
    QString settingsFile() const { return config + QStringLiteral("/settings.json"); }

    bool operator==(const Paths &) const = default;
};

// The home of this user's account, whatever the environment says; empty: the system knows none.
QString accountHome();

// Where log and store are, else the settings, if the environment has moved them: then they may not be the person's usual ones. Empty: it
// hasn't.
QString movedHome(const Paths &paths);

// Makes a folder that only its owner can read (0700), with its parents. An existing folder of somebody else, or one that
// others can write to, is refused; so is one below such a folder (checkFoldersAbove()).
Status makePrivateFolder(const QString &path);

} // namespace glovebox
