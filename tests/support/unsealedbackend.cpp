// SPDX-License-Identifier: Apache-2.0
#include "unsealedbackend.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

namespace glovebox {
namespace {

struct Pipe
{
    explicit Pipe(bool bothWays = false)
    {
        int ends[2];
        if ((bothWays ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : ::pipe2(ends, O_CLOEXEC)) != 0)
            qFatal("pipe2: %s", strerror(errno));
        reader.reset(ends[0]);
        writer.reset(ends[1]);
    }
    UniqueFd reader, writer;
};

UniqueFd nonBlocking(UniqueFd fd)
{
    ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
    return fd;
}

class UnsealedProcess : public SealedProcess
{
public:
    explicit UnsealedProcess(const SandboxShape &shape, const Assignment &assignment);
    ~UnsealedProcess() override
    {
        m_go.reset();
        UnsealedProcess::kill();
        if (m_waiter.joinable())
            m_waiter.join();
        else
            ::waitpid(m_pid, nullptr, 0);
    }

    const QList<Control> &controls() const override { return m_controls; }
    std::vector<UniqueFd> takeCopies() override
    {
        // They outlive the process: until the tests have ended.
        static std::mutex mutex;
        static std::vector<std::unique_ptr<QTemporaryDir>> folders;
        const std::scoped_lock lock(mutex);
        std::vector<UniqueFd> copies;
        for (qsizetype i = 0; i < m_copies; ++i) {
            const QString path = folders.emplace_back(std::make_unique<QTemporaryDir>())->path();
            copies.emplace_back(::open(QFile::encodeName(path).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        }
        return copies;
    }
    UniqueFd takeStdin() override { return nonBlocking(std::move(m_stdin)); }
    UniqueFd takeStdout() override { return nonBlocking(std::move(m_stdout)); }
    UniqueFd takeStderr() override { return nonBlocking(std::move(m_stderr)); }
    Status start() override
    {
        m_waiter = std::thread([this] { waitForEnd(); });
        [[maybe_unused]] const ssize_t written = ::write(m_go.get(), "", 1);
        m_go.reset();
        return {};
    }
    void interrupt() override { signalAll(SIGINT); }
    void kill() override { signalAll(SIGKILL); }
    int reportDescriptor() const override { return m_report.reader.get(); }
    std::optional<SandboxEnd> takeEnd() override
    {
        std::lock_guard lock(m_mutex);
        return std::exchange(m_end, std::nullopt);
    }

private:
    void signalAll(int signal)
    {
        std::lock_guard lock(m_mutex);
        if (!m_isReaped)
            ::kill(-m_pid, signal);
    }
    void waitForEnd();

    QTemporaryDir m_folder;
    const qsizetype m_copies;
    QList<Control> m_controls;
    UniqueFd m_stdin, m_stdout, m_stderr, m_go;
    Pipe m_report;
    pid_t m_pid = -1;
    std::thread m_waiter;
    std::mutex m_mutex;
    bool m_isReaped = false;
    std::optional<SandboxEnd> m_end;
};

void writeFiles(const QString &folder, const QList<InnerFile> &files)
{
    QDir().mkpath(folder);
    for (const InnerFile &file : files) {
        QFile target(folder + u'/' + QFile::decodeName(file.name));
        QDir().mkpath(QFileInfo(target).path());
        if (!target.open(QIODevice::WriteOnly) || target.write(file.content) != file.content.size())
            qFatal("can't write %s", qPrintable(target.fileName()));
    }
}

UnsealedProcess::UnsealedProcess(const SandboxShape &shape, const Assignment &assignment)
    : m_copies(assignment.copies.size())
    , m_controls{{ControlId::Unknown, QStringLiteral("on"), Control::State::Missing,
                  Text("A plain child process: for tests only.")}}
{
    const QString work = m_folder.filePath(QStringLiteral("work"));
    const QString support = m_folder.filePath(QStringLiteral("support"));
    writeFiles(work, assignment.files);
    writeFiles(support, shape.supportFiles);

    Pipe input, output, error, go;
    Pipe job(true);
    if (!assignment.job.isEmpty()
        && ::write(job.writer.get(), assignment.job.constData(), size_t(assignment.job.size()))
               != assignment.job.size())
        qFatal("the job doesn't fit into a pipe");
    // Everything that allocates comes before the fork.
    const auto outside = [&](QByteArray text) {
        return text.replace("/run/glovebox", QFile::encodeName(support)).replace("/work", QFile::encodeName(work));
    };
    std::vector<QByteArray> arguments, environment;
    for (const QByteArray &argument : shape.argv + assignment.arguments)
        arguments.push_back(outside(argument));
    for (const QByteArray &variable : shape.environment)
        environment.push_back(outside(variable));
    const auto pointers = [](std::vector<QByteArray> &texts) {
        std::vector<char *> list;
        for (QByteArray &text : texts)
            list.push_back(text.data());
        list.push_back(nullptr);
        return list;
    };
    const auto argv = pointers(arguments), envp = pointers(environment);
    const QByteArray folder = QFile::encodeName(work);
    const std::array sources{input.reader.get(), output.writer.get(), error.writer.get(), job.reader.get(),
                             go.reader.get()};

    m_pid = ::fork();
    if (m_pid == 0) {
        ::setpgid(0, 0);
        int fds[std::size(sources)];
        for (size_t i = 0; i < std::size(sources); ++i)
            fds[i] = ::fcntl(sources[i], F_DUPFD_CLOEXEC, 10); // out of the way of 0 to 3
        const int inherited = shape.hasDriver ? 4 : 3;
        for (int fd = 0; fd < inherited; ++fd)
            ::dup2(fds[fd], fd);
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        char byte;
        ::close(go.writer.get());
        if (::chdir(folder.constData()) != 0 || ::read(fds[4], &byte, 1) != 1)
            ::_exit(125);
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    ::setpgid(m_pid, m_pid); // also here: whoever is first
    m_stdin = std::move(input.writer);
    m_stdout = std::move(output.reader);
    m_stderr = std::move(error.reader);
    m_go = std::move(go.writer);
}

void UnsealedProcess::waitForEnd()
{
    siginfo_t info;
    while (::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) { }
    // The main process is gone; like in a sandbox, what it left behind goes too.
    std::lock_guard lock(m_mutex);
    ::kill(-m_pid, SIGKILL);
    int status = 0;
    ::waitpid(m_pid, &status, 0);
    m_isReaped = true;
    m_end.emplace();
    if (WIFEXITED(status))
        m_end->exitCode = WEXITSTATUS(status);
    else
        m_end->signal = WTERMSIG(status);
    m_report.writer.reset(); // readable: end of file
}

} // namespace

Result<std::unique_ptr<SealedProcess>> UnsealedBackend::launch(const SandboxShape &shape, const Assignment &assignment,
                                                               std::stop_token stop)
{
    ++launched;
    if (beforeLaunch) {
        if (auto status = beforeLaunch(assignment, stop); !status)
            return std::unexpected(status.error());
    }
    return std::make_unique<UnsealedProcess>(shape, assignment);
}

BackendReport UnsealedBackend::probe()
{
    BackendReport report;
    report.backend = name();
    report.builder = builder();
    report.reason = Text("It seals nothing: for tests only.");
    return report;
}

} // namespace glovebox
