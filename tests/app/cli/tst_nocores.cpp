// SPDX-License-Identifier: Apache-2.0
// Whichever of our programs crashes, and whenever: no core file, which would keep the values that it holds.
#include "program.h"

#include "../../engine/vault/desktop.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QTest>

#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Where the kernel puts core files, changed for the while where the machine lets us.
class CorePattern
{
public:
    explicit CorePattern(const QByteArray &pattern)
        : m_before(contentOf(m_path).trimmed())
        , m_isOurs(write(pattern))
    {
    }
    ~CorePattern()
    {
        if (m_isOurs)
            write(m_before);
    }
    bool isOurs() const { return m_isOurs; }

private:
    bool write(const QByteArray &pattern) const
    {
        QFile file(m_path);
        return file.open(QIODevice::WriteOnly | QIODevice::Unbuffered) && file.write(pattern + '\n') > 0
               && contentOf(m_path).trimmed() == pattern;
    }
    const QString m_path = u"/proc/sys/kernel/core_pattern"_s;
    QByteArray m_before;
    bool m_isOurs = false;
};

QList<pid_t> below(pid_t pid)
{
    QList<pid_t> all{pid};
    for (qsizetype i = 0; i < all.size(); ++i) {
        QDirIterator threads(u"/proc/%1/task"_s.arg(all[i]), QDir::Dirs | QDir::NoDotAndDotDot);
        while (threads.hasNext()) {
            for (const QByteArray &child : contentOf(threads.next() + u"/children"_s).simplified().split(' ')) {
                if (!child.isEmpty())
                    all.append(child.toInt());
            }
        }
    }
    return all;
}

QByteArray commandOf(pid_t pid)
{
    return contentOf(u"/proc/%1/comm"_s.arg(pid)).trimmed();
}

pid_t find(pid_t ancestor, const QByteArray &name)
{
    for (const pid_t pid : below(ancestor)) {
        if (commandOf(pid) == name.left(15))
            return pid;
    }
    return -1;
}

// A process whose next instruction is nowhere: a crash that nothing inside can catch or ignore, also of a pid 1.
bool crash(pid_t pid)
{
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0)
        return false;
    int status = 0;
    user_regs_struct registers{};
    const bool stopped =
        ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0 && ::waitpid(pid, &status, __WALL) == pid;
    const bool set = stopped && ::ptrace(PTRACE_GETREGS, pid, nullptr, &registers) == 0;
    registers.rip = 0;
    registers.orig_rax = ~0ULL; // no call is restarted
    const bool lost = set && ::ptrace(PTRACE_SETREGS, pid, nullptr, &registers) == 0;
    ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    return lost;
}

bool hasGone(pid_t pid)
{
    return test::Desktop::until([pid] {
        const QByteArray status = contentOf(u"/proc/%1/stat"_s.arg(pid));
        return status.isEmpty() || status.contains(") Z");
    });
}

} // namespace

class TestNoCores : public QObject
{
    Q_OBJECT

    test::Desktop m_desktop;
    std::unique_ptr<QTemporaryDir> m_cores;
    std::unique_ptr<CorePattern> m_pattern;

    // Whatever was written or handed to a handler since.
    QStringList cores() const { return QDir(m_cores->path()).entryList({u"core*"_s}, QDir::Files); }
    std::unique_ptr<QProcess> program(const Home &home, const QStringList &words) const
    {
        auto process = home.program(words);
        process->setWorkingDirectory(m_cores->path()); // where the usual pattern would put it
        process->setChildProcessModifier([] {
            const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
            ::setrlimit(RLIMIT_CORE, &unlimited); // as on a machine whose person collects them
        });
        return process;
    }
    std::unique_ptr<QProcess> lent(const Home &home, const QByteArray &code) const
    {
        return program(home, {u"run"_s, u"--secret"_s, u"KEY"_s, u"--allow"_s, u"example.org"_s, u"-l"_s, u"python"_s,
                              u"-c"_s, QString::fromUtf8(code)});
    }

private Q_SLOTS:
    void initTestCase()
    {
#ifdef __SANITIZE_THREAD__
        QSKIP("ThreadSanitizer sets the limit of cores itself, to 0, which handlers don't obey.");
#endif
        if (const QString why = test::Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QVERIFY(m_desktop.startBus() && m_desktop.startKeyring(true));
    }

    void init()
    {
        m_cores = std::make_unique<QTemporaryDir>();
        ::chmod(QFile::encodeName(m_cores->path()).constData(), 0777);
    }
    void cleanup() { m_pattern.reset(); }

    void nobodyLeavesOne_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::newRow("as this machine has it") << QByteArray();
        if (::access("/proc/sys/kernel/core_pattern", W_OK) != 0)
            return;
        QTest::newRow("a file") << QByteArray("FOLDER/core.%e.%p");
        QTest::newRow("a handler") << QByteArray("|HANDLER %e %p");
    }
    void nobodyLeavesOne()
    {
        QFETCH(QByteArray, pattern);
        if (!pattern.isEmpty()) {
            const QString handler = m_cores->filePath(u"handler"_s);
            QFile script(handler);
            QVERIFY(script.open(QIODevice::WriteOnly));
            script.write("#!/bin/sh\ncat > " + QFile::encodeName(m_cores->path()) + "/core.$1.$2\n");
            script.close();
            ::chmod(QFile::encodeName(handler).constData(), 0755);
            m_pattern = std::make_unique<CorePattern>(QByteArray(pattern)
                                                          .replace("FOLDER", QFile::encodeName(m_cores->path()))
                                                          .replace("HANDLER", QFile::encodeName(handler)));
            QVERIFY(m_pattern->isOurs());
            // Any other program would leave one.
            QProcess other;
            other.setChildProcessModifier([] {
                const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
                ::setrlimit(RLIMIT_CORE, &unlimited);
            });
            other.start(u"sleep"_s, {u"60"_s});
            QVERIFY(other.waitForStarted());
            sendSignal(other.processId(), SIGABRT);
            QVERIFY(other.waitForFinished());
            QVERIFY(test::Desktop::until([&] { return cores().size() == 1; }));
            QVERIFY(QFile::remove(m_cores->filePath(cores().first())));
        }
        const Home home;
        QVERIFY(
            test::Desktop::until([&] { return home.run({u"secret"_s, u"check"_s}).out.contains("keychain: ready"); }));
        const Ended set = home.run({u"secret"_s, u"set"_s, u"KEY"_s}, "the value of the test");
        QVERIFY2(set.status == 0, set.err.constData());

        // While the value is on its way out of the keychain, which doesn't answer.
        for (const char *name : {"glovebox", "glovebox-spawner", "glovebox-keychain"}) {
            m_desktop.signalKeyring(SIGSTOP);
            const auto process = lent(home, "print('on')");
            process->start();
            pid_t pid = -1;
            QVERIFY(test::Desktop::until([&] {
                return find(pid_t(process->processId()), "glovebox-keychain") > 0
                       && (pid = find(pid_t(process->processId()), name)) > 0;
            }));
            QVERIFY2(crash(pid), name);
            QVERIFY2(hasGone(pid), name);
            m_desktop.signalKeyring(SIGCONT);
            QVERIFY(process->waitForFinished());
            QVERIFY2(cores().isEmpty(), qPrintable(cores().join(u' ')));
        }
        // While it runs, with the value inside, and what it says is searched for it.
        for (const QByteArray name :
             {"glovebox", "glovebox-spawner", "glovebox-init", "glovebox-egress", "python3", "glovebox by a signal"}) {
            const auto process = lent(home, "import os, sys\nprint('on', flush=True)\nwhile True: os.write(1, "
                                            "os.environb[b'KEY'] + b' ' * 8)");
            process->start();
            QByteArray output;
            QVERIFY2(waitForOutput(*process, "[secret KEY]", output), output + process->readAllStandardError());
            const auto engine = pid_t(process->processId());
            QString known;
            for (const pid_t each : below(engine))
                known += QString::fromUtf8(commandOf(each)) + u' ';
            const pid_t pid = name.startsWith("python3")     ? below(engine).last()
                              : name.endsWith("by a signal") ? engine
                                                             : find(engine, name);
            QVERIFY2(pid > 0, qPrintable(QString::fromLatin1(name) + u" of "_s + known));
            if (name.endsWith("by a signal"))
                sendSignal(pid, SIGABRT);
            else if (!crash(pid)) {
                QVERIFY2(errno == EPERM && ::geteuid() != 0, name); // which nobody else of this user may, either
                continue;
            }
            QVERIFY2(hasGone(pid), name);
            process->closeReadChannel(QProcess::StandardOutput);
            process->kill();
            QVERIFY(process->waitForFinished());
            QVERIFY2(cores().isEmpty(), qPrintable(cores().join(u' ')));
        }
        // And at any moment from its first own instruction to its end. (What the loader does before main() knows no value.)
        for (int milliseconds = 0; milliseconds <= 240; milliseconds += 15) {
            const auto process = lent(home, "import os\nprint(os.environ['KEY'])");
            process->start();
            QVERIFY(process->waitForStarted());
            while (
                contentOf(u"/proc/%1/limits"_s.arg(process->processId())).contains("core file size        unlimited")) {
            }
            QTest::qSleep(milliseconds);
            sendSignal(process->processId(), milliseconds % 2 ? SIGSEGV : SIGABRT);
            QVERIFY(process->waitForFinished());
        }
        QVERIFY2(cores().isEmpty(), qPrintable(cores().join(u' ')));
        QVERIFY(home.run({u"secret"_s, u"remove"_s, u"KEY"_s}).status == 0);
    }
};

QTEST_GUILESS_MAIN(TestNoCores)
#include "tst_nocores.moc"
