// SPDX-License-Identifier: Apache-2.0
// `glovebox open`: a file, or what comes on standard input, in the workbench.
#include "command.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int longestStartMs = 30'000;

// By the first MB, and as the workbench's editor tells them apart: it says the same in its window, where a person at a terminal may
// not look.
bool looksLikeText(const QString &name)
{
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return true;
    const QByteArray bytes = file.read(mebibyte);
    if (bytes.startsWith("\xff\xfe") || bytes.startsWith("\xfe\xff")) // UTF-16
        return true;
    if (bytes.contains('\0'))
        return false;
    const bool hasControls = std::ranges::any_of(bytes, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && !QByteArrayView("\t\n\r\f\x1b").contains(c);
    });
    return !hasControls || !file.atEnd() || bytes.isValidUtf8();
}

// What can't be opened is said here, where the person looks. Else nothing.
QString troubleWith(const QByteArray &file)
{
    const QString name = QFile::decodeName(file);
    const QFileInfo info(name);
    if (QFile::encodeName(name) != file)
        return u"The name \"%1\" is not text in this locale, so the workbench can't open the file. Rename it."_s.arg(
            name);
    if (!info.exists())
        return u"There is no file \"%1\". Check its name and folder."_s.arg(name);
    if (info.isDir())
        return u"\"%1\" is a folder. Name a file in it."_s.arg(name);
    if (!info.isReadable())
        return u"You may not read the file \"%1\". Check its permissions."_s.arg(name);
    if (!info.isFile()) // a pipe or a device may never end
        return u"\"%1\" is a pipe or a device. To open what comes from it: glovebox open - <%2"_s.arg(
            name, asShellWord(file));
    if (!looksLikeText(name))
        return u"\"%1\" is not text, so the workbench can't open the file. Code can read the file where its folder is "
               "shown to the run: glovebox run --mount"_s.arg(name);
    return {};
}

// The workbench, which goes on when this program ends; its word that the window is there comes on started.
Result<pid_t> startWorkbench(const QString &program, const QByteArrayList &files, bool readsInput, int started)
{
    const QByteArray path = QFile::encodeName(program);
    QByteArrayList words{path, "--started-fd=" + QByteArray::number(started), "--"};
    words += files;
    std::vector<char *> argv;
    for (QByteArray &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (!readsInput)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0); // a pipe would never end
    posix_spawn_file_actions_adddup2(&actions, started, started); // keeps it through exec
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    // A session of its own: Ctrl+C and the end of this terminal are nothing to the window.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int error = ::posix_spawn(&pid, path.constData(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return fail(ErrorCode::Io, Text("%1 could not be started: %2.", {program, errnoText(error)}));
    return pid;
}

int openFiles(const Arguments &arguments)
{
    const bool readsInput = arguments.positional.contains("-");
    QByteArrayList files = arguments.positional;
    for (const QByteArray &file : arguments.afterDashes)
        files.append(file == "-" ? "./-" : file); // after "--" it is a name
    for (const QByteArray &file : files) {
        if (readsInput && file == "-")
            continue;
        if (const QString trouble = troubleWith(file); !trouble.isEmpty()) {
            say(trouble);
            return ExitStatus::failed;
        }
    }
    const QString program = QCoreApplication::applicationDirPath() + u"/glovebox-workbench"_s;
    if (!QFileInfo(program).isExecutable()) {
        say(u"The workbench is not installed: there is no program %1. \"glovebox run\" needs no window. In a checkout, ./installer/dev app builds the workbench."_s
                .arg(program));
        return ExitStatus::failed;
    }

    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return sayFailure({ErrorCode::Io, Text("The workbench can't be started: %1.", {errnoText(errno)}), {}});
    const UniqueFd waits(ends[0]);
    UniqueFd started(ends[1]);
    const auto pid = startWorkbench(program, files, readsInput, started.get());
    started.reset();
    if (!pid)
        return sayFailure(pid.error());
    pollfd word{waits.get(), POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&word, 1, longestStartMs);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        say(u"The workbench was started (process %1), but its window isn't there yet."_s.arg(*pid));
        return ExitStatus::failed;
    }
    char byte = 0;
    if (::read(waits.get(), &byte, 1) == 1)
        return 0;
    // It ended without a window, and has said why.
    int status = 0;
    if (::waitpid(*pid, &status, 0) == *pid && WIFSIGNALED(status))
        say(u"The workbench ended with signal %1 before its window was there."_s.arg(WTERMSIG(status)));
    return ExitStatus::failed;
}

} // namespace

Command openCommand()
{
    return {
        .name = u"open"_s,
        .summary = u"open a file in the workbench"_s,
        .synopsis = u"[FILE|-]"_s,
        .details = uR"(FILE, or standard input with -, opens in the workbench: in its open window, else in a new one.
Without both the window comes to the front. Nothing is run.

Examples:
  glovebox open snippet.py
  curl -s https://example.org/install.sh | glovebox open -
)"_s,
        .run = openFiles,
    };
}

} // namespace glovebox
