// SPDX-License-Identifier: Apache-2.0
// What isn't saved survives: also a kill in the middle of writing, and never as something that was not written.
#include "app/workbench/shell/stash/stash.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <sys/wait.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestStash : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_home;
    QString folder() const { return m_home.path() + u"/"_s + QString::fromLatin1(QTest::currentTestFunction()); }

private Q_SLOTS:
    void whatWasSavedIsThereNextTime()
    {
        {
            StashStore stash(folder());
            stash.save(u"tab-1"_s, "one");
            stash.save(u"tab-1"_s, "two");
            stash.save(u"tab-2"_s, QByteArray("a\0b", 3));
        }
        StashStore again(folder());
        QCOMPARE(again.names(), (QStringList{u"tab-1"_s, u"tab-2"_s}));
        QCOMPARE(**again.load(u"tab-1"_s), QByteArray("two"));
        QCOMPARE(**again.load(u"tab-2"_s), QByteArray("a\0b", 3));
    }

    void whatIsPendingIsSeenAtOnce()
    {
        StashStore stash(folder());
        stash.save(u"tab"_s, "text");
        QCOMPARE(**stash.load(u"tab"_s), QByteArray("text"));
        stash.remove(u"tab"_s);
        QVERIFY(!*stash.load(u"tab"_s));
        QCOMPARE(stash.names(), QStringList());
        QVERIFY(stash.flush().has_value());
        QVERIFY(!QFile::exists(folder() + u"/tab"_s));
    }

    void aBrokenFileIsKeptAsideAndSaid()
    {
        {
            StashStore stash(folder());
            stash.save(u"tab"_s, "text");
        }
        QFile file(folder() + u"/tab"_s);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(file.size() - 1) && file.write("X") == 1);
        file.close();
        StashStore stash(folder());
        const auto loaded = stash.load(u"tab"_s);
        QVERIFY(!loaded);
        QCOMPARE(loaded.error().code, ErrorCode::Damaged);
        QVERIFY(loaded.error().message.english().contains(folder() + u"/tab.broken-1"_s));
        QVERIFY(QFile::exists(folder() + u"/tab.broken-1"_s));
        QCOMPARE(stash.names(), QStringList());
        QVERIFY(*stash.load(u"tab"_s) == std::nullopt); // said once
    }

    void aCutOffFileIsBrokenToo()
    {
        {
            StashStore stash(folder());
            stash.save(u"tab"_s, QByteArray(1000, 'x'));
        }
        QVERIFY(QFile::resize(folder() + u"/tab"_s, 40));
        QVERIFY(!StashStore(folder()).load(u"tab"_s));
    }

    void aSecondProgramIsToldThatItCantKeepAnything()
    {
        StashStore first(folder());
        QVERIFY(!first.unavailable());
        StashStore second(folder());
        QVERIFY(second.unavailable());
        QCOMPARE(second.unavailable()->code, ErrorCode::Busy);
        second.save(u"tab"_s, "lost, as said");
        QVERIFY(second.flush().has_value());
        first.save(u"tab"_s, "kept");
        QCOMPARE(**first.load(u"tab"_s), QByteArray("kept"));
    }

    void aClosedOneIsAnothersWithAllThatWasSaved()
    {
        StashStore first(folder());
        first.save(u"tab"_s, "text");
        first.close();
        first.save(u"tab"_s, "late");
        first.remove(u"tab"_s);
        StashStore second(folder());
        QVERIFY(!second.unavailable());
        QVERIFY(first.flush().has_value());
        QCOMPARE(**second.load(u"tab"_s), QByteArray("text"));
    }

    void aFolderThatCantBeMadeIsSaid()
    {
        QVERIFY(QFile(m_home.path() + u"/file"_s).open(QIODevice::WriteOnly));
        StashStore stash(m_home.path() + u"/file/stash"_s);
        QVERIFY(stash.unavailable());
        QVERIFY(stash.flush().has_value());
    }

    void whatCantBeWrittenIsTroubleUntilItCan()
    {
        StashStore stash(folder());
        std::atomic<int> told = 0;
        stash.onTrouble([&] { ++told; });
        const QString inTheWay = folder() + u"/tab.new"_s;
        QVERIFY(QDir().mkpath(inTheWay));
        for (int i = 0; i < 2; ++i) {
            stash.save(u"tab"_s, "text");
            QVERIFY(!stash.flush());
            QVERIFY(stash.trouble() && stash.trouble()->message.english().contains(inTheWay));
        }
        stash.save(u"other"_s, "text");
        QVERIFY(stash.flush() && stash.trouble());
        QCOMPARE(told, 1);
        QVERIFY(QDir().rmdir(inTheWay));
        stash.save(u"tab"_s, "text");
        QVERIFY(stash.flush() && !stash.trouble());
        QCOMPARE(told, 2);
        QCOMPARE(**stash.load(u"tab"_s), QByteArray("text"));
    }

    void filesAreThePersonsOwn()
    {
        StashStore stash(folder());
        stash.save(u"tab"_s, "text");
        QVERIFY(stash.flush().has_value());
        const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
        QVERIFY(!(QFile::permissions(folder() + u"/tab"_s) & others));
        QVERIFY(!(QFile::permissions(folder()) & others));
    }

    void aKillAtAnyMomentLeavesTheOldOrTheNewText()
    {
        for (int round = 0; round < 20; ++round) {
            const pid_t child = ::fork();
            if (child == 0) {
                StashStore stash(folder());
                for (int i = 0;; ++i) {
                    stash.save(u"tab"_s, QByteArray(200'000, char('a' + i % 26)));
                    (void)stash.flush();
                }
            }
            QTest::qSleep(20 + round * 3);
            sendSignal(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            StashStore stash(folder());
            const auto loaded = stash.load(u"tab"_s);
            QVERIFY2(loaded, loaded ? "" : qPrintable(loaded.error().message.english()));
            if (*loaded) {
                QCOMPARE((*loaded)->size(), 200'000);
                QCOMPARE((*loaded)->count((*loaded)->front()), 200'000);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestStash)
#include "tst_stash.moc"
