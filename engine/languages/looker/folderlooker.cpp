// SPDX-License-Identifier: Apache-2.0
#include "folderlooker.h"

#include <QFile>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace glovebox {

namespace {

using namespace std::chrono_literals;

constexpr auto lookingTime = 3s; // an automounter may have a server to ask
constexpr auto glance = 20ms;

bool hasAnswered(const OwnProgram &program, std::chrono::milliseconds time)
{
    pollfd answer{program.channel(), POLLIN, 0};
    return ::poll(&answer, 1, int(time.count())) > 0;
}

} // namespace

std::unexpected<Error> stoppedLooking()
{
    return fail(ErrorCode::Cancelled, Text(QT_TRANSLATE_NOOP("engine", "The run was stopped before it started.")));
}

FolderLooker::FolderLooker(const QString &libexec)
    : m_path(libexec.isEmpty() ? QString() : libexec + QStringLiteral("/glovebox-looker"))
{
}

bool FolderLooker::ask(const QString &folder, const QStringList &programs)
{
    QByteArray question = QFile::encodeName(folder) + '\0';
    for (const QString &program : programs)
        question += QFile::encodeName(program) + '\0';
    const auto send = [&](const OwnProgram &program) {
        return ::send(program.channel(), question.constData(), std::size_t(question.size()), MSG_NOSIGNAL)
               == ssize_t(question.size());
    };
    if (!m_idle || !send(*m_idle)) { // killed meanwhile
        m_idle = std::make_unique<OwnProgram>();
        if (!m_idle->start({.path = m_path, .channelAt = {STDIN_FILENO}}) || !send(*m_idle))
            return false;
    }
    m_open[folder] = {std::move(m_idle), Clock::now()};
    return true;
}

Status FolderLooker::look(const QString &folder, const QStringList &programs, const std::stop_token &stop)
{
    if (m_path.isEmpty())
        return {};
    const Turn::Held turn = m_turn.take(stop);
    if (!turn)
        return stoppedLooking();
    for (;;) {
        const bool isOther = m_open.contains(folder); // somebody's, who went on without the answer
        if (!isOther && !ask(folder, programs))
            return {};
        const Question &question = m_open[folder];
        while (!hasAnswered(*question.program, glance)) {
            if (stop.stop_requested())
                return stoppedLooking();
            if (Clock::now() - question.asked >= lookingTime)
                return fail(ErrorCode::TimedOut,
                            QT_TRANSLATE_NOOP("engine", "The folder %1 was skipped, as its file system hasn't answered "
                                                        "for %2 s. Look after what mounts it, or take it out of PATH."),
                            {folder, QString::number(std::chrono::seconds(lookingTime).count())});
        }
        auto program = std::move(m_open.extract(folder).mapped().program);
        char answer = 0;
        const bool isAnswer = ::recv(program->channel(), &answer, 1, 0) == 1;
        if (isAnswer)
            m_idle = std::move(program);
        if (!isOther)
            return {};
    }
}

} // namespace glovebox
