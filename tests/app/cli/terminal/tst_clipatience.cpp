// SPDX-License-Identifier: Apache-2.0
// How long the program waits for what never answers: by the times of the manual, which other tests shorten.
#include "../../../engine/vault/desktop.h"
#include "desk.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliPatience : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // All at the same time.
    void itEndsWhenTheManualSays()
    {
        if (const QString why = test::Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        test::Desktop desktop;
        QVERIFY(desktop.startBus() && desktop.startKeyring(true));
        const Home home;
        QVERIFY(
            test::Desktop::until([&] { return home.run({u"secret"_s, u"check"_s}).out.contains("keychain: ready"); }));
        const Ended set = home.run({u"secret"_s, u"set"_s, u"KEY"_s}, "the value of the test");
        QVERIFY2(set.status == 0, set.err.constData());
        desktop.stopKeyring();
        QVERIFY(desktop.startKeyring(false));
        const QString why = desktop.startDialogs();
        if (!why.isEmpty())
            QSKIP(qPrintable(why));
        QVERIFY(test::Desktop::until([&] { return home.run({u"secret"_s, u"check"_s}).out.contains("locked"); }));
        QVERIFY(QDir(home.path()).mkpath(u"config"_s));
        const QString list = home.write(u"config/mcp-servers.json"_s,
                                        "{\"t\": {\"command\": [\"/usr/bin/python3\", \"" GLOVEBOX_SOURCE_DIR
                                        "/tests/support/toolserver.py\"], \"tools\": {\"hangs\": {}}}}");
        QVERIFY(QFile::setPermissions(list, QFile::ReadOwner | QFile::WriteOwner));

        const auto call = home.program({u"run"_s, u"--timeout"_s, u"3m"_s, u"--tool"_s, u"t.hangs"_s, u"-c"_s,
                                        u"from glovebox_tools import t, ToolError\n"
                                        "try:\n  t.hangs()\nexcept ToolError as error:\n  print('told:', error)"_s});
        QElapsedTimer clock;
        clock.start();
        call->start();
        Desk locked(home, {u"run"_s, u"--secret"_s, u"KEY"_s, u"-c"_s, u"print(1)"_s});
        QVERIFY2(locked.waitFor("Your desktop asks for its password"), locked.seen.constData());
        QVERIFY(test::Desktop::until([&] { return desktop.isDialogShown(); }));
        QCOMPARE(locked.status(), 125);
        QVERIFY2(clock.elapsed() >= 30'000 && clock.elapsed() < 45'000, qPrintable(QString::number(clock.elapsed())));
        QVERIFY2(locked.seen.contains("Answer its dialog"), locked.seen.constData());
        QVERIFY(call->waitForFinished(60'000));
        QVERIFY2(clock.elapsed() >= 60'000 && clock.elapsed() < 90'000, qPrintable(QString::number(clock.elapsed())));
        const QByteArray printed = call->readAllStandardOutput();
        QVERIFY2(call->exitCode() == 0 && printed.startsWith("told: "),
                 (printed + call->readAllStandardError()).constData());
    }
};

QTEST_GUILESS_MAIN(TestCliPatience)
#include "tst_clipatience.moc"
