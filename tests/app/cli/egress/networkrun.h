// SPDX-License-Identifier: Apache-2.0
// `glovebox run --allow ...` in the test internet: what it printed, what it is said to have wanted, and what reached the servers.
#pragma once

#include "../builder.h"
#include "../program.h"
#include "tests/support/testinternet/testinternet.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

namespace glovebox {

// At the begin of a test program.
inline void chooseBuilder()
{
    if (isDirect)
        return;
    if (::geteuid() != 0)
        QSKIP("An ordinary user's test internet is in a user namespace, in which bwrap is not root's and hence not "
              "used.");
    QVERIFY(refuseDirectBuilder());
}

// All that the Python files beside this one define. None of them does anything by itself.
inline QString attackTools()
{
    QString code;
    for (const char *name : {"connections", "attacks", "floods"}) {
        QFile file(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/app/cli/egress/%1.py").arg(QLatin1StringView(name)));
        if (!file.open(QIODevice::ReadOnly))
            qFatal("%s can't be read.", qPrintable(file.fileName()));
        code += QString::fromUtf8(file.readAll());
    }
    return code;
}

// Code that does what is called so there, with blanks for underscores.
inline QString attack(const QString &words)
{
    static const QRegularExpression notInNames(QStringLiteral("[^a-z0-9]+"));
    return attackTools() + words.toLower().replace(notInNames, QStringLiteral("_")) + QStringLiteral("()\n");
}

class NetworkRun
{
public:
    NetworkRun(const Home &home, const QStringList &allow, const QString &language, const QString &code,
               const QStringList &more = {})
    {
        QStringList words{QStringLiteral("run"), QStringLiteral("--json"),
                          QStringLiteral("-m"),  QStringLiteral("1024"),
                          QStringLiteral("-l"),  language,
                          QStringLiteral("-c"),  code};
        for (const QString &host : allow)
            words += {QStringLiteral("--allow"), host};
        const Ended ended = home.run(words + more);
        m_result = ended.json();
        m_seen = m_log.lines();
        if (m_result.isEmpty())
            m_trouble = ended.out + ended.err;
    }

    QByteArray out() const { return m_result[QLatin1StringView("stdout")].toString().toUtf8(); }
    const QJsonObject &result() const { return m_result; }
    // Verdict, way, host and port, such as "denied connect www.denied.test:443", in the order of the attempts.
    QStringList attempts() const
    {
        QStringList all;
        const QJsonArray attempts = m_result[QLatin1StringView("egress")].toArray();
        for (const auto &each : attempts)
            all.append(each[QLatin1StringView("verdict")].toString() + u' ' + each[QLatin1StringView("way")].toString()
                       + u' ' + each[QLatin1StringView("host")].toString() + u':'
                       + QString::number(each[QLatin1StringView("port")].toInt()));
        return all;
    }

    // What is said in an event of this type; empty: there is none.
    QString event(const QString &type) const
    {
        const QJsonArray events = m_result[QLatin1StringView("events")].toArray();
        for (const auto &each : events) {
            if (each[QLatin1StringView("type")].toString() == type)
                return each[QLatin1StringView("detail")].toString();
        }
        return {};
    }

    // Its state and words; empty: there is none.
    QString control(const QString &name) const
    {
        const QJsonArray controls = m_result[QLatin1StringView("isolation")][QLatin1StringView("controls")].toArray();
        for (const auto &each : controls) {
            if (each[QLatin1StringView("name")].toString() == name)
                return each[QLatin1StringView("state")].toString() + u' '
                       + each[QLatin1StringView("detail")].toString();
        }
        return {};
    }

    // Lines of the test internet's log.
    bool reached(const QByteArray &line) const { return m_seen.contains(line); }
    bool reachedAny(const QByteArray &beginning) const
    {
        return std::ranges::any_of(m_seen, [&](const QByteArray &line) { return line.startsWith(beginning); });
    }

    // All there is to know, for a test that failed.
    QByteArray story() const
    {
        return m_trouble + "stdout: " + out() + "\nstderr: " + m_result[QLatin1StringView("stderr")].toString().toUtf8()
               + "\nreason: " + m_result[QLatin1StringView("reason")].toString().toUtf8()
               + "\negress: " + attempts().join(u", ").toUtf8() + "\nevents: "
               + QJsonDocument(m_result[QLatin1StringView("events")].toArray()).toJson(QJsonDocument::Compact)
               + "\nreached: " + m_seen.join(" | ");
    }

private:
    InternetLog m_log;
    QJsonObject m_result;
    QByteArrayList m_seen;
    QByteArray m_trouble;
};

} // namespace glovebox
