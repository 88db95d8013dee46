// SPDX-License-Identifier: Apache-2.0
// How many descriptors launcher, runs and engine may have, and what happens when there are no more: a sentence, and every run that
// was started goes on.
#include "sealed.h"

#include "engine/launcher/packet.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

using namespace glovebox;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

class TestDescriptors : public QObject
{
    Q_OBJECT

private:
    static constexpr rlim_t usual = 200; // soft
    static constexpr rlim_t most = 600; // a run gets 512

    static qint64 spawner()
    {
        for (const qint64 pid : descendantsOf(::getpid())) {
            if (parentOf(pid) == ::getpid())
                return pid;
        }
        return 0;
    }

    static void limitTo(rlim_t soft)
    {
        const rlimit limit{soft, most};
        QVERIFY(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    }

    std::unique_ptr<Backend> m_backend;

private Q_SLOTS:
    void initTestCase()
    {
        limitTo(usual);
        m_backend = backendUnderTest(u"descriptors"_s);
        QVERIFY(runSealed(*m_backend, shellSpec("exit 0")));
    }

    void theLauncherHasAsManyAsItMayAndARunItsOwn()
    {
        QFile limits(u"/proc/%1/limits"_s.arg(spawner()));
        QVERIFY(limits.open(QIODevice::ReadOnly));
        const QByteArray text = limits.readAll().simplified();
        QVERIFY2(text.contains("Max open files 600 600 files"), text);
        const Result<SealedOutcome> run = runSealed(*m_backend, shellSpec("ulimit -n; ulimit -Hn"));
        QVERIFY(run);
        QCOMPARE(run->out, "512\n512\n");
    }

    void whenTheLauncherHasNoMoreTheNextRunIsTold()
    {
        limitTo(most);
        std::vector<std::unique_ptr<SealedProcess>> processes;
        std::optional<Error> refused;
        while (!refused) {
            Result<std::unique_ptr<SealedProcess>> process = launchIn(*m_backend, shellSpec("exit 7"));
            if (!process) {
                refused = process.error();
            } else {
                processes.push_back(std::move(*process));
            }
        }
        QVERIFY2(processes.size() > 20, qPrintable(QString::number(processes.size())));
        QCOMPARE(refused->message.english(),
                 u"Glovebox may not open enough files for another run. Nothing was run; try again when fewer runs "
                 "go on, or raise the limit (ulimit -n)."_s);
        for (const auto &process : processes) {
            QVERIFY(process->start());
            std::optional<SandboxEnd> end;
            while (!end && waitUntilReadable(*process, process->reportDescriptor()))
                end = process->takeEnd();
            QVERIFY(end);
            QCOMPARE(end->exitCode, std::optional(7));
        }
        processes.clear();
        const Result<SealedOutcome> next = runSealed(*m_backend, shellSpec("echo again"));
        QVERIFY2(next, qPrintable(next ? QString() : next.error().message.english()));
        QCOMPARE(next->out, "again\n");
    }

    void whenTheEngineHasNoMoreTheRunIsTold_data()
    {
        QTest::addColumn<int>("free");
        for (int free = 0; free < 24; ++free)
            QTest::addRow("%d are left", free) << free;
    }

    void whenTheEngineHasNoMoreTheRunIsTold()
    {
        QFETCH(int, free);
        limitTo(usual);
        std::vector<UniqueFd> taken;
        while (taken.empty() || taken.back())
            taken.emplace_back(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
        taken.resize(taken.size() - 1 - std::size_t(free));
        const Result<SealedOutcome> run = runSealed(*m_backend, shellSpec("echo ran"));
        taken.clear();
        if (run)
            QCOMPARE(run->out, "ran\n");
        else
            QCOMPARE(run.error().message.english(),
                     u"This program has too many files open to start another run. Nothing was run. Raise the "
                     "limit (ulimit -n), or end other runs."_s);
        QVERIFY(run || free < 20);
        const Result<SealedOutcome> next = runSealed(*m_backend, shellSpec("echo again"));
        QVERIFY2(next, qPrintable(next ? QString() : next.error().message.english()));
    }

    void memoryOfWhichAPageIsInUseForAMomentIsSealed()
    {
        limitTo(usual);
        launcher::MemoryWriter memory("glovebox-test");
        memory.append(std::string(4096, 'x'));
        UniqueFd again;
        for (const QFileInfo &link : QDir(u"/proc/self/fd"_s).entryInfoList(QDir::AllEntries | QDir::System)) {
            if (link.symLinkTarget().contains(u"memfd:glovebox-test"_s))
                again = UniqueFd(::open(QFile::encodeName(link.filePath()).constData(), O_RDONLY | O_CLOEXEC));
        }
        QVERIFY(again);
        int ends[2] = {-1, -1};
        QVERIFY(::pipe2(ends, O_CLOEXEC) == 0);
        const UniqueFd out(ends[0]);
        const UniqueFd in(ends[1]);
        loff_t from = 0;
        QCOMPARE(::splice(again.get(), &from, in.get(), nullptr, 4096, 0), 4096); // the page is the pipe's, too
        std::jthread user([&] {
            std::this_thread::sleep_for(400ms); // longer than the kernel waits
            char page[4096];
            std::ignore = ::read(out.get(), page, sizeof page);
        });
        const UniqueFd sealed = memory.seal();
        QVERIFY(sealed);
        std::string bytes;
        QCOMPARE(launcher::readSealedMemory(sealed.get(), bytes), 0);
        QCOMPARE(bytes.size(), 4096U);
    }
};

QTEST_GUILESS_MAIN(TestDescriptors)
#include "tst_descriptors.moc"
