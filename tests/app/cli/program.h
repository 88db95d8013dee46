// SPDX-License-Identifier: Apache-2.0
// The real program, started as a shell would start it, with a record of its own. What it prints with --json is held to the contract.
#pragma once

#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <memory>

namespace glovebox {

struct Ended
{
    int status = -1; // exit status; 128 + signal when a signal ended it
    QByteArray out, err;

    QJsonObject json() const; // of out, which must be one object in one line; else empty
};

class Home
{
public:
    QString path() const { return m_folder.path(); }
    QString path(const QString &name) const { return m_folder.filePath(name); }
    QString write(const QString &name, const QByteArray &content) const; // a file in it; its path

    // Not started yet.
    std::unique_ptr<QProcess> program(const QStringList &arguments) const;
    // To its end, input closed after bytes. Fails the test after a minute.
    Ended run(const QStringList &arguments, const QByteArray &input = {}) const;
    // Arguments that are no text.
    Ended runBytes(const QByteArrayList &arguments) const;

    QList<QJsonObject> runsOnRecord() const; // `audit list --json`, newest first

    bool isValid() const { return m_folder.isValid(); }

private:
    QTemporaryDir m_folder;
};

QString programFile();
Ended finish(QProcess &process);
// Reads standard output until it holds text. False after half a minute, or at its end.
bool waitForOutput(QProcess &process, const QByteArray &text, QByteArray &output);

} // namespace glovebox
