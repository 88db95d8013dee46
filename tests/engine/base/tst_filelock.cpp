// SPDX-License-Identifier: Apache-2.0
// A lock that is held names a file that is there.
#include "engine/base/base.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <atomic>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestFileLock : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void oneHoldsItAtATime()
    {
        const QString path = m_folder.filePath(u"one.lock"_s);
        {
            const auto lock = FileLock::create(path);
            QVERIFY(lock);
            QCOMPARE(lock->path(), path);
            const auto second = FileLock::tryExisting(path);
            QVERIFY(second);
            QVERIFY(!second->has_value());
        }
        const auto later = FileLock::tryExisting(path);
        QVERIFY(later && later->has_value());
    }

    void aLockThatIsHeldIsBusyInTheEnd()
    {
        const QString path = m_folder.filePath(u"held.lock"_s);
        const auto lock = FileLock::create(path);
        const auto second = FileLock::create(path);
        QVERIFY(!second);
        QCOMPARE(second.error().code, ErrorCode::Busy);
        // Also where the holder is no program that a person started, and can't be ended.
        QCOMPARE(
            second.error().message.english(),
            u"The lock %1 is held by another program, or by one of Glovebox's own that waits for a disk. Try again "
            "when it has ended."_s.arg(path));
    }

    void aFileThatIsGoneIsNobodysLock()
    {
        const auto lock = FileLock::tryExisting(m_folder.filePath(u"gone.lock"_s));
        QVERIFY(lock && !lock->has_value());
        QVERIFY(!QFileInfo::exists(m_folder.filePath(u"gone.lock"_s)));
    }

    void removingUnlinksTheFile()
    {
        const QString path = m_folder.filePath(u"removed.lock"_s);
        auto lock = FileLock::create(path);
        QVERIFY(QFileInfo::exists(path));
        lock->removeAndRelease();
        QVERIFY(!QFileInfo::exists(path));
        lock->removeAndRelease(); // once more is harmless
    }

    void aMissingFolderIsAnError()
    {
        const auto lock = FileLock::create(m_folder.filePath(u"none/x.lock"_s));
        QVERIFY(!lock);
        QCOMPARE(lock.error().code, ErrorCode::NotFound);
    }

    void symbolicLinksAreNotFollowed()
    {
        const QString path = m_folder.filePath(u"link.lock"_s);
        QVERIFY(QFile::link(m_folder.filePath(u"target"_s), path));
        QVERIFY(!FileLock::create(path));
        QVERIFY(!FileLock::tryExisting(path));
        QVERIFY(!QFileInfo::exists(m_folder.filePath(u"target"_s)));
    }

    // Somebody recovers, that is locks, unlinks and releases, all the time: who has made a lock must still hold the one that
    // the path names.
    void aRecoveringProgramNeverLeavesTwoHolders()
    {
        const QString path = m_folder.filePath(u"race.lock"_s);
        std::atomic<bool> stop = false;
        const auto recover = [&] {
            while (!stop) {
                if (auto lock = FileLock::tryExisting(path); lock && *lock)
                    (*lock)->removeAndRelease();
            }
        };
        const std::jthread recovery[] = {std::jthread(recover), std::jthread(recover)};
        int wrong = 0;
        for (int i = 0; i < 10000; ++i) {
            const auto lock = FileLock::create(path);
            const auto other = lock ? FileLock::tryExisting(path) : std::unexpected(lock.error());
            if (!lock || !other || other->has_value() || !QFileInfo::exists(path))
                ++wrong;
        }
        stop = true;
        QCOMPARE(wrong, 0);
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestFileLock)
#include "tst_filelock.moc"
