// SPDX-License-Identifier: Apache-2.0
#include "stage.h"

#include <QDeadlineTimer>
#include <QProcess>
#include <QRandomGenerator>
#include <QThread>

#include <csignal>
#include <unistd.h>

namespace glovebox::selftest {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto readyWord = "ready\n";
constexpr unsigned long lookAgain = 10; // milliseconds
constexpr qint64 outputWanted = 4 * mebibyte;
constexpr int patience = 20'000; // milliseconds, beyond every snippet's own

QByteArray outputOf(const Run &run)
{
    QByteArray said;
    for (const OutputChunk &chunk : run.output(0, outputWanted).chunks)
        said += chunk.bytes;
    return said;
}

} // namespace

Stage::Stage(const SelfTest &test, bool sealed)
    : m_test(test)
    , m_sealed(sealed)
    , m_mark("glovebox-attack-" + randomName())
{
}

QByteArray Stage::perform(const Snippet &snippet, const std::function<void()> &look)
{
    return m_sealed ? performSealed(snippet, look) : performUnsealed(snippet, look);
}

QByteArray Stage::performSealed(const Snippet &snippet, const std::function<void()> &look)
{
    RunRequest request;
    request.language = u"bash"_s;
    request.code = snippet.code;
    request.args = QByteArrayList{m_mark} + snippet.args;
    request.policy = m_test.policy;
    request.policy.folders.clear();
    request.policy.allow.clear();
    request.policy.limits.wall = snippet.wall;
    request.policy.limits.outputBytes = std::max(request.policy.limits.outputBytes, mebibyte);
    request.caller = m_test.caller;
    const std::shared_ptr<Run> run = m_test.start(std::move(request));
    while (run->state() != RunState::Done && !outputOf(*run).contains(readyWord))
        QThread::msleep(lookAgain);
    if (look)
        look();
    run->closeInput();
    const auto result = run->wait();
    if (nothingRan(result->outcome) || result->outcome == Outcome::Interrupted)
        isTrouble(result->reason);
    return result->out.kept() + result->err.kept();
}

QByteArray Stage::performUnsealed(const Snippet &snippet, const std::function<void()> &look)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(m_folder.path());
    QStringList arguments{u"-c"_s, QString::fromUtf8(snippet.code), u"bash"_s, QString::fromUtf8(m_mark)};
    for (const QByteArray &argument : snippet.args)
        arguments.append(QFile::decodeName(argument));
    process.start(u"/bin/bash"_s, arguments);
    QByteArray said;
    const QDeadlineTimer deadline(patience);
    while (!process.waitForFinished(static_cast<int>(lookAgain)) && process.state() != QProcess::NotRunning
           && !deadline.hasExpired() && !said.contains(readyWord))
        said += process.readAll();
    if (look)
        look();
    process.closeWriteChannel();
    if (!process.waitForFinished(2000))
        process.kill();
    process.waitForFinished(1000);
    return said + process.readAll();
}

QList<qint64> Stage::markedProcesses() const
{
    QList<qint64> found;
    for (const qint64 pid : processesOfMachine()) {
        if (argumentsOfProcess(pid).contains(m_mark) && !statusOfProcess(pid)["State"].startsWith('Z'))
            found.append(pid);
    }
    return found;
}

void Stage::endMarkedProcesses() const
{
    for (const qint64 pid : markedProcesses())
        ::kill(static_cast<pid_t>(pid), SIGKILL);
}

QByteArray randomName()
{
    QByteArray name;
    for (int i = 0; i < 2; ++i)
        name += QByteArray::number(QRandomGenerator::system()->generate64(), 36);
    return name;
}

} // namespace glovebox::selftest
