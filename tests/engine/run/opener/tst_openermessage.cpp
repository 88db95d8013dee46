// SPDX-License-Identifier: Apache-2.0
// Ctrl+C and other signals come whenever they like: a message is whole all the same.
#include "engine/run/grants/opener/message.h"

#include <QTest>

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <future>
#include <thread>

using namespace glovebox;
using namespace std::chrono_literals;

namespace {

constexpr qsizetype size = 2'000'000; // more than a socket holds

} // namespace

class TestOpenerMessage : public QObject
{
    Q_OBJECT

    UniqueFd m_here, m_there;

    // A signal goes to the main thread where it takes it.
    static void interruptEach(std::chrono::microseconds time)
    {
        const itimerval timer{.it_interval = {0, time.count()}, .it_value = {0, time.count()}};
        QCOMPARE(::setitimer(ITIMER_REAL, &timer, nullptr), 0);
    }

    template<typename Work> static auto meanwhile(const Work &work)
    {
        sigset_t alarm, before;
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        ::pthread_sigmask(SIG_BLOCK, &alarm, &before);
        auto other = std::async(std::launch::async, work);
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return other;
    }

private Q_SLOTS:
    void initTestCase()
    {
        struct sigaction action = {};
        action.sa_handler = [](int) { };
        QCOMPARE(::sigaction(SIGALRM, &action, nullptr), 0);
    }
    void init()
    {
        std::array<int, 2> ends{};
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        m_here.reset(ends[0]);
        m_there.reset(ends[1]);
        constexpr timeval time{.tv_sec = 5, .tv_usec = 0}; // with a limit, no call restarts by itself
        for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO})
            QCOMPARE(::setsockopt(m_here.get(), SOL_SOCKET, direction, &time, sizeof time), 0);
        interruptEach(1ms);
    }
    void cleanup() { interruptEach(0ms); }

    void signalsInterruptNoMessageThatComes()
    {
        auto other = meanwhile([this] {
            std::this_thread::sleep_for(50ms);
            const quint64 told = size;
            QByteArray all(reinterpret_cast<const char *>(&told), sizeof told);
            all += QByteArray(size, 'x');
            for (qsizetype sent = 0; sent < all.size();) { // also the head in parts
                const qsizetype part = sent < 9 ? 3 : all.size() / 4;
                std::this_thread::sleep_for(20ms);
                const ssize_t count = ::send(m_there.get(), all.constData() + sent,
                                             size_t(std::min(part, all.size() - sent)), MSG_NOSIGNAL);
                if (count < 0)
                    return false;
                sent += count;
            }
            return true;
        });
        opener::Message message;
        const int error = opener::receive(m_here.get(), message);
        interruptEach(0ms);
        if (error != 0)
            m_here.reset();
        QVERIFY(other.get() || error != 0);
        QCOMPARE(error, 0);
        QCOMPARE(message.bytes, QByteArray(size, 'x'));
    }

    void signalsInterruptNoMessageThatGoes()
    {
        const UniqueFd passed(::dup(STDERR_FILENO));
        auto other = meanwhile([this] {
            std::this_thread::sleep_for(100ms);
            opener::Message message;
            const int error = opener::receive(m_there.get(), message);
            return error == 0 && message.descriptor && message.bytes == QByteArray(size, 'y');
        });
        const int error = opener::send(m_here.get(), QByteArray(size, 'y'), passed.get());
        interruptEach(0ms);
        if (error != 0)
            m_here.reset();
        const bool isWhole = other.get();
        QCOMPARE(error, 0);
        QVERIFY(isWhole);
    }

    void theOtherEndMayBeGone()
    {
        opener::Message message;
        QCOMPARE(::write(m_there.get(), "head", 4), 4);
        m_there.reset();
        QCOMPARE(opener::receive(m_here.get(), message), ECONNRESET);
        QCOMPARE(opener::receive(m_here.get(), message), ECONNRESET);
    }
};

QTEST_GUILESS_MAIN(TestOpenerMessage)
#include "tst_openermessage.moc"
