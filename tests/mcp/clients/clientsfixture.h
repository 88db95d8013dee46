// SPDX-License-Identifier: Apache-2.0
// A home folder with the configuration files of clients.
#pragma once

#include "engine/mcp/clients/clients.h"

#include <QTemporaryDir>

namespace glovebox::test {

using namespace glovebox::mcp;

class ClientsHome
{
public:
    ClientsHome();

    // With its file in this home; written where there are bytes for it.
    ClientProgram program(const QString &id) const;
    ClientProgram program(const QString &id, const QByteArray &bytes) const;
    QString at(const QString &name) const { return m_folder.filePath(name); }

    static QByteArray read(const QString &path);
    static void write(const QString &path, const QByteArray &bytes);
    // Example of a client's file, with a section of servers.
    static QByteArray example(const QString &id);
    static QStringList ids();

private:
    QTemporaryDir m_folder;
};

inline const QString command = QStringLiteral("/opt/lab \"one\"/bin/glovebox");

// Both steps; an empty text where both succeed, else what was said.
QString install(const ClientProgram &program, const QString &server = command);
QString uninstall(const ClientProgram &program);
QString said(const auto &result)
{
    return result ? QString() : result.error().message.english();
}

// How many bytes of before can't be found in after from both ends: 0 where there was only something put in, at one place.
qsizetype touchedBytes(const QByteArray &before, const QByteArray &after);

} // namespace glovebox::test
