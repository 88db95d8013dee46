// SPDX-License-Identifier: Apache-2.0
// tcsetattr(3), strlen(3) and write(2) are safe in a signal handler (signal-safety(7)).
#include "terminalmode.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace glovebox {

namespace {

constexpr int fatalSignals[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
constexpr int endingSignals[] = {SIGINT, SIGTERM, SIGHUP};

// For the handlers.
volatile std::sig_atomic_t terminal = -1;
termios before{};
bool handlesEnding = false;
const char *lastSequence = "";

void restore()
{
    ::tcsetattr(terminal, TCSANOW, &before);
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, lastSequence, std::strlen(lastSequence));
}

void restoreAndDie(int signal)
{
    restore();
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

// Somebody sent SIGTSTP, or typed Ctrl+Z where that isn't the run's. SIGSTOP would also stop what nobody is there to continue.
void restoreAndStop(int)
{
    const int saved = errno;
    termios during{};
    const bool isKnown = ::tcgetattr(terminal, &during) == 0; // libedit has one of its own
    restore();
    ::signal(SIGTSTP, SIG_DFL);
    ::raise(SIGTSTP);
    sigset_t stopping;
    ::sigemptyset(&stopping);
    ::sigaddset(&stopping, SIGTSTP);
    ::pthread_sigmask(SIG_UNBLOCK, &stopping, nullptr); // stops here
    ::signal(SIGTSTP, restoreAndStop);
    if (isKnown)
        ::tcsetattr(terminal, TCSANOW, &during);
    ::raise(SIGWINCH); // the window may have another size, and other things on it
    errno = saved;
}

// What the caller ignores stays ignored.
void handleStopping(void (*handler)(int))
{
    if (::signal(SIGTSTP, handler) == SIG_IGN)
        ::signal(SIGTSTP, SIG_IGN);
}

} // namespace

Terminal sizeOfTerminal()
{
    Terminal found;
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        winsize size{};
        if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
            found.rows = size.ws_row;
            found.columns = size.ws_col;
            break;
        }
    }
    return found;
}

TerminalMode::TerminalMode(int descriptor, Ending ending, const char *sequence)
{
    if (::tcgetattr(descriptor, &before) != 0)
        return;
    termios during = before;
    during.c_iflag &= ~static_cast<tcflag_t>(IXON | IXOFF | ICRNL | INLCR | IGNCR | ISTRIP | BRKINT | PARMRK);
    during.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
    during.c_cc[VMIN] = 1;
    during.c_cc[VTIME] = 0;
    terminal = descriptor;
    lastSequence = sequence;
    for (const int signal : fatalSignals)
        ::signal(signal, restoreAndDie);
    handlesEnding = ending == Ending::Signals;
    if (handlesEnding) {
        for (const int signal : endingSignals)
            ::signal(signal, restoreAndDie);
    }
    handleStopping(restoreAndStop);
    ::tcsetattr(descriptor, TCSANOW, &during);
}

TerminalMode::~TerminalMode()
{
    if (terminal < 0)
        return;
    ::tcsetattr(terminal, TCSADRAIN, &before);
    for (const int signal : fatalSignals)
        ::signal(signal, SIG_DFL);
    if (handlesEnding) {
        for (const int signal : endingSignals)
            ::signal(signal, SIG_DFL);
    }
    handleStopping(SIG_DFL);
    terminal = -1;
}

bool LeavingKey::isIn(QByteArrayView typed)
{
    constexpr char key = 0x1d; // Ctrl+]
    constexpr int wanted = 3;
    for (const char byte : typed) {
        const auto now = std::chrono::steady_clock::now();
        if (byte != key) {
            m_count = 0;
            continue;
        }
        if (m_count == 0 || now - m_first > std::chrono::seconds(1)) {
            m_count = 0;
            m_first = now;
        }
        if (++m_count >= wanted)
            return true;
    }
    return false;
}

} // namespace glovebox
