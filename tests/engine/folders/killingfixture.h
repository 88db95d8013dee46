// SPDX-License-Identifier: Apache-2.0
// Changes of every kind, and a program that is killed or stopped while it applies or undoes them.
#pragma once

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

namespace glovebox {

using namespace Qt::StringLiterals;

// The calls by which a decision changes the disk. Nothing changes between two of them, so killing there is one case.
inline constexpr std::array changingCalls{SYS_openat,    SYS_mkdir,  SYS_mkdirat,  SYS_rmdir,     SYS_unlink,
                                          SYS_unlinkat,  SYS_rename, SYS_renameat, SYS_renameat2, SYS_linkat,
                                          SYS_symlinkat, SYS_fchmod, SYS_fchmodat, SYS_fchownat,  SYS_fchown};

inline bool changes(const user_regs_struct &registers)
{
    const auto call = static_cast<long>(registers.orig_rax);
    if (call == SYS_openat && (registers.rdx & O_CREAT) == 0)
        return false;
    return std::ranges::find(changingCalls, call) != changingCalls.end();
}

// In a program of its own, which is killed before its nth change. False: the deed ended before that.
inline bool isKilledAt(int n, const std::function<void()> &deed)
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

class KillingFixture : protected StagingFixture
{
protected:
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

    void init()
    {
        StagingFixture::init();
        // Only root may remove what is in a folder that is closed to its owner.
        const QString gone = m_isRoot ? u"2550"_s : u"2750"_s;
        QCOMPARE(
            shell(at(u"original"_s),
                  u"echo 1 > changed; chmod 4640 changed; touch -d 2001-02-03 changed; mkdir -p gone keep; echo 1 > "
                  "gone/f; chmod %1 gone; ln -s a link; echo 1 > becomes; mkdir turns; echo 1 > turns/f; chmod "
                  "2755 keep"_s.arg(gone)),
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
        const auto report = m_staging->apply(m_run);
        QVERIFY2(report && report->refused.isEmpty(), qPrintable(sentences(report)));
        m_after = state(Times::Any);
        undo();
    }
    void cleanup()
    {
        shell(m_room->path(), u"chmod -R u+rwx original"_s);
        StagingFixture::cleanup();
        m_isRoot = ::geteuid() == 0;
    }

    bool m_isRoot = ::geteuid() == 0; // who applies
};

} // namespace glovebox
