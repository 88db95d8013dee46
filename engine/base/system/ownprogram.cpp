// SPDX-License-Identifier: Apache-2.0
#include "ownprogram.h"

#include "engine/base/json.h"
#include "oserror.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <thread>

extern char **environ; // NOLINT(readability-redundant-declaration): glibc alone has it in a header

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int firstFree = 4; // after the standard streams and the channel
constexpr int loaderFailed = 127; // exit status of ld.so(8)
constexpr auto loaderPatience = 1s;
constexpr qsizetype complaintMax = 200; // characters
constexpr auto killPatience = 50ms; // most are gone at once
constexpr auto glance = 250us;

std::unexpected<Error> notStarted(const QString &path, const QString &why)
{
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "Glovebox's program %1 can't be started: %2. Install Glovebox again."),
                {QFileInfo(path).fileName(), why}, Text("%1: %2", {path, why}));
}

std::unexpected<Error> notStarted(const QString &path, int error)
{
    if (error != EAGAIN && error != ENOMEM && error != EMFILE && error != ENFILE)
        return notStarted(path, errnoText(error));
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine",
                                  "Glovebox's program %1 can't be started: %2. Raise the limits that Glovebox was "
                                  "started under (ulimit)."),
                {QFileInfo(path).fileName(), errnoText(error)});
}

// The package of a library by Debian Policy, section 8.1: libqt6keychain1 for libqt6keychain.so.1.
QString debianPackage(const QString &library, const QString &version)
{
    const QString name = library.toLower().replace(u'_', u'-');
    return name.back().isDigit() && !version.isEmpty() ? name + u'-' + version : name + version;
}

// Killed programs that had not ended when somebody stopped waiting for them: reaped when the next program starts.
class GivenUp
{
public:
    void add(pid_t process)
    {
        const std::scoped_lock lock(m_mutex);
        m_processes.push_back(process);
    }
    void reap()
    {
        const std::scoped_lock lock(m_mutex);
        std::erase_if(m_processes, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
    }

private:
    std::mutex m_mutex;
    std::vector<pid_t> m_processes;
};

GivenUp &givenUp()
{
    static GivenUp all;
    return all;
}

std::vector<char *> pointersTo(std::vector<std::string> &texts)
{
    std::vector<char *> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string &text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace

OwnProgram::~OwnProgram()
{
    if (m_process < 0)
        return;
    ::kill(m_process, SIGKILL);
    if (!endsWithin(killPatience))
        givenUp().add(m_process);
}

Status OwnProgram::start(ProgramStart start)
{
    givenUp().reap();
    m_path = start.path;
    m_status = 0;
    std::array<int, 2> channel{};
    if (::socketpair(AF_UNIX, start.socket | SOCK_CLOEXEC, 0, channel.data()) != 0)
        return notStarted(m_path, errno);
    m_channel.reset(channel[0]);
    UniqueFd theirs(channel[1]);
    // Nobody waits at either end, however much a program has to say.
    std::array<int, 2> complaints{};
    if (::pipe2(complaints.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return notStarted(m_path, errno);
    m_complaints.reset(complaints[0]);
    UniqueFd theirComplaints(complaints[1]);

    // Above the numbers that the program knows, so that none is taken before its turn.
    const int above = firstFree + static_cast<int>(start.descriptors.size());
    const auto moveAway = [above](UniqueFd &descriptor) {
        descriptor.reset(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, above));
        return descriptor.isValid();
    };
    if (!moveAway(theirs) || !moveAway(theirComplaints) || !std::ranges::all_of(start.descriptors, moveAway))
        return notStarted(m_path, errno);

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO})
        ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&actions, theirComplaints.get(), STDERR_FILENO);
    for (const int number : start.channelAt)
        ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), number);
    for (int i = 0; i < above - firstFree; ++i)
        ::posix_spawn_file_actions_adddup2(&actions, start.descriptors[std::size_t(i)].get(), firstFree + i);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    start.arguments.insert(start.arguments.begin(), QFile::encodeName(m_path).toStdString());
    const std::vector<char *> argv = pointersTo(start.arguments);
    const std::vector<char *> environment = pointersTo(start.environment);
    const int error = ::posix_spawn(&m_process, argv.front(), &actions, &attributes, argv.data(),
                                    start.keepsEnvironment ? environ : environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (error == 0)
        return {};
    m_process = -1;
    return notStarted(m_path, error);
}

bool OwnProgram::endsWithin(std::chrono::milliseconds time)
{
    const auto deadline = std::chrono::steady_clock::now() + time;
    while (m_process > 0 && ::waitpid(m_process, &m_status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= deadline)
            return false;
        std::this_thread::sleep_for(glance);
    }
    m_process = -1;
    return true;
}

std::optional<Error> OwnProgram::whyNotLoaded()
{
    if (!endsWithin(loaderPatience))
        return std::nullopt;
    std::array<char, 4096> said;
    const ssize_t size = ::read(m_complaints.get(), said.data(), said.size());
    return glovebox::whyNotLoaded(m_path, m_status, QByteArray(said.data(), std::max<ssize_t>(size, 0)));
}

std::optional<MissingLibrary> missingLibrary(const QString &said)
{
    // glibc (of a program; in brackets of a plugin), musl
    static const QRegularExpression missing(u"([^\\s/:(]+)\\.so\\.?([0-9.]*): (?:cannot open|No such file)"_s);
    const QRegularExpressionMatch library = missing.match(said);
    if (!library.hasMatch())
        return {};
    return MissingLibrary{library.captured(0).section(u':', 0, 0),
                          debianPackage(library.captured(1), library.captured(2))};
}

Error whyNotLoaded(const QString &path, int status, const QByteArray &said)
{
    // A file that is cut off is mapped all the same, and then there is nothing where its code should be.
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS))
        return notStarted(path, u"its file is damaged"_s).error();
    const QString name = QFileInfo(path).fileName();
    if (WIFSIGNALED(status))
        return Error{ErrorCode::Unavailable,
                     Text(QT_TRANSLATE_NOOP("engine", "Glovebox's program %1 was ended by signal %2 before it "
                                                      "answered. Try again."),
                          {name, QString::number(WTERMSIG(status))}),
                     Text("%1", {path})};
    const QString why = QString::fromLocal8Bit(said).section(u'\n', 0, 0);
    if (WEXITSTATUS(status) != loaderFailed || why.isEmpty()) {
        const QString exitStatus = QString::number(WEXITSTATUS(status));
        const Text sentence =
            why.isEmpty() ? Text(QT_TRANSLATE_NOOP("engine", "Glovebox's program %1 ended with exit status %2 before "
                                                             "it answered. Install Glovebox again."),
                                 {name, exitStatus})
                          : Text(QT_TRANSLATE_NOOP("engine", "Glovebox's program %1 ended with exit status %2 before "
                                                             "it answered: %3. Install Glovebox again."),
                                 {name, exitStatus, recordable(why.left(complaintMax))});
        return Error{ErrorCode::Unavailable, sentence, Text("%1", {path})};
    }
    const auto library = missingLibrary(why);
    if (!library)
        return notStarted(path, why).error();
    return Error{
        ErrorCode::Unavailable,
        Text(QT_TRANSLATE_NOOP("engine", "Glovebox's program %1 can't be started, because the library %2 is missing. "
                                         "Install its package (%3 on Debian and Ubuntu)."),
             {name, library->name, library->package}),
        Text("%1", {why})};
}

} // namespace glovebox
