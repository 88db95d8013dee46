// SPDX-License-Identifier: Apache-2.0
// fault-engine: an engine in a program of its own, for tests that hurt it. It stands still where it is told to, so that a test
// can hit it there. Reads one command a line and says one fact a line:
//
//   (at start)       says "ready ID"; its control groups carry that id
//   run STAGE CODE   starts sh with CODE; says "at STAGE" when it got there, and stands there until "go".
//                    STAGE: waiting, queued, preparing, launched, running, pumping, finishing; or free: doesn't stand still
//   end              says "end OUTCOME ID REASON" of that run when it is done
//   record           says "record OUTCOME..." of all runs in the log, newest first; "open" where there is none yet
//   many N M         N runs of `true`, M at once; says "many OUTCOME=COUNT... rss KIB"
//
// What it uses is below GLOVEBOX_HOME.
#include "engine/engine.h"

#include <QCoreApplication>
#include <QFile>
#include <QMap>

#include <unistd.h>

#include <deque>
#include <iostream>
#include <semaphore>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Unbuffered: what was said was said, also when the next moment is the last.
void say(const QString &line)
{
    const QByteArray bytes = line.toUtf8() + '\n';
    if (::write(STDOUT_FILENO, bytes.constData(), size_t(bytes.size())) != bytes.size())
        ::_exit(9);
}

// Where the run of the last command is to stand still.
class Barrier
{
public:
    void close(const QString &stage)
    {
        const std::scoped_lock lock(m_mutex);
        m_stage = stage;
    }
    void open() { m_open.release(); }
    void pass(const char *stage)
    {
        {
            const std::scoped_lock lock(m_mutex);
            if (m_stage != QLatin1StringView(stage))
                return;
            m_stage.clear();
        }
        say(u"at "_s + QLatin1StringView(stage));
        m_open.acquire();
    }

private:
    std::mutex m_mutex;
    QString m_stage;
    std::counting_semaphore<> m_open{0};
};

// The real one, which stands still before it is killed for good.
class GatedProcess : public SealedProcess
{
public:
    GatedProcess(std::unique_ptr<SealedProcess> process, Barrier &gate)
        : m_process(std::move(process))
        , m_gate(gate)
    {
    }
    ~GatedProcess() override { m_gate.pass("finishing"); }

    const QList<Control> &controls() const override { return m_process->controls(); }
    bool isWarm() const override { return m_process->isWarm(); }
    UniqueFd takeStdin() override { return m_process->takeStdin(); }
    UniqueFd takeStdout() override { return m_process->takeStdout(); }
    UniqueFd takeStderr() override { return m_process->takeStderr(); }
    Status start() override { return m_process->start(); }
    void interrupt() override { m_process->interrupt(); }
    void kill() override { m_process->kill(); }
    int eventDescriptor() const override { return m_process->eventDescriptor(); }
    QList<RunEvent> takeEvents(int max) override { return m_process->takeEvents(max); }
    int reportDescriptor() const override { return m_process->reportDescriptor(); }
    std::optional<SandboxEnd> takeEnd() override { return m_process->takeEnd(); }

private:
    std::unique_ptr<SealedProcess> m_process;
    Barrier &m_gate;
};

class GatedBackend : public Backend
{
public:
    GatedBackend(std::unique_ptr<Backend> backend, Barrier &gate)
        : m_backend(std::move(backend))
        , m_gate(gate)
    {
    }

    QString name() const override { return m_backend->name(); }
    QString builder() const override { return m_backend->builder(); }
    void prepare(Use use) override { m_backend->prepare(use); }
    Result<std::unique_ptr<SealedProcess>> launch(const SandboxShape &shape, const Assignment &assignment,
                                                  std::stop_token stop) override
    {
        m_gate.pass("preparing");
        auto process = m_backend->launch(shape, assignment, stop);
        if (!process)
            return process;
        m_gate.pass("launched");
        return std::make_unique<GatedProcess>(std::move(*process), m_gate);
    }
    BackendReport probe() override { return m_backend->probe(); }
    void shutdown() override { m_backend->shutdown(); }

private:
    std::unique_ptr<Backend> m_backend;
    Barrier &m_gate;
};

// A person who doesn't answer.
class SilentApprover : public Approver
{
public:
    void ask(const ApprovalRequest &, Answer) override { say(u"at waiting"_s); }
    void withdraw(const QString &) override { }
};

RunRequest shell(const QByteArray &code)
{
    RunRequest request;
    request.code = code;
    request.language = u"sh"_s;
    request.policy.limits.wall = std::chrono::minutes(2);
    return request;
}

void waitForState(const Run &run, RunState state)
{
    while (run.state() < state)
        ::usleep(2000);
}

void waitForOutput(Run &run, qint64 bytes)
{
    for (qint64 read = 0; read < bytes && run.state() != RunState::Done; ::usleep(2000))
        read = run.output(read, mebibyte).next;
}

qint64 residentKib()
{
    QFile file(u"/proc/self/statm"_s);
    return file.open(QIODevice::ReadOnly) ? file.readAll().split(' ').value(1).toLongLong() * ::getpagesize() / 1024
                                          : -1;
}

void many(Engine &engine, int count, int atOnce)
{
    QMap<QString, int> outcomes;
    std::deque<std::shared_ptr<Run>> running;
    for (int i = 0; i < count || !running.empty();) {
        if (i < count && int(running.size()) < atOnce) {
            running.push_back(engine.start(shell("true")));
            ++i;
            continue;
        }
        ++outcomes[toString(running.front()->wait()->outcome)];
        running.pop_front();
    }
    QString line = u"many"_s;
    for (auto outcome = outcomes.cbegin(); outcome != outcomes.cend(); ++outcome)
        line += u" %1=%2"_s.arg(outcome.key()).arg(outcome.value());
    say(line + u" rss %1"_s.arg(residentKib()));
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    Barrier gate;
    const QString home = qEnvironmentVariable("GLOVEBOX_HOME");
    const QString id = newId(Clock::system());
    EngineConfig config;
    config.paths = {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, QStringLiteral(GLOVEBOX_LIBEXEC)};
    config.backends = {std::make_shared<GatedBackend>(makePlatformBackend(config.paths.libexec, id), gate)};
    config.approver = std::make_shared<SilentApprover>();
    config.runsSoon = true;
    auto engine = Engine::open(std::move(config));
    if (!engine) {
        say(u"no engine: "_s + engine.error().message.english());
        return 1;
    }
    say(u"ready "_s + id);
    std::shared_ptr<Run> run;
    QList<std::shared_ptr<Run>> before; // what fills the slots
    std::string line;
    while (std::getline(std::cin, line)) {
        const QByteArray command = QByteArray::fromStdString(line);
        const QByteArray verb = command.split(' ').at(0);
        if (verb == "run") {
            const QString stage = QString::fromUtf8(command.split(' ').at(1));
            RunRequest request = shell(command.mid(5 + command.split(' ').at(1).size()));
            if (stage == u"waiting")
                request.caller.kind = Caller::Kind::Mcp;
            if (stage == u"queued") {
                const int slotCount = (*engine)->settings().maxConcurrent();
                for (int i = 0; i < slotCount; ++i) {
                    before.append((*engine)->start(shell("sleep 100")));
                    waitForState(*before.last(), RunState::Running);
                }
            }
            gate.close(stage);
            run = (*engine)->start(std::move(request));
            if (stage == u"queued")
                waitForState(*run, RunState::Queued);
            else if (stage == u"running")
                waitForOutput(*run, 1);
            else if (stage == u"pumping")
                waitForOutput(*run, 3 * mebibyte);
            if (stage == u"queued" || stage == u"running" || stage == u"pumping")
                say(u"at "_s + stage);
        } else if (verb == "go") {
            gate.open();
            before.clear();
        } else if (verb == "end") {
            const auto result = run->wait();
            say(u"end %1 %2 %3"_s.arg(toString(result->outcome), result->id, result->reason.english()));
        } else if (verb == "record") {
            QString facts = u"record"_s;
            if (const auto log = (*engine)->auditReader()) {
                if (const Result<QList<RunRow>> rows = (*log)->runs({})) {
                    for (const RunRow &row : *rows)
                        facts += u' ' + (row.outcome ? toString(*row.outcome) : u"open"_s);
                }
            }
            say(facts);
        } else if (verb == "many") {
            many(**engine, command.split(' ').at(1).toInt(), command.split(' ').at(2).toInt());
        }
    }
}
