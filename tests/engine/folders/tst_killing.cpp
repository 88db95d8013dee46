// SPDX-License-Identifier: Apache-2.0
// A program that is killed while it applies or undoes changes, at each system call that changes something, or is stopped wherever it
// asks: the same again, or the opposite, always ends in one of the two states whole.
#include "stagingfixture.h"
#include "tests/support/signals.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// The calls by which a decision changes the disk. Nothing changes between two of them, so killing there is one case.
constexpr std::array changingCalls{SYS_openat,    SYS_mkdir,  SYS_mkdirat,  SYS_rmdir,     SYS_unlink,
                                   SYS_unlinkat,  SYS_rename, SYS_renameat, SYS_renameat2, SYS_linkat,
                                   SYS_symlinkat, SYS_fchmod, SYS_fchmodat, SYS_fchownat,  SYS_fchown};

bool changes(const user_regs_struct &registers)
{
    const auto call = static_cast<long>(registers.orig_rax);
    if (call == SYS_openat && (registers.rdx & O_CREAT) == 0)
        return false;
    return std::ranges::find(changingCalls, call) != changingCalls.end();
}

// In a program of its own, which is killed before its nth change. False: the deed ended before that.
bool isKilledAt(int n, const std::function<void()> &deed)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        ::raise(SIGSTOP);
        deed();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    bool isEntry = false;
    while (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0 && ::waitpid(child, &status, 0) == child
           && WIFSTOPPED(status)) {
        if (WSTOPSIG(status) != (SIGTRAP | 0x80))
            continue;
        isEntry = !isEntry;
        user_regs_struct registers = {};
        if (isEntry && ::ptrace(PTRACE_GETREGS, child, nullptr, &registers) == 0 && changes(registers) && --n == 0) {
            sendSignal(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return true;
        }
    }
    return false;
}

} // namespace

class TestKilling : public QObject, private StagingFixture
{
    Q_OBJECT

    enum class Times { Same, Any };

    // All that is in the original.
    QByteArrayList state(Times times) const
    {
        QByteArrayList all;
        const std::filesystem::path root(QFile::encodeName(at(u"original"_s)).toStdString());
        for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
            struct stat info = {};
            ::lstat(entry.path().c_str(), &info);
            QByteArray line = QByteArray::fromStdString(entry.path().lexically_relative(root).string()) + ' '
                              + QByteArray::number(info.st_mode, 8);
            if (times == Times::Same && !S_ISDIR(info.st_mode))
                line += ' ' + QByteArray::number(qint64(info.st_mtim.tv_sec)) + '.'
                        + QByteArray::number(qint64(info.st_mtim.tv_nsec)) + ' ' + QByteArray::number(info.st_uid);
            QFile file(QFile::decodeName(QByteArray::fromStdString(entry.path().string())));
            if (S_ISLNK(info.st_mode))
                line += ' ' + QByteArray::fromStdString(std::filesystem::read_symlink(entry.path()).string());
            else if (S_ISREG(info.st_mode) && file.open(QIODevice::ReadOnly))
                line += ' ' + file.readAll();
            all.append(line);
        }
        std::ranges::sort(all);
        return all;
    }

    QStringList waiting() const
    {
        const auto pending = m_staging->pending(m_run);
        return pending ? told(pending->folders.value(0)) : QStringList();
    }

    QByteArrayList m_before;
    QByteArrayList m_after;
    QStringList m_all;

    void apply()
    {
        const auto report = m_staging->apply(m_run);
        const bool isNothingLeft = !report && report.error().code == ErrorCode::NotFound;
        QVERIFY2(isNothingLeft || (report && report->refused.isEmpty()), qPrintable(sentences(report)));
        QCOMPARE(state(Times::Any), m_after);
        QCOMPARE(waiting(), QStringList());
    }

    void undo()
    {
        const auto report = m_staging->undo(m_run);
        const bool isNothingDone = !report && report.error().code == ErrorCode::NotFound;
        QVERIFY2(isNothingDone || (report && report->refused.isEmpty()), qPrintable(sentences(report)));
        QCOMPARE(state(Times::Same), m_before);
        QCOMPARE(waiting(), m_all);
    }

    // Stopped when it asks for the nth time whether it goes on.
    Result<ApplyReport> applyStoppedAt(int n, bool isRoot = true)
    {
        const AsTheirOwner owner(!isRoot);
        return m_staging->apply(m_run, {}, {}, [&](const AppliedUntilNow &) { return --n > 0; });
    }

    qsizetype undoable() const
    {
        const auto undoable = m_staging->undoable(m_run);
        return undoable ? undoable->folders.value(0).changes.size() : 0;
    }

    // False: it wasn't stopped before all was done.
    bool isStoppedAt(int n, bool isRoot = true)
    {
        const qsizetype all = waiting().size();
        const qsizetype earlier = undoable();
        const QByteArrayList before = state(Times::Same);
        const auto report = applyStoppedAt(n, isRoot);
        if (report && !report->isStopped)
            return false;
        if (!report && (report.error().code != ErrorCode::Cancelled || state(Times::Same) != before))
            qFatal("%s", qPrintable(sentences(report)));
        const qsizetype applied = report ? report->applied : 0;
        const auto check = [&] {
            QVERIFY2(!report || report->refused.isEmpty(), qPrintable(sentences(report)));
            QCOMPARE(waiting().size(), all - applied);
            QCOMPARE(undoable(), earlier + applied);
            QVERIFY(!m_staging->pending(m_run)->isCutShort);
            for (const QByteArray &line : state(Times::Any))
                QVERIFY2(!line.contains(".glovebox-"), line);
        };
        check();
        return !QTest::currentTestFailed();
    }

    // Files and folders that a run closes even to their owner.
    void closeSome()
    {
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"chmod -R u+rwx .; rm -rf *; mkdir keep; echo 1 > keep/a; echo 1 > keep/b; "
                                          "chmod 750 keep; echo 1 > closes; mkdir -p low/er; echo 1 > low/er/a"_s),
                 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy,
                       u"echo 2 > keep/a; echo 2 > keep/b; echo 2 > keep/c; chmod 0 keep; mkdir -p new/er; "
                       "echo 2 > new/a; echo 2 > new/er/b; chmod 0 new/er; chmod 500 new; echo 2 > closes; "
                       "chmod 0 closes; echo 2 > low/er/a; chmod 0 low/er; chmod 500 low"_s),
                 0);
        QVERIFY(m_staging->finish(m_run).kept);
        m_before = state(Times::Same);
        m_all = waiting();
    }

private Q_SLOTS:
    void init()
    {
        StagingFixture::init();
        QCOMPARE(
            shell(at(u"original"_s),
                  u"echo 1 > changed; chmod 4640 changed; touch -d 2001-02-03 changed; mkdir -p gone keep; echo 1 > "
                  "gone/f; chmod 2550 gone; ln -s a link; echo 1 > becomes; mkdir turns; echo 1 > turns/f; chmod "
                  "2755 keep"_s),
            0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(
            shell(staged->copy,
                  u"echo 2 > changed; chmod -R u+rwx gone; rm -r gone; ln -sfn b link; rm becomes; ln -s . becomes; "
                  "rm -r turns; echo 2 > turns; mkdir new; echo 2 > new/f; chmod 555 new; chmod 700 keep"_s),
            0);
        QVERIFY(m_staging->finish(m_run).kept);
        m_before = state(Times::Same);
        m_all = waiting();
        QVERIFY(m_staging->apply(m_run)->refused.isEmpty());
        m_after = state(Times::Any);
        undo();
    }
    void cleanup()
    {
        shell(m_room->path(), u"chmod -R u+rwx original"_s);
        StagingFixture::cleanup();
    }

    void theSameAgainFinishesIt_data()
    {
        QTest::addColumn<bool>("appliesAgain");
        QTest::newRow("apply, apply") << true;
        QTest::newRow("apply, undo") << false;
    }
    void theSameAgainFinishesIt()
    {
        QFETCH(bool, appliesAgain);
        int n = 1;
        for (; isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); }); ++n) {
            if (appliesAgain)
                apply();
            if (!QTest::currentTestFailed())
                undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"killed at change %1"_s.arg(n)));
        }
        QVERIFY(n > 40);
        undo();
    }

    void undoingAgainFinishesIt()
    {
        int n = 1;
        for (bool wasKilled = true; wasKilled; ++n) {
            apply();
            wasKilled = isKilledAt(n, [this] { std::ignore = m_staging->undo(m_run); });
            undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"killed at change %1"_s.arg(n)));
        }
        QVERIFY(n > 40);
    }

    // Files that are closed even to their owner are open to them for a moment.
    void closedFilesOfAUserAreFinished()
    {
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"chmod -R u+rwx .; rm -r *; echo 1 > closes"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > closes; chmod 0 closes; echo 2 > shut; chmod 0 shut"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        m_before = state(Times::Same);
        m_all = waiting();
        const auto applied = [&] {
            const AsTheirOwner owner;
            return m_staging->apply(m_run);
        };
        const auto undone = [&] {
            const AsTheirOwner owner;
            return m_staging->undo(m_run);
        };
        const auto isDone = [](const Result<ApplyReport> &report) {
            return report ? report->refused.isEmpty() : report.error().code == ErrorCode::NotFound;
        };
        QVERIFY(isDone(applied()));
        m_after = state(Times::Any);
        QVERIFY(isDone(undone()));
        int n = 1;
        for (bool wasKilled = true; wasKilled; ++n) {
            wasKilled = isKilledAt(n, [&] { std::ignore = applied(); });
            const auto again = applied();
            QVERIFY2(isDone(again), qPrintable(u"killed at change %1 of applying: "_s.arg(n) + sentences(again)));
            QCOMPARE(state(Times::Any), m_after);
            isKilledAt(n, [&] { std::ignore = undone(); });
            const auto undoneAgain = undone();
            QVERIFY2(isDone(undoneAgain),
                     qPrintable(u"killed at change %1 of undoing: "_s.arg(n) + sentences(undoneAgain)));
            QCOMPARE(state(Times::Same), m_before);
            QCOMPARE(waiting(), m_all);
        }
        QVERIFY(n > 15);
    }

    // Undoing covers both parts.
    void whatIsStoppedGoesOnOrIsUndone_data()
    {
        QTest::addColumn<bool>("appliesRest");
        QTest::newRow("the rest is applied") << true;
        QTest::newRow("undone") << false;
    }
    void whatIsStoppedGoesOnOrIsUndone()
    {
        QFETCH(bool, appliesRest);
        int n = 1;
        for (; isStoppedAt(n); ++n) {
            isStoppedAt(n / 2);
            if (appliesRest && !QTest::currentTestFailed())
                apply();
            if (!QTest::currentTestFailed())
                undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"stopped at %1"_s.arg(n)));
        }
        QVERIFY2(n > 40, qPrintable(QString::number(n)));
        undo();
    }

    void aStopAfterAKillTellsHowManyCanBeUndone()
    {
        int stops = 0;
        for (int n = 10; n < 60; n += 5) {
            isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); });
            const auto report = applyStoppedAt(34);
            if (report && report->isStopped) {
                ++stops;
                const qsizetype told = undoable();
                QCOMPARE(m_staging->undo(m_run)->applied, told);
            }
            undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(QString::number(n)));
        }
        QVERIFY(stops > 3);
    }

    void whatIsClosedIsClosedOrAsBeforeWhenStopped_data()
    {
        QTest::addColumn<bool>("isRoot");
        QTest::newRow("as a user") << false;
        QTest::newRow("as root") << true;
    }
    void whatIsClosedIsClosedOrAsBeforeWhenStopped()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can put its capabilities down and look into what is closed.");
        QFETCH(bool, isRoot);
        closeSome();
        const auto modeOf = [this](const char *name) {
            struct stat info = {};
            return ::stat(QFile::encodeName(at(u"original/"_s + QString::fromLatin1(name))).constData(), &info) == 0
                       ? int(info.st_mode & 0777U)
                       : -1;
        };
        const auto areModesWhole = [&] {
            const auto is = [&](const char *name, int before, int after) {
                const int mode = modeOf(name);
                return mode == before || mode == after;
            };
            return is("keep", 0750, 0) && is("new", -1, 0500) && is("new/er", -1, 0) && is("closes", 0644, 0)
                   && is("low", 0755, 0500) && is("low/er", 0755, 0);
        };
        const auto done = [&](const Result<ApplyReport> &report) {
            QVERIFY2(report ? report->refused.isEmpty() : report.error().code == ErrorCode::NotFound,
                     qPrintable(sentences(report)));
        };
        int n = 1;
        for (; isStoppedAt(n, isRoot); n += isRoot ? 5 : 1) {
            QVERIFY2(areModesWhole(), qPrintable(u"stopped at %1"_s.arg(n)));
            {
                const AsTheirOwner owner(!isRoot);
                done(m_staging->apply(m_run));
                QVERIFY(waiting().isEmpty() && undoable() == m_all.size());
                QVERIFY(areModesWhole());
                done(m_staging->undo(m_run));
            }
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"stopped at %1"_s.arg(n)));
            QCOMPARE(state(Times::Same), m_before);
            QCOMPARE(waiting(), m_all);
        }
        QVERIFY2(n > 30, qPrintable(QString::number(n)));
        done(m_staging->undo(m_run));
        // What waits is discarded, and nothing of it is there.
        for (int i = 1; i < n; i += 7) {
            QVERIFY(m_staging->discard(m_run));
            closeSome();
            QVERIFY(isStoppedAt(i, isRoot));
            const qsizetype applied = undoable();
            {
                const AsTheirOwner owner(!isRoot);
                QVERIFY(m_staging->discard(m_run));
                QVERIFY(waiting().isEmpty() && undoable() == applied && areModesWhole());
                done(m_staging->undo(m_run));
            }
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"stopped at %1, discarded"_s.arg(i)));
            QCOMPARE(state(Times::Same), m_before);
            QCOMPARE(waiting().size(), applied);
            if (applied == 0)
                closeSome(); // for discard(), above
        }
    }

    void aLargeFileIsStoppedInTheMiddle()
    {
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"chmod -R u+rwx .; rm -rf *; echo 1 > large"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"head -c 60M /dev/urandom > large; echo 2 > z"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        constexpr qint64 size = 60 * mebibyte;
        AppliedUntilNow last;
        const auto report = m_staging->apply(m_run, {}, {}, [&](const AppliedUntilNow &now) {
            last = now;
            return now.bytes == 0 || now.bytes == size + 2;
        });
        QVERIFY2(report && report->isStopped, qPrintable(sentences(report)));
        QCOMPARE(report->applied, 0);
        QVERIFY2(last.bytes > 0 && last.bytes < size, QByteArray::number(last.bytes));
        QCOMPARE(last.allBytes, size + 2);
        QCOMPARE(last.allChanges, 2);
        QCOMPARE(contentOf(u"large"_s), "1\n");
        QCOMPARE(QDir(at(u"original"_s)).entryList(QDir::Files | QDir::Hidden), QStringList{u"large"_s});
        QVERIFY(!m_staging->pending(m_run)->isCutShort && !m_staging->undoable(m_run));
        QCOMPARE(m_staging
                     ->apply(m_run, {}, {},
                             [&](const AppliedUntilNow &now) {
                                 last = now;
                                 return true;
                             })
                     ->applied,
                 2);
        QCOMPARE(last.bytes, size + 2);
        QCOMPARE(QFileInfo(at(u"original/large"_s)).size(), size);
    }

    // Whatever is killed or stopped after what: nothing is lost. Undoing that was cut short comes before all else.
    void anySequenceCanBeFinished()
    {
        std::mt19937 random(17);
        for (int round = 0; round < 60; ++round) {
            QStringList done;
            for (int i = int(random() % 4); i >= 0; --i) {
                const auto deed = random() % 3;
                const int n = int(random() % 70) + 1;
                done.append((deed == 0 ? u"apply %1"_s : deed == 1 ? u"undo %1"_s : u"stop %1"_s).arg(n));
                if (deed == 2)
                    std::ignore = applyStoppedAt(n);
                else
                    isKilledAt(n, [&] { std::ignore = deed == 0 ? m_staging->apply(m_run) : m_staging->undo(m_run); });
            }
            const auto undoable = m_staging->undoable(m_run);
            if (undoable && undoable->isCutShort)
                QCOMPARE(m_staging->apply(m_run).error().code, ErrorCode::Busy);
            else if (random() % 2 == 0)
                apply();
            undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(done.join(u", "_s)));
        }
    }

    // Also where nothing more is written, since the person changed all of it meanwhile, or throws the rest away.
    void whatAKilledTryWroteIsRemoved_data()
    {
        QTest::addColumn<bool>("appliesAgain");
        QTest::newRow("applied again") << true;
        QTest::newRow("discarded") << false;
    }
    void whatAKilledTryWroteIsRemoved()
    {
        QFETCH(bool, appliesAgain);
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"rm -r *; mkdir d; echo 1 > d/a; echo mine > d/mine"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > d/a"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        const auto isThere = [this](const QString &name) {
            return !QDir(at(u"original/d"_s)).entryList({name}, QDir::Files | QDir::Hidden).isEmpty();
        };
        for (int n = 1; !isThere(u".glovebox-*"_s); ++n) {
            std::ignore = m_staging->apply(m_run);
            std::ignore = m_staging->undo(m_run);
            QVERIFY(isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); }));
        }
        QCOMPARE(shell(at(u"original"_s), u"cat d/mine > d/a"_s), 0);
        if (appliesAgain)
            QCOMPARE(m_staging->apply(m_run)->refused.size(), 1);
        else
            QVERIFY(m_staging->discard(m_run));
        QVERIFY(!isThere(u".glovebox-*"_s));
    }

    // Another run's changes come in between: what was cut short isn't forgotten.
    void anotherRunsChangesForgetNothingCutShort()
    {
        apply();
        QVERIFY(isKilledAt(15, [this] { std::ignore = m_staging->undo(m_run); }));
        const QString first = std::exchange(m_run, newId(Clock::system()));
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 3 > another"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        QVERIFY(m_staging->apply(m_run)->refused.isEmpty());
        QCOMPARE(m_staging->undoable().size(), 2);
        QVERIFY(m_staging->undo(m_run)->refused.isEmpty());
        QVERIFY(m_staging->discard(m_run));
        m_run = first;
        undo();
    }

    void whatIsThrownAwayHalfAppliedCanBeUndone()
    {
        QVERIFY(isKilledAt(30, [this] { std::ignore = m_staging->apply(m_run); }));
        QVERIFY(m_staging->discard(m_run));
        QCOMPARE(waiting(), QStringList());
        QVERIFY(m_staging->undo(m_run)->refused.isEmpty());
        QCOMPARE(state(Times::Same), m_before);
    }
};

QTEST_GUILESS_MAIN(TestKilling)
#include "tst_killing.moc"
