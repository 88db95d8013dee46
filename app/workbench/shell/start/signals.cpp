// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include <QSocketNotifier>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>

namespace glovebox {
namespace {

constexpr std::array handled{SIGTERM, SIGINT, SIGHUP};
std::atomic<int> pipeEnd{-1}; // the only thing a handler touches

void onSignal(int signal)
{
    const int error = errno;
    const auto byte = static_cast<unsigned char>(signal);
    // A full pipe already has what is needed.
    [[maybe_unused]] const ssize_t written = ::write(pipeEnd.load(), &byte, 1);
    errno = error;
}

void setHandler(void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : handled)
        ::sigaction(signal, &action, nullptr);
}

} // namespace

TerminationSignals::TerminationSignals(QObject *parent)
    : QObject(parent)
{
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0)
        return; // the default then: the process ends, and the stash has what was typed
    m_read.reset(ends[0]);
    m_write.reset(ends[1]);
    for (const int end : ends) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
    m_notifier = new QSocketNotifier(m_read.get(), QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        unsigned char signal = 0;
        while (::read(m_read.get(), &signal, 1) == 1)
            Q_EMIT received(signal);
    });
    pipeEnd = m_write.get();
    setHandler(onSignal);
}

TerminationSignals::~TerminationSignals()
{
    if (!m_write)
        return;
    setHandler(SIG_DFL);
    pipeEnd = -1;
}

} // namespace glovebox
