// SPDX-License-Identifier: Apache-2.0
#include "portal.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFile>

namespace glovebox {
namespace {

constexpr QLatin1StringView service("org.freedesktop.portal.Desktop");
constexpr QLatin1StringView path("/org/freedesktop/portal/desktop");
constexpr QLatin1StringView interface("org.freedesktop.portal.Settings");
constexpr QLatin1StringView appearance("org.freedesktop.appearance");
constexpr QLatin1StringView busName("glovebox-portal");

// Lives on the portal's thread.
class Listener : public QObject
{
    Q_OBJECT
public:
    void listen()
    {
        QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SessionBus, busName);
        if (!bus.isConnected())
            return;
        bus.connect(service, path, interface, QStringLiteral("SettingChanged"), this,
                    SLOT(onChanged(QString, QString, QDBusVariant)));
        for (const QString &key : {QStringLiteral("color-scheme"), QStringLiteral("contrast")}) {
            QDBusMessage call = QDBusMessage::createMethodCall(service, path, interface, QStringLiteral("Read"));
            call << appearance << key;
            auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
            connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, key, watcher] {
                watcher->deleteLater();
                const QDBusPendingReply<QDBusVariant> reply = *watcher;
                if (reply.isValid())
                    onChanged(appearance, key, reply.value());
            });
        }
    }

Q_SIGNALS:
    void value(const QString &space, const QString &key, const QVariant &value);

private Q_SLOTS:
    void onChanged(const QString &space, const QString &key, const QDBusVariant &wrapped)
    {
        QVariant inner = wrapped.variant();
        while (inner.canConvert<QDBusVariant>()) // Read() wraps twice, the signal once
            inner = inner.value<QDBusVariant>().variant();
        Q_EMIT value(space, key, inner);
    }
};

bool hasSessionBus()
{
    // Without this check libdbus would start a bus of its own.
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")
           || QFile::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
}

} // namespace

Portal::Portal(QObject *parent)
    : QObject(parent)
{
}

Portal::~Portal()
{
    if (!m_thread)
        return;
    m_thread->quit();
    // A hung bus must not hold up the end: the thread is left to die with the process then.
    if (m_thread->wait(500))
        delete m_thread;
}

void Portal::start()
{
    if (m_thread || !hasSessionBus())
        return;
    m_thread = new QThread;
    auto *listener = new Listener;
    listener->moveToThread(m_thread);
    connect(m_thread, &QThread::started, listener, &Listener::listen);
    connect(m_thread, &QThread::finished, listener, &QObject::deleteLater);
    connect(listener, &Listener::value, this, &Portal::take);
    m_thread->start(QThread::LowPriority);
}

void Portal::take(const QString &space, const QString &key, const QVariant &value)
{
    if (space != QLatin1StringView("org.freedesktop.appearance"))
        return;
    if (key == QLatin1StringView("color-scheme"))
        Q_EMIT colorScheme(value.toUInt());
    else if (key == QLatin1StringView("contrast"))
        Q_EMIT contrast(value.toUInt());
}

} // namespace glovebox

#include "portal.moc"
