// SPDX-License-Identifier: Apache-2.0
// A home with a session "shop", and what tests look at in it.
#pragma once

#include "tests/app/cli/program.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

namespace glovebox {

class SessionHome : public Home
{
public:
    Ended session(const QStringList &words) const { return run(QStringList{QStringLiteral("session")} + words); }
    // A shell's code in the session.
    Ended shell(const QString &code, const QStringList &options = {}) const
    {
        return run(QStringList{QStringLiteral("run"), QStringLiteral("--session"), QStringLiteral("shop"),
                               QStringLiteral("-l"), QStringLiteral("sh"), QStringLiteral("-c"), code}
                   + options);
    }
    // What a command prints with --json, a line an object.
    QList<QJsonObject> objects(const QStringList &words) const
    {
        QList<QJsonObject> all;
        for (const QByteArray &line : session(words + QStringList{QStringLiteral("--json")}).out.split('\n')) {
            if (!line.isEmpty())
                all.append(QJsonDocument::fromJson(line).object());
        }
        return all;
    }
    QStringList paths() const
    {
        QStringList all;
        for (const QJsonObject &file : objects({QStringLiteral("files"), QStringLiteral("shop")}))
            all.append(file[QStringLiteral("path")].toString());
        return all;
    }
    // Makes the session; its folder.
    QString create(const QStringList &options = {}) const
    {
        const Ended made =
            session(QStringList{QStringLiteral("create"), QStringLiteral("--name"), QStringLiteral("shop")} + options);
        if (made.status != 0)
            qFatal("%s", made.err.constData());
        return folderOf(QString::fromUtf8(made.out.trimmed()));
    }
    QString folderOf(const QString &id) const { return path(QStringLiteral("data/sessions/") + id); }
};

inline QByteArray contentOfFile(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
}

inline void replaceInFile(const QString &path, const QByteArray &old, const QByteArray &replacement)
{
    QByteArray content = contentOfFile(path);
    QVERIFY2(content.contains(old), content);
    content.replace(old, replacement);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

} // namespace glovebox
