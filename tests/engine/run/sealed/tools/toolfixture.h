// SPDX-License-Identifier: Apache-2.0
// An engine whose runs may call tools of a real server "t" (tests/support/toolserver.py).
#pragma once

#include "tests/engine/run/sealed/lentfixture.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

namespace glovebox {

class ToolFixture : public LentFixture
{
protected:
    void write(const QByteArray &text)
    {
        const QString path = m_engine->paths().toolServersFile();
        QFile::remove(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    }
    // The server "t" with these tools, each with the argument limited to these values.
    void list(const QStringList &tools, const QString &argument = {}, const QJsonArray &values = {})
    {
        QJsonObject rules;
        for (const QString &tool : tools)
            rules[tool] = argument.isEmpty() ? QJsonObject() : QJsonObject{{argument, values}};
        const QJsonObject server{
            {QStringLiteral("command"), QJsonArray{QStringLiteral("/usr/bin/python3"),
                                                   QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/support/toolserver.py")}},
            {QStringLiteral("tools"), rules}};
        write(QJsonDocument(QJsonObject{{QStringLiteral("t"), server}}).toJson());
    }
    static QStringList eventsOf(const RunResult &result, EventType type)
    {
        QStringList sentences;
        for (const RunEvent &event : result.events) {
            if (event.type == type)
                sentences.append(event.detail.english());
        }
        return sentences;
    }
};

} // namespace glovebox
