// SPDX-License-Identifier: Apache-2.0
// A program that is killed while it applies or undoes changes, at each system call that changes something: the same again, or the
// opposite, always ends in one of the two states whole.
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

    // Whatever is killed after what: nothing is lost. Undoing that was cut short comes before all else.
    void anySequenceCanBeFinished()
    {
        std::mt19937 random(17);
        for (int round = 0; round < 30; ++round) {
            QStringList done;
            for (int i = int(random() % 4); i >= 0; --i) {
                const bool applies = random() % 2 == 0;
                const int n = int(random() % 70) + 1;
                done.append((applies ? u"apply %1"_s : u"undo %1"_s).arg(n));
                isKilledAt(n, [&] { std::ignore = applies ? m_staging->apply(m_run) : m_staging->undo(m_run); });
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
