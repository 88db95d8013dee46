// SPDX-License-Identifier: Apache-2.0
// The thread on which something listens to D-Bus: neither a hung bus nor a missing one can hold up the window.
#pragma once

#include <QFile>
#include <QThread>

namespace glovebox {

// Lives on the GUI thread.
class BusThread
{
public:
    BusThread() = default;
    BusThread(const BusThread &) = delete;
    BusThread &operator=(const BusThread &) = delete;
    ~BusThread()
    {
        if (!m_thread)
            return;
        m_thread->quit();
        // A hung bus must not hold up the end: the thread is left to die with the process then.
        if (m_thread->wait(500))
            delete m_thread;
    }

    bool isStarted() const { return m_thread; }
    // Calls listener->listen() there. Takes the listener, which goes when the thread ends.
    template<typename Listener> void start(Listener *listener)
    {
        m_thread = new QThread;
        listener->moveToThread(m_thread);
        QObject::connect(m_thread, &QThread::started, listener, &Listener::listen);
        QObject::connect(m_thread, &QThread::finished, listener, &QObject::deleteLater);
        m_thread->start(QThread::LowPriority);
    }

private:
    QThread *m_thread = nullptr; // null: not started
};

// Whether there is a bus to connect to: without this check libdbus would start one of its own.
inline bool hasBus(const char *variable, const QString &socket)
{
    return qEnvironmentVariableIsSet(variable) || QFile::exists(socket);
}

inline bool hasSessionBus()
{
    return hasBus("DBUS_SESSION_BUS_ADDRESS", qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
}

} // namespace glovebox
