// SPDX-License-Identifier: Apache-2.0
// For test programs that live in the test internet: they start themselves anew in it, and read what reached its servers.
#pragma once

#include <QCoreApplication>
#include <QFile>
#include <QTest>

#include <unistd.h>

#include <cstdio>
#include <vector>

namespace glovebox {

// Returns in the test internet; elsewhere it starts the program there and doesn't return.
inline void enterTestInternet(char **arguments)
{
    if (qEnvironmentVariableIsSet("TEST_INTERNET_LOG"))
        return;
    const QByteArray helper = GLOVEBOX_SOURCE_DIR "/tests/support/internet";
    std::vector<const char *> words{helper.constData()};
    for (char **argument = arguments; *argument; ++argument)
        words.push_back(*argument);
    words.push_back(nullptr);
    ::execv(helper.constData(), const_cast<char *const *>(words.data()));
    std::perror("tests/support/internet");
    std::_Exit(125);
}

// What happened there since this began: "request https www.allowed.test GET /", "canary 127.0.0.1 80" (see tests/support/internet).
class InternetLog
{
public:
    InternetLog() { m_start = whole().size(); }

    QByteArrayList lines() const { return whole().mid(m_start).split('\n'); }
    bool has(const QByteArray &line) const { return lines().contains(line); }
    // Lines that begin with that.
    qsizetype count(const QByteArray &beginning) const
    {
        const QByteArrayList all = lines();
        return std::ranges::count_if(all, [&](const QByteArray &line) { return line.startsWith(beginning); });
    }

private:
    static QByteArray whole()
    {
        QFile file(qEnvironmentVariable("TEST_INTERNET_LOG"));
        if (!file.open(QIODevice::ReadOnly))
            qFatal("The log of the test internet can't be read.");
        return file.readAll();
    }

    qsizetype m_start = 0;
};

} // namespace glovebox

// Instead of QTEST_GUILESS_MAIN.
#define GLOVEBOX_INTERNET_TEST_MAIN(TestClass)                                                                         \
    GLOVEBOX_TEST_FILE                                                                                                 \
    {                                                                                                                  \
        glovebox::enterTestInternet(argv);                                                                             \
        const QCoreApplication application(argc, argv);                                                                \
        TestClass test;                                                                                                \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
