// SPDX-License-Identifier: Apache-2.0
#include "attempt.h"

#include "observe.h"
#include "tests/support/signals.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QThread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

namespace containment {

using namespace glovebox;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto lookAgain = 5ms;

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class RawAttempt final : public Attempt
{
public:
    RawAttempt(const Payload &payload, const QString &folder)
    {
        QByteArrayList argv{attackProgram(), m_token};
        if (const auto identity = runIdentity(); payload.unprivileged && ::geteuid() == 0 && identity)
            argv += {"--as", QByteArray::number(identity->uid), QByteArray::number(identity->gid)};
        else if (payload.namespaces)
            argv += "--with-namespaces";
        argv += payload.deed;
        argv += payload.words;
        std::vector<char *> pointers;
        for (QByteArray &word : argv)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);

        std::array<int, 2> input{-1, -1};
        std::array<int, 2> output{-1, -1};
        if (::pipe2(input.data(), O_CLOEXEC) < 0 || ::pipe2(output.data(), O_CLOEXEC) < 0)
            qFatal("no descriptors left");
        m_input.reset(input[1]);
        m_output.reset(output[0]);
        ::fcntl(output[0], F_SETFL, O_NONBLOCK);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, input[0], 0);
        ::posix_spawn_file_actions_adddup2(&actions, output[1], 1);
        ::posix_spawn_file_actions_adddup2(&actions, output[1], 2);
        ::posix_spawn_file_actions_addchdir_np(&actions, qPrintable(folder));
        posix_spawnattr_t attributes;
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (::posix_spawn(&m_pid, pointers.front(), &actions, &attributes, pointers.data(), environ) != 0)
            m_pid = -1;
        ::posix_spawnattr_destroy(&attributes);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(input[0]);
        ::close(output[1]);
    }
    ~RawAttempt() override
    {
        // Everything of it carries the token, so nobody else's is met.
        for (int round = 0; round < 3; ++round) {
            for (const qint64 pid : processes())
                sendSignal(pid, SIGKILL);
        }
        if (m_pid > 0 && !m_ended) {
            sendSignal(m_pid, SIGKILL);
            ::waitpid(m_pid, nullptr, 0);
        }
    }

    void finish() override
    {
        m_input.reset();
        const QDeadlineTimer patience(15'000);
        while (!hasEnded() && !patience.hasExpired()) {
            read();
            QThread::usleep(1000);
        }
        read();
    }
    bool hasEnded() override
    {
        m_ended = m_ended || m_pid < 0 || ::waitpid(m_pid, nullptr, WNOHANG) == m_pid;
        return m_ended;
    }
    QByteArray output() override
    {
        read();
        return m_said;
    }

private:
    void read()
    {
        std::array<char, 65536> part;
        ssize_t n = 0;
        while ((n = ::read(m_output.get(), part.data(), part.size())) > 0) {
            m_bytes += n;
            if (m_said.size() < 4 * mebibyte) // as many as a case looks for
                m_said.append(part.data(), n);
        }
    }

    pid_t m_pid = -1;
    bool m_ended = false;
    qint64 m_bytes = 0;
    QByteArray m_said;
    UniqueFd m_input, m_output;
};

class SealedAttempt final : public Attempt
{
public:
    SealedAttempt(Engine &engine, const Payload &payload, Start start)
        : m_engine(engine)
    {
        const bool warm = start == Start::Warm;
        // Shells have nothing that could wait.
        const QByteArray language = warm && payload.language == "bash" ? "python" : payload.language;
        static const QByteArray program = contentOf(QFile::decodeName(attackProgram()));
        RunRequest request;
        request.language = QString::fromLatin1(language);
        if (language == "python")
            request.code = "import os, sys\nos.chmod('attack', 0o700)\nos.execv('attack', ['attack'] + sys.argv[1:])\n";
        else if (language == "node")
            request.code =
                "const fs = require('fs'); fs.chmodSync('attack', 0o700);\n"
                "require('child_process').spawnSync('./attack', process.argv.slice(2), {stdio: 'inherit'});\n";
        else
            request.code = "chmod 700 attack\nexec ./attack \"$@\"\n";
        if (!payload.code.isEmpty())
            request.code = payload.code;
        request.secrets = payload.secrets;
        request.files = {{"attack", program}};
        request.args = QByteArrayList{m_token, payload.deed} + payload.words;
        request.policy = payload.policy;
        request.mayBeWarm = warm;
        if (start == Start::Terminal)
            request.terminal = Terminal();
        if (start == Start::Session) {
            const auto session = engine.createSession({.diskBytes = payload.policy.limits.diskBytes}, engine.caller());
            if (!session)
                qFatal("%s", qPrintable(session.error().message.english()));
            m_session = request.session = session->id;
        }
        if (warm) {
            if (request.policy.allow.isEmpty())
                engine.expect(request.language);
            // One of that shape is built once it was wanted.
            for (int i = 0; i < 5 && !request.policy.allow.isEmpty(); ++i) {
                RunRequest before = request;
                before.code = language == "node" ? ";" : "pass";
                if (engine.start(std::move(before))->wait()->warm)
                    break;
                QThread::msleep(200);
            }
            const QDeadlineTimer patience(2000);
            while (engine.backend().waiting() == 0 && !patience.hasExpired())
                QThread::msleep(2);
        }
        m_run = engine.start(std::move(request));
    }
    ~SealedAttempt() override
    {
        SealedAttempt::stop();
        if (!m_session.isEmpty())
            static_cast<void>(m_engine.deleteSession(m_session, m_engine.caller()));
    }

    void stop() override
    {
        m_run->cancel();
        m_run->cancel();
        m_run->wait();
    }

    void finish() override
    {
        m_run->closeInput();
        m_run->wait();
    }
    bool hasEnded() override { return m_run->state() == RunState::Done; }
    QByteArray output() override
    {
        if (const auto ended = m_run->result())
            return ended->out.kept() + ended->err.kept();
        QByteArray said;
        for (const OutputChunk &chunk : m_run->output(0, 4 * mebibyte).chunks)
            said += chunk.bytes;
        return said;
    }
    std::shared_ptr<const RunResult> result() const override { return m_run->result(); }

private:
    Engine &m_engine;
    QString m_session;
    std::shared_ptr<Run> m_run;
};

} // namespace

Attempt::Attempt()
    : m_token(newToken())
{
}

bool Attempt::isReady(std::chrono::milliseconds patience)
{
    const QDeadlineTimer deadline(patience);
    while (!deadline.hasExpired()) {
        if (output().contains("ready\n"))
            return true;
        if (hasEnded())
            return output().contains("ready\n");
        QThread::usleep(std::chrono::microseconds(lookAgain).count());
    }
    return false;
}

QList<qint64> Attempt::processes() const
{
    return processesWith(token());
}

std::unique_ptr<Attempt> startRaw(const Payload &payload, const QString &folder)
{
    return std::make_unique<RawAttempt>(payload, folder);
}

std::unique_ptr<Attempt> startSealed(Engine &engine, const Payload &payload, Start start)
{
    return std::make_unique<SealedAttempt>(engine, payload, start);
}

QByteArray attackProgram()
{
    return GLOVEBOX_ATTACK;
}

QByteArray newToken()
{
    QByteArray token = "containment";
    for (int i = 0; i < 3; ++i)
        token += QByteArray::number(QRandomGenerator::system()->generate64(), 36);
    return token;
}

} // namespace containment
