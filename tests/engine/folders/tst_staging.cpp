// SPDX-License-Identifier: Apache-2.0
// Copies of folders: what is copied, what is found different afterwards, and that applying never overwrites what somebody
// else changed. What a run would do to a copy is done here by a shell.
#include "engine/folders/folders.h"
#include "tests/support/trappedcalls.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestStaging : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_room;
    std::unique_ptr<Staging> m_staging;
    QString m_run;

    QString at(const QString &name) const { return m_room->filePath(name); }

    static int shell(const QString &folder, const QString &script)
    {
        return QProcess::execute(u"/bin/sh"_s, {u"-c"_s, u"set -e; umask 022; cd \"$0\"; "_s + script, folder});
    }

    QByteArray contentOf(const QString &name) const
    {
        QFile file(at(u"original/"_s + name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
    }

    Paths paths() const
    {
        Paths paths;
        paths.data = at(u"data"_s);
        return paths;
    }

    // A copy of the folder original.
    Result<StagedFolder> copy(QStringList *skipped = nullptr, const Limits &limits = {})
    {
        const UniqueFd fd(::open(QFile::encodeName(at(u"original"_s)).constData(), O_PATH | O_DIRECTORY));
        struct stat info = {};
        ::fstat(fd.get(), &info);
        QStringList names;
        auto staged = m_staging->copy(
            m_run, {at(u"original"_s), u"/mnt/x"_s, FolderGrant::Mode::Stage},
            {.hostPath = at(u"original"_s), .device = info.st_dev, .inode = info.st_ino}, limits, {},
            [&](const QByteArray &order, int to) { return copyFolder(order, fd.get(), to); }, names);
        if (skipped)
            *skipped = names;
        return staged;
    }

    static QStringList told(const FolderChanges &folder)
    {
        QStringList lines;
        for (const FolderChange &change : folder.changes)
            lines.append(u"+~-"_s.at(int(change.kind)) + QString::fromUtf8(change.path));
        return lines;
    }

    QString sentences(const Result<ApplyReport> &report) const
    {
        if (!report)
            return report.error().message.english();
        QStringList all;
        for (const Text &text : report->refused)
            all.append(text.english());
        return all.join(u'\n');
    }

private Q_SLOTS:
    void init()
    {
        m_room = std::make_unique<QTemporaryDir>();
        m_staging =
            std::make_unique<Staging>(paths(), newId(Clock::system()), [] { return HostIdentity{65534, 65534}; });
        m_run = newId(Clock::system());
        QVERIFY(QDir().mkpath(at(u"data/engines"_s)));
        QVERIFY(QDir().mkpath(at(u"original"_s)));
    }
    void cleanup()
    {
        for (const PendingChanges &changes : m_staging->pending())
            QVERIFY(m_staging->discard(changes.run));
        m_staging.reset();
        QVERIFY(!QFile::exists(at(u"data/staging"_s))); // nothing is left over
    }

    void bothVersionsOfAFileCanBeLookedAt()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo one > f; echo gone > g; echo secret > ../outside"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo two > f; rm g; ln -s ../../../../outside g; mkfifo pipe; "
                                     "mkdir d; ln -s / d/root; head -c 5000 /dev/zero > big"_s),
                 0);
        QVERIFY(!m_staging->finish(m_run).changes.isEmpty());
        const auto look = [this](const QByteArray &path) {
            return m_staging->versions(m_run, u"/mnt/x"_s, path, 4096);
        };
        QCOMPARE(look("f").value(), (FileVersions{"one\n", "two\n"}));
        QCOMPARE(look("g").value(), (FileVersions{"gone\n", std::nullopt})); // a link is not followed
        QCOMPARE(look("pipe").value(), FileVersions()); // nor waited for
        QCOMPARE(look("d/root/etc/passwd").value(), FileVersions());
        QCOMPARE(look("../f").value(), FileVersions());
        QVERIFY(!look("big"));
        QVERIFY(!m_staging->versions(m_run, u"/mnt/y"_s, "f", 4096));
        QVERIFY(!m_staging->versions(u"../../x"_s, u"/mnt/x"_s, "f", 4096));
    }

    void whatIsWithheldIsSeenByNobodyBefore()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > f; echo 1 > gone"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo value > f; rm gone; echo 2 > value; ln -s value link; mkfifo fifo; "
                                     "echo 2 > harmless"_s),
                 0);
        const Staging other(paths(), newId(Clock::system()), {});
        qsizetype seen = 0;
        QMap<QByteArray, QByteArray> contents;
        const auto finished = m_staging->finish(m_run, [&](FolderChange &change, int content) {
            seen += other.pending().size();
            contents[change.path] = "(none)";
            if (QFile file; content >= 0 && file.open(content, QIODevice::ReadOnly))
                contents[change.path] = file.readAll();
            change.isWithheld = (change.path + change.target + contents[change.path]).contains("value");
            if (change.isWithheld) {
                change.path.replace("value", "XXX");
                change.target.replace("value", "XXX");
            }
        });
        QCOMPARE(seen, 0);
        QCOMPARE(contents, (QMap<QByteArray, QByteArray>{{"f", "value\n"},
                                                         {"fifo", "(none)"},
                                                         {"gone", "(none)"},
                                                         {"harmless", "2\n"},
                                                         {"link", "(none)"},
                                                         {"value", "2\n"}}));
        QVERIFY(finished.kept);
        const auto pending = other.pending(m_run);
        QVERIFY(pending);
        for (const FolderChanges &changes : {finished.changes.value(0), pending->folders.value(0)}) {
            QVERIFY(!QJsonDocument(toJson(changes)).toJson().contains("value"));
            QCOMPARE(std::ranges::count(changes.changes, true, &FolderChange::isWithheld), 3);
        }
        for (const char *path : {"f", "value", "XXX", "link"})
            QCOMPARE(other.versions(m_run, u"/mnt/x"_s, path, 4096).error().code, ErrorCode::PermissionDenied);
        QVERIFY(other.versions(m_run, u"/mnt/x"_s, "harmless", 4096));
        QCOMPARE(sentences(m_staging->apply(m_run)), u"fifo is no file, folder or link, and is never taken over."_s);
        QCOMPARE(contentOf(u"value"_s), "2\n");
    }

    // "glovebox changes" removes the folders in which nothing waits, also while a run works on its copy.
    void aProgramThatLooksMeanwhileTakesNoFolderAway()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 1 > f"_s), 0);
        {
            const Staging other(paths(), newId(Clock::system()), {});
            QVERIFY(other.pending().isEmpty());
        }
        QVERIFY(m_staging->finish(m_run).kept);
        QVERIFY(m_staging->pending(m_run));
    }

    // A full disk, here a folder in the way.
    void aCopyOfWhichCantBeNotedWhatToWithholdIsNotKept()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo value > f"_s), 0);
        const auto finished = m_staging->finish(m_run, [&](FolderChange &change, int) {
            change.isWithheld = QDir().mkpath(staged->copy + u"/../withheld/full"_s);
        });
        QCOMPARE(finished.changes.value(0).changes.size(), 1);
        QVERIFY(!finished.kept);
        QVERIFY(finished.kept.error().message.english().contains(u"Check the free space"));
        QVERIFY(m_staging->pending().isEmpty());
        QVERIFY(!QFile::exists(staged->copy));
    }

    void notesThatCantBeReadShowNothing()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo value > f"_s), 0);
        QVERIFY(m_staging->finish(m_run, [](FolderChange &change, int) { change.isWithheld = true; }).kept);
        const QString kept = QDir::cleanPath(staged->copy + u"/../../../kept/"_s + m_run);
        QVERIFY(QFile::resize(kept + u"/withheld"_s, 3));
        QCOMPARE(m_staging->pending(m_run).error().code, ErrorCode::Damaged);
        QVERIFY(!m_staging->versions(m_run, u"/mnt/x"_s, "f", 4096));
        QVERIFY(!m_staging->apply(m_run));
        QVERIFY(m_staging->discard(m_run));
    }

    void copiesAllButWhatIsNoFile()
    {
        QCOMPARE(shell(at(u"original"_s),
                       u"mkdir -p a/b; echo 1 > a/b/f; chmod 750 a; ln -s /etc/passwd out; ln -s a/b/f in; "
                       "mkfifo fifo; printf x > \"$(printf '\\377')\"; chmod 4711 a/b/f; : > empty"_s),
                 0);
        QStringList skipped;
        const auto staged = copy(&skipped);
        QVERIFY2(staged, qPrintable(staged ? QString() : staged.error().message.english()));
        QCOMPARE(skipped, QStringList{u"fifo"_s});
        QProcess diff;
        diff.start(u"sh"_s,
                   {u"-c"_s,
                    u"diff -r --no-dereference \"$0\" \"$1\"; stat -c %a \"$1/a\" \"$1/a/b/f\"; readlink \"$1/out\""_s,
                    at(u"original"_s), staged->copy});
        QVERIFY(diff.waitForFinished());
        QCOMPARE(diff.readAllStandardOutput().replace(QFile::encodeName(at(u"original"_s)), "O"),
                 QByteArray("Only in O: fifo\n750\n711\n/etc/passwd\n"));
        QVERIFY(m_staging->finish(m_run).changes.value(0).changes.isEmpty());
        QVERIFY(!QFile::exists(staged->copy)); // nothing changed, nothing kept
        QVERIFY(m_staging->pending().isEmpty());
        QCOMPARE(shell(at(u"original"_s), u"rm -r -- *"_s), 0); // Qt can't remove every name
    }

    void refusesWhatIsLargerThanTheDiskLimit()
    {
        QCOMPARE(shell(at(u"original"_s), u"head -c 3M /dev/zero > a; head -c 3M /dev/zero > b"_s), 0);
        Limits limits;
        limits.diskBytes = 4 * mebibyte;
        auto staged = copy(nullptr, limits);
        QVERIFY(!staged);
        QVERIFY2(staged.error().message.english().contains(u"more than 4 MB"_s),
                 qPrintable(staged.error().message.english()));
        QCOMPARE(shell(at(u"original"_s), u"rm a b; seq 2000 | xargs touch"_s), 0);
        limits.diskBytes = mebibyte;
        staged = copy(nullptr, limits);
        QVERIFY(!staged);
        QVERIFY2(staged.error().message.english().contains(u"1024 files"_s),
                 qPrintable(staged.error().message.english()));
        m_staging->finish(m_run);
    }

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
            std::vector<test::FailingCall> failing{{SYS_fchmod, EPERM}};
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

    void onlyOneAtATimeAppliesOrDiscardsOrSweepsAway()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a"_s), 0);
        m_staging->finish(m_run);
        const QString kept = QFileInfo(QFileInfo(QFileInfo(staged->copy).path()).path()).path() + u"/kept/"_s + m_run;
        QCOMPARE(shell(kept, u"touch -d '40 days ago' manifest"_s), 0);
        {
            const auto other = FileLock::create(kept + u"/lock"_s); // as another program that applies them
            QVERIFY(other);
            QCOMPARE(m_staging->discard(m_run).error().code, ErrorCode::Busy);
            QCOMPARE(m_staging->apply(m_run).error().code, ErrorCode::Busy);
            m_staging->recover(at(u"data/engines"_s));
            QVERIFY(m_staging->pending(m_run));
        }
        m_staging->recover(at(u"data/engines"_s));
        QCOMPARE(m_staging->pending(m_run).error().code, ErrorCode::NotFound);
    }

    void takesTheSameChangeForDone()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > a"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a; echo 2 > b"_s), 0);
        m_staging->finish(m_run);
        QCOMPARE(shell(at(u"original"_s), u"echo 2 > a; echo 2 > b"_s), 0);
        const auto report = m_staging->apply(m_run);
        QVERIFY2(report && report->refused.isEmpty(), qPrintable(sentences(report)));
        QVERIFY(m_staging->pending().isEmpty());
    }

    void refusesAFolderThatIsAnotherNow()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a"_s), 0);
        m_staging->finish(m_run);
        QCOMPARE(shell(m_room->path(), u"mv original before; mkdir elsewhere; ln -s elsewhere original"_s), 0);
        QVERIFY2(sentences(m_staging->apply(m_run)).contains(u"is no more the folder"_s),
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

    void whatDoesNotFitIsRefusedBeforeAnythingIsDone()
    {
        if (::geteuid() != 0)
            QSKIP("only root can mount a small file system here");
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

    // As root, the run owns its copy, and may open it to everybody.
    void nobodyElseReachesTheCopyOfARun()
    {
        if (::geteuid() != 0)
            QSKIP("only root's runs belong to another user");
        QCOMPARE(shell(at(u"original"_s), u"echo secret > a; chmod 600 a"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"chmod 777 .; chmod 666 a"_s), 0);
        const auto as = [&](const QString &uid, const QString &gid) {
            return QProcess::execute(u"setpriv"_s, {u"--reuid"_s, uid, u"--regid"_s, gid, u"--clear-groups"_s, u"cat"_s,
                                                    staged->copy + u"/a"_s});
        };
        QCOMPARE(as(u"65534"_s, u"65534"_s), 0); // the run
        QVERIFY(as(u"12345"_s, u"12345"_s) != 0);
        m_staging->finish(m_run);
    }

    void copiesOfOtherDataFoldersAreRemovedToo()
    {
        if (::geteuid() != 0)
            QSKIP("only root's copies lie apart from the data folder");
        const auto staged = copy();
        QVERIFY(staged);
        const QString base = QDir::cleanPath(staged->copy + u"/../../.."_s);
        const QString dead = base + u'/' + newId(Clock::system());
        const QString young = base + u'/' + newId(Clock::system());
        QVERIFY(QDir().mkpath(dead + u"/run/0"_s) && QDir().mkpath(young + u"/run/0"_s));
        QCOMPARE(shell(dead, u"touch -d '3 days ago' ."_s), 0);
        Paths other;
        other.data = at(u"other"_s);
        Staging(other, newId(Clock::system()), [] {
            return HostIdentity{65534, 65534};
        }).recover(at(u"other/engines"_s));
        QVERIFY(!QFile::exists(dead));
        QVERIFY(QFile::exists(young) && QFile::exists(staged->copy));
        m_staging->finish(m_run);
        QVERIFY(QDir(young).removeRecursively());
    }

    void aCopyThatIsTooDeepIsNeverAppliedAndStillRemoved()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > a"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"rm a; for i in $(seq 120); do mkdir d; cd d; done"_s), 0);
        const auto changes = m_staging->finish(m_run).changes;
        QVERIFY(!changes.value(0).isWhole);
        QVERIFY2(sentences(m_staging->apply(m_run)).contains(u"too deep"_s),
                 qPrintable(sentences(m_staging->apply(m_run))));
        QCOMPARE(contentOf(u"a"_s), "1\n");
    }

    void removesTheCopiesOfDeadEnginesOnly()
    {
        const QString engines = at(u"data/engines"_s);
        const auto alive = FileLock::create(engines + u'/' + newId(Clock::system()) + u".lock"_s);
        QVERIFY(alive);
        const QString living = QFileInfo(alive->path()).completeBaseName();
        const auto staged = copy();
        QVERIFY(staged);
        const QString base = QFileInfo(QFileInfo(QFileInfo(staged->copy).path()).path()).path();
        const QString dead = newId(Clock::system());
        for (const QString &engine : {living, dead})
            QVERIFY(QDir().mkpath(base + u'/' + engine + u"/run/0"_s));
        const auto mine = m_staging->finish(m_run); // an engine is alive for itself
        m_run = newId(Clock::system());
        const auto own = copy();
        m_staging->recover(engines);
        QVERIFY(QFile::exists(base + u'/' + living));
        QVERIFY(!QFile::exists(base + u'/' + dead));
        QVERIFY(QFile::exists(own->copy));
        QVERIFY(QDir(QString(base + u'/' + living)).removeRecursively());
    }
};

QTEST_GUILESS_MAIN(TestStaging)
#include "tst_staging.moc"
