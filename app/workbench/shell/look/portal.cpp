// SPDX-License-Identifier: Apache-2.0
#include "portal.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

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
        qRegisterMetaType<
            QDBusVariant>(); // QtDBus does it with the first variant, and a slot for one isn't found before
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
    void value(const QString & /*space*/, const QString & /*key*/, const QVariant & /*value*/);

private Q_SLOTS:
    void onChanged(const QString &space, const QString &key, const QDBusVariant &wrapped)
    {
        QVariant inner = wrapped.variant();
        while (inner.canConvert<QDBusVariant>()) // Read() wraps twice, the signal once
            inner = inner.value<QDBusVariant>().variant();
        Q_EMIT value(space, key, inner);
    }
};

} // namespace

Portal::Portal(QObject *parent)
    : QObject(parent)
{
}

Portal::~Portal() = default;

void Portal::start()
{
    if (m_thread.isStarted() || !hasSessionBus())
        return;
    auto *listener = new Listener;
    connect(listener, &Listener::value, this, &Portal::take);
    m_thread.start(listener);
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
