// SPDX-License-Identifier: Apache-2.0
#include "bell.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace glovebox {

namespace {

constexpr int stoppingSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> signalDescriptor = -1;
int firstTaken = 0;

void ringForSignal(int signal)
{
    const int saved = errno;
    const char byte = char(signal);
    [[maybe_unused]] const ssize_t written = ::write(signalDescriptor, &byte, 1);
    errno = saved;
}

// A handler instead of SIG_IGN: the programs that we start inherit an ignored signal, but not a handler.
void doNothing(int) { }

// What the caller ignores (nohup, a shell's background job) stays ignored. No SA_RESTART: a blocked write must end.
void handle(int signal, void (*handler)(int))
{
    struct sigaction action = {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    action = {};
    action.sa_handler = handler;
    ::sigaction(signal, &action, nullptr);
}

} // namespace

struct Bell::Pipe
{
    UniqueFd reader, writer;

    Pipe()
    {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe2"); // as when there are no more threads
        reader.reset(ends[0]);
        writer.reset(ends[1]);
    }
    void ring() const
    {
        const char byte = 0;
        [[maybe_unused]] const ssize_t written = ::write(writer.get(), &byte, 1); // full: it rings already
    }
};

Bell::Bell(Rings rings)
    : m_rings(rings)
    , m_pipe(std::make_shared<Pipe>())
{
    signalDescriptor = m_pipe->writer.get();
    for (const int signal : stoppingSignals)
        handle(signal, ringForSignal);
    handle(SIGPIPE, doNothing);
    if (m_rings == Rings::AlsoForSize)
        handle(SIGWINCH, ringForSignal);
}

Bell::~Bell()
{
    for (const int signal : stoppingSignals)
        handle(signal, SIG_DFL);
    handle(SIGPIPE, SIG_DFL);
    if (m_rings == Rings::AlsoForSize)
        handle(SIGWINCH, SIG_DFL);
    signalDescriptor = -1;
}

std::function<void()> Bell::ringer() const
{
    return [pipe = m_pipe] { pipe->ring(); };
}

int Bell::descriptor() const
{
    return m_pipe->reader.get();
}

QList<int> Bell::takeSignals()
{
    QList<int> signalNumbers;
    unsigned char bytes[64];
    ssize_t count = 0;
    while ((count = ::read(m_pipe->reader.get(), bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < count; ++i) {
            if (bytes[i] != 0)
                signalNumbers.append(bytes[i]);
            if (firstTaken == 0 && bytes[i] != SIGWINCH)
                firstTaken = bytes[i];
        }
    }
    return signalNumbers;
}

int Bell::firstStop()
{
    return firstTaken == 0 ? SIGINT : firstTaken;
}

} // namespace glovebox
