// SPDX-License-Identifier: Apache-2.0
// What was acknowledged is there after kill -9, and a full disk is a pause.
#include "fixture.h"

#include <QTemporaryDir>
#include <QTest>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestDurability : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyAcknowledgedEntrySurvivesAKilledWriter()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(u"audit.db"_s);
        int acknowledged = 0;
        for (int round = 0; round < 5; ++round) {
            Child child({u"live"_s, file, folder.path()});
            QStringList said{child.line()};
            QTest::qWait(50 + 37 * round);
            said += child.kill();
            acknowledged += int(said.size());

            const auto reader = AuditReader::open(file).value();
            for (const QString &line : std::as_const(said)) {
                const QString run = line.section(u' ', 1, 1);
                const qsizetype entries = reader->entriesOf(run).value().size();
                QVERIFY2(entries >= (line.startsWith(u"closed") ? 2 : 1), qPrintable(line));
            }
            QCOMPARE(checkEntries(file), u"dense"_s);
            QCOMPARE(sql(file, "PRAGMA integrity_check"), u"ok"_s);
        }
        qInfo("%d acknowledgements checked", acknowledged);
        const auto log = AuditLog::open(file, u"engine"_s, Clock::system()).value();
        QVERIFY(append(*log, accepted(u"after"_s)));
    }

    void aFullDiskIsASentenceAndAPause_data()
    {
        QTest::addColumn<QString>("role");
        QTest::newRow("a limit on the size of files") << u"fill-limit"_s;
        QTest::newRow("a small disk") << u"fill-disk"_s;
    }
    void aFullDiskIsASentenceAndAPause()
    {
        QFETCH(QString, role);
        const QTemporaryDir folder;
        Child child({role, folder.filePath(u"audit.db"_s)});
        const QString first = child.line();
        if (first == u"no disk of its own")
            QSKIP("This machine gives no user namespace to mount a small disk in.");
        QVERIFY2(first.startsWith(u"full after "), qPrintable(first));
        QVERIFY(first.section(u' ', 2).toInt() > 5);
        const QString told = child.line();
        if (role == u"fill-disk"_s)
            QCOMPARE(told, u"told"_s);
        QCOMPARE(child.line(), u"goes on"_s);
    }

    void onAFullDiskDeletionsAreRecordedAndRunsAreNot()
    {
        const QTemporaryDir folder;
        Child child({u"delete"_s, folder.filePath(u"audit.db"_s)});
        const QString first = child.line();
        if (first == u"no disk of its own")
            QSKIP("This machine gives no user namespace to mount a small disk in.");
        const QStringList round{u"no run 1"_s, u"deleted"_s, u"no run 1"_s, u"told"_s, u"goes on"_s, u"over"_s};
        QStringList said{first};
        while (said.size() < 2 * round.size())
            said.append(child.line());
        QCOMPARE(said, round + round);
    }
};

QTEST_GUILESS_MAIN(TestDurability)
#include "tst_durability.moc"
