// SPDX-License-Identifier: Apache-2.0
// Changes to a copy are put into the original, and never overwrite what somebody else changed.
#include "stagingfixture.h"

#include "tests/support/trappedcalls.h"

#include <QScopeGuard>

#include <sys/syscall.h>
#include <sys/xattr.h>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

std::atomic<int> waits = 0; // for the disk

}

// Instead of those of the C library, in this program.
extern "C" int fsync(int descriptor)
{
    ++waits;
    return int(::syscall(SYS_fsync, descriptor));
}

extern "C" int syncfs(int descriptor) noexcept
{
    ++waits;
    return int(::syscall(SYS_syncfs, descriptor));
}

class TestApplying : public QObject, private StagingFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { StagingFixture::init(); }
    void cleanup() { StagingFixture::cleanup(); }

    void tellsAndAppliesEveryKindOfChange()
    {
        QCOMPARE(shell(at(u"original"_s),
                       u"echo 1 > changed; echo 1 > touched; echo 1 > mode; mkdir -p gone/deep keep; echo 1 > "
                       "gone/deep/f; echo 1 > gone/g; ln -s a link; echo 1 > becomes; echo 1 > same; chmod 640 "
                       "changed"_s),
                 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy,
                       u"echo 2 > changed; touch touched; echo 1 > same; chmod 755 mode; rm -r gone; ln -sfn b link; "
                       "rm becomes; mkdir becomes; echo 2 > becomes/f; mkdir -p new/deep; echo 2 > new/deep/f; ln -s "
                       "/etc new/l; chmod 700 keep; echo x > Makefile"_s),
                 0);
        const QStringList expected{u"+Makefile"_s, u"-becomes"_s,  u"+becomes"_s,    u"+becomes/f"_s,
                                   u"~changed"_s,  u"-gone"_s,     u"-gone/deep"_s,  u"-gone/deep/f"_s,
                                   u"-gone/g"_s,   u"~keep"_s,     u"~link"_s,       u"~mode"_s,
                                   u"+new"_s,      u"+new/deep"_s, u"+new/deep/f"_s, u"+new/l"_s};
        const auto changes = m_staging->finish(m_run).changes;
        QCOMPARE(told(changes.value(0)), expected);
        QVERIFY(changes.value(0).changes.first().isSensitive);
        QCOMPARE(changes.value(0).changes.first().why.english(), u"Build tools run this."_s);
        QCOMPARE(changes.value(0).changes.last().why.english(), u"This link leads out of the folder."_s);
        QCOMPARE(contentOf(u"changed"_s), "1\n"); // not before the person says so
        QCOMPARE(told(m_staging->pending(m_run)->folders.value(0)), expected);

        const auto report = m_staging->apply(m_run);
        QVERIFY2(report && report->refused.isEmpty(), qPrintable(sentences(report)));
        QCOMPARE(report->applied, expected.size());
        QProcess look;
        look.start(u"sh"_s,
                   {u"-c"_s,
                    u"cd \"$0\"; find . -mindepth 1 -printf '%P %m %l\\n' | sort; cat changed becomes/f new/deep/f"_s,
                    at(u"original"_s)});
        QVERIFY(look.waitForFinished());
        QCOMPARE(
            look.readAllStandardOutput(),
            QByteArray(
                "Makefile 644 \nbecomes 755 \nbecomes/f 644 \nchanged 640 \nkeep 700 \nlink 777 b\nmode 755 \nnew 755 "
                "\nnew/deep 755 \nnew/deep/f 644 \nnew/l 777 /etc\nsame 644 \ntouched 644 \n2\n2\n2\n"));
        QCOMPARE(m_staging->pending(m_run).error().code, ErrorCode::NotFound);
    }

    void neverOverwritesWhatSomebodyElseChanged()
    {
        QCOMPARE(shell(at(u"original"_s),
                       u"for f in a b c d e ok; do echo 1 > $f; done; mkdir dir sub; echo 1 > dir/f; echo 1 > sub/f; "
                       "ln -s x link"_s),
                 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy,
                       u"for f in a b d e ok sub/f new1 new2; do echo theirs > $f; done; rm c; rm -r dir; ln -sfn y "
                       "link; mkdir new3"_s),
                 0);
        QVERIFY(!m_staging->finish(m_run).changes.isEmpty());
        QCOMPARE(
            shell(at(u"original"_s),
                  u"echo mine > a; rm b; ln -s c b; echo mine > c; touch -d @1 d; echo mine > dir/other; echo "
                  "mine > new1; ln -s /etc/passwd new2; echo mine > new3; ln -sfn z link; mv sub away; ln -s away sub; "
                  "echo 1 > x; mv x e"_s),
            0);
        const auto report = m_staging->apply(m_run);
        QVERIFY(report);
        QCOMPARE(contentOf(u"a"_s), "mine\n");
        QCOMPARE(contentOf(u"b"_s), "mine\n"); // a link to c now
        QCOMPARE(contentOf(u"c"_s), "mine\n");
        QCOMPARE(contentOf(u"d"_s), "1\n");
        QCOMPARE(contentOf(u"e"_s), "1\n");
        QCOMPARE(contentOf(u"dir/other"_s), "mine\n");
        QCOMPARE(contentOf(u"new1"_s), "mine\n");
        QCOMPARE(contentOf(u"new3"_s), "mine\n");
        QCOMPARE(contentOf(u"away/f"_s), "1\n"); // not through a link
        QCOMPARE(QFile::symLinkTarget(at(u"original/link"_s)), at(u"original/z"_s));
        QCOMPARE(contentOf(u"ok"_s), "theirs\n");
        QCOMPARE(report->refused.size(), 11);
        QVERIFY2(sentences(report).contains(u"a was changed in the original meanwhile"_s),
                 qPrintable(sentences(report)));
        QVERIFY(!told(m_staging->pending(m_run)->folders.value(0)).contains(u"~ok"_s)); // done is done, the rest waits
        QVERIFY(told(m_staging->pending(m_run)->folders.value(0)).contains(u"~a"_s));
        const auto again = m_staging->apply(m_run);
        QCOMPARE(again->refused.size(), 11);
        QCOMPARE(contentOf(u"a"_s), "mine\n");
    }

    // vfat has no hard links and no permissions; many a file system of FUSE can't rename without replacing either.
    void newFilesComeToFileSystemsThatCanDoLess_data()
    {
        QTest::addColumn<bool>("links");
        QTest::addColumn<bool>("renames");
        QTest::addRow("no hard links") << false << true;
        QTest::addRow("no renaming without replacing") << true << false;
        QTest::addRow("neither") << false << false;
    }

    void newFilesComeToFileSystemsThatCanDoLess()
    {
        QFETCH(bool, links);
        QFETCH(bool, renames);
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > changed"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > changed; echo 2 > new; mkdir d; echo 2 > d/f; ln -s f d/l; echo 2 > "
                                     "meanwhile; ln -s new meanwhile2"_s),
                 0);
        m_staging->finish(m_run);
        QCOMPARE(shell(at(u"original"_s), u"echo mine > meanwhile; echo mine > meanwhile2"_s), 0);
        Result<ApplyReport> report;
        std::thread([&] {
            std::vector<test::FailingCall> failing{{SYS_fchmod, EPERM},
                                                   {SYS_openat, EOPNOTSUPP, 2, O_TMPFILE | O_WRONLY | O_CLOEXEC}};
            if (!links)
                failing.push_back({SYS_linkat, EPERM, 4, 0}); // QSaveFile links, too, with a flag
            if (!renames)
                failing.push_back({SYS_renameat2, EINVAL, 4, RENAME_NOREPLACE});
            test::failCalls(failing);
            report = m_staging->apply(m_run);
        }).join();
        QVERIFY(report);
        QCOMPARE(sentences(report), u"meanwhile was changed in the original meanwhile, so it was left as it is.\n"
                                    "meanwhile2 was changed in the original meanwhile, so it was left as it is."_s);
        QCOMPARE(report->applied, 5);
        for (const char *name : {"changed", "new", "d/f", "d/l"})
            QCOMPARE(contentOf(QString::fromLatin1(name)), "2\n");
        QCOMPARE(contentOf(u"meanwhile"_s), "mine\n");
        QCOMPARE(contentOf(u"meanwhile2"_s), "mine\n");
        const auto names = QDir(at(u"original"_s)).entryList(QDir::Files | QDir::Hidden | QDir::System);
        QCOMPARE(names, (QStringList{u"changed"_s, u"meanwhile"_s, u"meanwhile2"_s, u"new"_s}));
    }

    // To whoever is not root.
    void foldersAreClosedWhenAllIsInThem()
    {
        QCOMPARE(shell(at(u"original"_s), u"mkdir d; echo 1 > d/f"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > d/f; chmod 0 d; mkdir -p n/m; echo 2 > n/m/f; chmod 555 n/m n"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        const auto report = m_staging->apply(m_run);
        QVERIFY2(report && report->refused.isEmpty(), qPrintable(sentences(report)));
        QProcess look;
        look.start(u"sh"_s, {u"-c"_s, u"cd \"$0\"; stat -c %a d n n/m; chmod -R u+rwx d n"_s, at(u"original"_s)});
        QVERIFY(look.waitForFinished());
        QCOMPARE(look.readAllStandardOutput(), QByteArray("0\n555\n555\n"));
        QCOMPARE(contentOf(u"d/f"_s), "2\n");
        QCOMPARE(contentOf(u"n/m/f"_s), "2\n");
    }

    void takesTheSameChangeForDone()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > a; echo 1 > c"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a; echo 2 > b; rm c; mkdir c; echo 2 > c/f"_s), 0);
        m_staging->finish(m_run);
        QCOMPARE(shell(at(u"original"_s), u"echo 2 > a; echo 2 > b; rm c; mkdir c"_s), 0);
        const auto report = m_staging->apply(m_run);
        QVERIFY2(report && report->refused.isEmpty(), qPrintable(sentences(report)));
        QVERIFY(m_staging->pending().isEmpty());
    }

    // Nobody knows whether it is gone.
    void aRemovalInAClosedFolderIsRefused()
    {
        QCOMPARE(shell(at(u"original"_s), u"mkdir d; echo 1 > d/f; mkdir e; echo 1 > e/f"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"rm d/f e/f"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        QCOMPARE(shell(at(u"original"_s), u"chmod 0 d; rm -r e; echo 1 > e"_s), 0);
        {
            const AsTheirOwner owner;
            const auto report = m_staging->apply(m_run);
            QVERIFY(report);
            QCOMPARE(sentences(report), u"d/f could not be removed: Permission denied."_s);
            QCOMPARE(report->applied, 1);
        }
        QCOMPARE(shell(at(u"original"_s), u"chmod 700 d; test -e d/f"_s), 0);
        QCOMPARE(told(m_staging->pending(m_run)->folders[0]), QStringList{u"-d/f"_s});
        QCOMPARE(m_staging->apply(m_run)->applied, 1);
        QVERIFY(!QFile::exists(at(u"original/d/f"_s)));
    }

    void refusesAFolderThatIsAnotherNow()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a"_s), 0);
        m_staging->finish(m_run);
        QCOMPARE(shell(m_room->path(), u"mv original before; mkdir elsewhere; ln -s elsewhere original"_s), 0);
        QVERIFY2(sentences(m_staging->apply(m_run)).contains(u"is no longer the folder"_s),
                 qPrintable(sentences(m_staging->apply(m_run))));
        QVERIFY(!QFile::exists(at(u"elsewhere/a"_s)));
        QCOMPARE(shell(m_room->path(), u"rm original; mv before original"_s), 0);
        QVERIFY(m_staging->apply(m_run)->refused.isEmpty());
        QCOMPARE(contentOf(u"a"_s), "2\n");
    }

    void takesOverNoSocketAndNoSetIdBit()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"mkfifo fifo; echo 2 > setid; chmod 6755 setid"_s), 0);
        m_staging->finish(m_run);
        const auto report = m_staging->apply(m_run);
        QVERIFY(report && report->refused.size() == 1);
        QVERIFY(!QFile::exists(at(u"original/fifo"_s)));
        struct stat info = {};
        QCOMPARE(::stat(QFile::encodeName(at(u"original/setid"_s)).constData(), &info), 0);
        QCOMPARE(info.st_mode & 07777, 0755U);
    }

    // The permissions of the group are those of the mask as long as there is an access list.
    void anAccessListIsNotTurnedIntoPermissionsOfTheGroup()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > f; echo 1 > gone; chmod 600 f gone; mkdir -m 700 folder"_s), 0);
        // acl(5): version 2; owner rwx, user 65534 rwx, group nothing, mask rwx, others nothing.
        const QByteArray list = QByteArray::fromHex("02000000"
                                                    "01000700ffffffff"
                                                    "02000700feff0000"
                                                    "04000000ffffffff"
                                                    "10000700ffffffff"
                                                    "20000000ffffffff");
        const auto path = [&](const QString &name) { return QFile::encodeName(at(u"original/"_s + name)); };
        for (const QString &name : {u"f"_s, u"gone"_s, u"folder"_s}) {
            if (::setxattr(path(name).constData(), "system.posix_acl_access", list.constData(),
                           std::size_t(list.size()), 0)
                != 0)
                QSKIP("The file system of temporary files has no access lists.");
        }
        const bool hasAttributes = ::setxattr(path(u"f"_s).constData(), "user.tag", "mine", 4, 0) == 0;
        const auto attributeOfF = [&](const char *name) {
            QByteArray value(1000, '\0');
            const ssize_t size = ::getxattr(path(u"f"_s).constData(), name, value.data(), std::size_t(value.size()));
            return value.first(std::max<ssize_t>(size, 0));
        };
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > f; rm -r gone folder"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        for (const bool isUndone : {false, true}) {
            const auto report = isUndone ? m_staging->undo(m_run) : m_staging->apply(m_run);
            QVERIFY2(report && report->applied == 3, qPrintable(sentences(report)));
            QCOMPARE(contentOf(u"f"_s), QByteArray(isUndone ? "1\n" : "2\n"));
            QCOMPARE(attributeOfF("system.posix_acl_access"), list);
            QCOMPARE(attributeOfF("user.tag"), QByteArray(hasAttributes ? "mine" : ""));
        }
        for (const QString &name : {u"gone"_s, u"folder"_s}) {
            struct stat info = {};
            QCOMPARE(::stat(path(name).constData(), &info), 0);
            QCOMPARE(info.st_mode & 0777, 0700U); // without the list
        }
    }

    // A mask of nothing, as chmod 600 leaves it, takes everything from the group that its entry has.
    void theMaskBoundsWhatTheGroupGetsBack()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > gone"_s), 0);
        const QByteArray path = QFile::encodeName(at(u"original/gone"_s));
        const QByteArray list = QByteArray::fromHex("02000000"
                                                    "01000600ffffffff"
                                                    "04000600ffffffff"
                                                    "10000000ffffffff"
                                                    "20000000ffffffff");
        if (::setxattr(path.constData(), "system.posix_acl_access", list.constData(), std::size_t(list.size()), 0) != 0)
            QSKIP("The file system of temporary files has no access lists.");
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"rm gone"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        QVERIFY(m_staging->apply(m_run) && m_staging->undo(m_run));
        struct stat info = {};
        QCOMPARE(::stat(path.constData(), &info), 0);
        QCOMPARE(info.st_mode & 0777, 0600U);
    }

    // A changed file that has no list gets none of its folder's default one.
    void theListOfAFolderIsNotGivenToFilesThatHadNone()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > f; chmod 640 f"_s), 0);
        // For user 65534 read and write.
        const QByteArray list = QByteArray::fromHex("02000000"
                                                    "01000700ffffffff"
                                                    "02000600feff0000"
                                                    "04000500ffffffff"
                                                    "10000700ffffffff"
                                                    "20000000ffffffff");
        if (::setxattr(QFile::encodeName(at(u"original"_s)).constData(), "system.posix_acl_default", list.constData(),
                       std::size_t(list.size()), 0)
            != 0)
            QSKIP("The file system of temporary files has no access lists.");
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > f"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        for (const bool isUndone : {false, true}) {
            QVERIFY(isUndone ? m_staging->undo(m_run) : m_staging->apply(m_run));
            const QByteArray f = QFile::encodeName(at(u"original/f"_s));
            char value[200];
            QCOMPARE(::getxattr(f.constData(), "system.posix_acl_access", value, sizeof value), -1);
            struct stat info = {};
            QCOMPARE(::stat(f.constData(), &info), 0);
            QCOMPARE(info.st_mode & 0777, 0640U);
        }
    }

    void holesStayHolesOnTheWayThereAndBack()
    {
        const auto blocks = [](const QString &path) {
            struct stat info = {};
            return ::stat(QFile::encodeName(path).constData(), &info) == 0 ? qint64(info.st_blocks) * 512 : -1;
        };
        QCOMPARE(shell(at(u"original"_s), u"truncate -s 500M copied; printf x | dd of=copied bs=1 seek=300M "
                                          "conv=notrunc status=none"_s),
                 0);
        Limits limits;
        limits.diskBytes = 16 * mebibyte;
        const auto staged = copy(nullptr, limits);
        QVERIFY2(staged, qPrintable(staged ? QString() : staged.error().message.english()));
        QVERIFY(blocks(staged->copy + u"/copied"_s) < mebibyte);
        QCOMPARE(QFileInfo(staged->copy + u"/copied"_s).size(), 500 * mebibyte);
        QCOMPARE(
            shell(staged->copy, u"for i in $(seq 20); do truncate -s 16M $i; printf end >> $i; done; touch copied"_s),
            0);
        QCOMPARE(m_staging->finish(m_run).changes.value(0).changes.size(), 20); // and copied is the same
        const auto report = m_staging->apply(m_run);
        QVERIFY2(report && report->refused.isEmpty(), qPrintable(sentences(report)));
        qint64 taken = 0;
        for (int i = 1; i <= 20; ++i) {
            const QString file = at(u"original/"_s + QString::number(i));
            taken += blocks(file);
            QCOMPARE(QFileInfo(file).size(), 16 * mebibyte + 3);
            QCOMPARE(contentOf(QString::number(i)).sliced(16 * mebibyte - 1), QByteArray("\0end", 4));
        }
        QVERIFY2(taken < mebibyte, qPrintable(QString::number(taken)));
    }

    void manyFilesDoNotWaitForTheDiskOneByOne()
    {
        QCOMPARE(shell(at(u"original"_s), u"mkdir d; for i in $(seq 600); do echo 1 > d/c$i; done"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(
            shell(staged->copy,
                  u"mkdir new; for i in $(seq 600); do echo 2 > d/c$i; echo $i > new/f$i; done; chmod 751 new/*"_s),
            0);
        QVERIFY(m_staging->finish(m_run).kept);
        QCOMPARE(shell(at(u"original"_s), u"echo mine > d/c7"_s), 0);
        waits = 0;
        const auto report = m_staging->apply(m_run);
        QCOMPARE(sentences(report), u"d/c7 was changed in the original meanwhile, so it was left as it is."_s);
        QCOMPARE(report->applied, 1200);
        QVERIFY2(waits > 0 && waits < 60, qPrintable(QString::number(waits.load())));
        QCOMPARE(shell(at(u"original"_s),
                       u"for i in $(seq 600); do read x < new/f$i; test $x = $i; done; test $(stat -c %a new/* | sort "
                       u"-u) = 751; "
                       "test $(cat d/c* | sort -u | tr -d '\\n') = 2mine; test $(ls -A d new | wc -l) = 1203"_s),
                 0);
        waits = 0;
        const auto undone = m_staging->undo(m_run);
        QVERIFY2(undone && undone->refused.isEmpty(), qPrintable(sentences(undone)));
        QVERIFY2(waits > 0 && waits < 60, qPrintable(QString::number(waits.load())));
        QCOMPARE(shell(at(u"original"_s), u"test ! -e new; test $(cat d/c* | sort -u | tr -d '\\n') = 1mine"_s), 0);
    }

    void undoingTakesNoMoreThanApplying()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"for i in $(seq 8000); do : > f$i; done"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        const auto processorTime = [] {
            timespec now = {};
            ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
            return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
        };
        const double begin = processorTime();
        QVERIFY(m_staging->apply(m_run));
        const double applied = processorTime();
        const auto undone = m_staging->undo(m_run);
        QVERIFY(undone && undone->applied == 8000);
        const double took = processorTime() - applied;
        QVERIFY2(took < 3 * (applied - begin), qPrintable(u"%1 s and %2 s"_s.arg(took).arg(applied - begin)));
    }

    void whatDoesNotFitIsRefusedBeforeAnythingIsDone()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can mount a small file system here.");
        QCOMPARE(shell(at(u"original"_s), u"mount -t tmpfs -o size=4m,nr_inodes=100 small ."_s), 0);
        const auto away = qScopeGuard([this] { shell(m_room->path(), u"umount original"_s); });
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > a"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a; head -c 3M /dev/zero > b; head -c 3M /dev/zero > c"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        bool hasBegun = false;
        const auto report = m_staging->apply(m_run, [&](const PendingChanges &) {
            hasBegun = true;
            return Status();
        });
        QVERIFY(!report && !hasBegun);
        QCOMPARE(report.error().code, ErrorCode::Full);
        QVERIFY2(sentences(report).startsWith(u"The changes need 7 MB in "_s), qPrintable(sentences(report)));
        QCOMPARE(contentOf(u"a"_s), "1\n");
        QVERIFY(m_staging->pending(m_run));
    }

    void whatIsAppliedIsWhatWasShown()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > a; echo 1 > b"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a; echo 2 > b"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        const QString kept = QDir::cleanPath(staged->copy + u"/../../../kept/"_s + m_run);
        QProcess others; // what anybody but the owner may do there
        others.start(u"find"_s, {kept, u"-perm"_s, u"/077"_s});
        QVERIFY(others.waitForFinished());
        QCOMPARE(others.readAllStandardOutput(), QByteArray());
        // Somebody who gets there all the same.
        QCOMPARE(shell(kept, u"for f in $(find . -path '*changed*' -type f | sort | head -1); do echo evil > $f; done; "
                             "echo more > changed-0/99"_s),
                 0);
        const auto report = m_staging->apply(m_run);
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Damaged);
        QCOMPARE(contentOf(u"a"_s) + contentOf(u"b"_s), "1\n1\n");
        QVERIFY(!QFile::exists(at(u"original/99"_s)));
    }
};

QTEST_GUILESS_MAIN(TestApplying)
#include "tst_applying.moc"
