// SPDX-License-Identifier: Apache-2.0
// Copies of folders: what is copied, what is found different afterwards, who sees it, and what is left.
#include "stagingfixture.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <stop_token>
#include <thread>
#include <vector>

#include <sys/inotify.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestStaging : public QObject, private StagingFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { StagingFixture::init(); }
    void cleanup() { StagingFixture::cleanup(); }

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
        const auto big = look("big");
        QVERIFY(!big);
        QCOMPARE(big.error().message.english(),
                 u"big is too large to be compared here."_s); // not by its name in the store
        QVERIFY(!m_staging->versions(m_run, u"/mnt/y"_s, "f", 4096));
        QVERIFY(!m_staging->versions(u"../../x"_s, u"/mnt/x"_s, "f", 4096));
    }

    void linesAreComparedWithTheOriginalAsItIsNow()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo one > f; echo 1 > gone; echo 1 > removed; echo 1 > mode"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(
            shell(staged->copy, u"echo two > f; echo 2 > gone; rm removed; chmod 700 mode; printf '\\377' > binary"_s),
            0);
        QVERIFY(!m_staging->finish(m_run).changes.isEmpty());
        QCOMPARE(shell(at(u"original"_s), u"echo zero > f; echo one >> f; rm gone"_s), 0);
        const auto said = [this](const QByteArray &path) {
            const auto pending = m_staging->pending(m_run);
            for (const FolderChange &change : pending->folders.first().changes) {
                if (change.path != path)
                    continue;
                const auto lines = changedLines(*m_staging, m_run, u"/mnt/x"_s, change);
                QString text = lines ? QString() : lines.error().message.english();
                for (const DiffLine &line : lines ? *lines : QList<DiffLine>())
                    text += u" -+."_s.at(int(line.kind)) + line.text + u',';
                return text;
            }
            return u"no change"_s;
        };
        QCOMPARE(said("f"), u"-zero,-one,+two,"_s);
        QCOMPARE(said("removed"), u"-1,"_s);
        QCOMPARE(said("mode"), QString());
        QCOMPARE(said("binary"), u"This file is not text in UTF-8."_s);
        QCOMPARE(said("gone"), u"The original can't be read, or isn't there any longer, so nothing can be compared."_s);
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
        QCOMPARE(sentences(m_staging->apply(m_run)), u"fifo is not a file, folder or link, and is never applied."_s);
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

    // Each program that applied or discarded changes removes the folders when nothing else waits there.
    void changesAreKeptWhileOtherProgramsEnd()
    {
        std::vector<std::jthread> others;
        for (int i = 0; i < 3; ++i) {
            others.emplace_back([this](const std::stop_token &stop) {
                while (!stop.stop_requested())
                    const Staging ending(paths(), newId(Clock::system()), [] { return HostIdentity{65534, 65534}; });
            });
        }
        for (int i = 0; i < 150; ++i) {
            m_run = newId(Clock::system());
            const auto staged = copy();
            QVERIFY2(staged, staged ? "" : qPrintable(staged.error().message.english()));
            QFile file(staged->copy + u"/f"_s);
            QVERIFY(file.open(QIODevice::WriteOnly));
            const Status kept = m_staging->finish(m_run).kept;
            QVERIFY2(kept, kept ? "" : qPrintable(kept.error().message.english()));
            const Status discarded = m_staging->discard(m_run);
            QVERIFY2(discarded, discarded ? "" : qPrintable(discarded.error().message.english()));
        }
    }

    // It has the folders for longer than anybody waits.
    void aProgramThatIsStoppedWhileItEndsLosesNoChanges()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 1 > f"_s), 0);
        const auto stopped = FileLock::create(paths().data + u"/staging.lock"_s);
        QVERIFY(stopped);
        const Status kept = m_staging->finish(m_run).kept;
        QVERIFY2(kept, kept ? "" : qPrintable(kept.error().message.english()));
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

    // By a note that is there meanwhile.
    void whatIsBeingDiscardedIsToldAsThat()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a; echo 2 > b"_s), 0);
        m_staging->finish(m_run);
        FolderChanges one = m_staging->pending(m_run)->folders.first();
        one.changes = {one.changes.first()};
        QCOMPARE(m_staging->apply(m_run, {}, QList{one})->applied, 1);
        const QByteArray kept = QFile::encodeName(QDir::cleanPath(staged->copy + u"/../../../kept/"_s + m_run));
        const UniqueFd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
        QVERIFY(::inotify_add_watch(events.get(), kept.constData(), IN_CREATE | IN_DELETE) >= 0);
        QVERIFY(m_staging->discard(m_run));
        alignas(inotify_event) std::array<char, 65536> buffer{};
        const ssize_t size = ::read(events.get(), buffer.data(), buffer.size());
        QByteArrayList seen;
        for (ssize_t at = 0; at < size;) {
            const auto *event = reinterpret_cast<const inotify_event *>(buffer.data() + at);
            if (QByteArray(event->name) == "discarding")
                seen.append((event->mask & IN_CREATE) != 0 ? "begins" : "ends");
            at += ssize_t(sizeof(inotify_event) + event->len);
        }
        QCOMPARE(seen, (QByteArrayList{"begins", "ends"}));
    }

    // Until its end: then it can be undone.
    void whatIsBeingAppliedIsNotToldAsDone()
    {
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a; echo 2 > new"_s), 0);
        m_staging->finish(m_run);
        QList<std::optional<FolderDeed>> waiting, done;
        const auto look = [&] {
            const auto pending = m_staging->pending(m_run), undoable = m_staging->undoable(m_run);
            waiting.append(pending ? pending->underWay : std::nullopt);
            done.append(undoable ? undoable->underWay : std::nullopt);
            return true;
        };
        QVERIFY(
            m_staging->apply(m_run, {}, {}, [&](const AppliedUntilNow &now) { return now.changes == 0 || look(); }));
        QVERIFY(!waiting.isEmpty());
        QCOMPARE(waiting.count(FolderDeed::Apply), waiting.size());
        QCOMPARE(done, waiting);
        QVERIFY(!m_staging->undoable(m_run)->underWay);
        waiting.clear();
        done.clear();
        QVERIFY(m_staging->undo(m_run, [&](const PendingChanges &) {
            look();
            return Status();
        }));
        QCOMPARE(done, QList<std::optional<FolderDeed>>{FolderDeed::Undo});
        QVERIFY(!m_staging->pending(m_run)->underWay);
    }

    // As root, the run owns its copy, and may open it to everybody.
    void nobodyElseReachesTheCopyOfARun()
    {
        if (::geteuid() != 0)
            QSKIP("Only root's runs belong to another user.");
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

    void changesWaitForThirtyDays()
    {
        const auto staged = copy();
        QVERIFY(staged);
        const QString kept = QDir::cleanPath(staged->copy + u"/../../../kept/"_s + m_run);
        QCOMPARE(shell(staged->copy, u"echo 1 > f"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        QCOMPARE(shell(kept, u"touch -d '30 days ago' manifest"_s), 0);
        m_staging->recover(at(u"data/engines"_s));
        QVERIFY(m_staging->pending(m_run));
        QCOMPARE(shell(kept, u"touch -d '31 days ago' manifest"_s), 0);
        m_staging->recover(at(u"data/engines"_s));
        QVERIFY(!m_staging->pending(m_run) && !QFile::exists(kept));
    }

    void copiesOfOtherDataFoldersAreRemovedToo()
    {
        if (::geteuid() != 0)
            QSKIP("Only root's copies lie apart from the data folder.");
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

    // To whoever is not root.
    void aFolderThatTheRunClosedIsComparedAllTheSame()
    {
        QCOMPARE(shell(at(u"original"_s), u"mkdir d e; echo 1 > d/f; echo 1 > e/f"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > d/f; chmod 0 d; chmod 400 e; chmod 0 ."_s), 0);
        const auto changes = m_staging->finish(m_run).changes;
        QVERIFY(changes.value(0).isWhole);
        QCOMPARE(told(changes.value(0)), (QStringList{u"~d"_s, u"~d/f"_s, u"~e"_s}));
        QCOMPARE(changes.value(0).changes.value(0).mode, 0U);
        QVERIFY(m_staging->apply(m_run)->refused.isEmpty());
        QCOMPARE(shell(at(u"original"_s), u"chmod 700 d e"_s), 0);
        QCOMPARE(contentOf(u"d/f"_s), "2\n");
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
