// SPDX-License-Identifier: Apache-2.0
// https://specifications.freedesktop.org/notification-spec/latest/protocol.html
#include "desktopnotice.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

#include <atomic>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1StringView notifications("org.freedesktop.Notifications");
constexpr QLatin1StringView notificationsPath("/org/freedesktop/Notifications");

QDBusMessage notificationsCall(const QString &method)
{
    return QDBusMessage::createMethodCall(notifications, notificationsPath, notifications, method);
}

// A server may read the text as markup, and needn't say so.
QString withoutMarkup(QString text)
{
    return text.remove(u'<').remove(u'>').remove(u'&');
}

} // namespace

// Lives on the notice's thread.
class DesktopNotice::Messenger : public QObject
{
    Q_OBJECT
public:
    Messenger()
    {
        static std::atomic<int> count = 0;
        m_name = u"glovebox-notice-%1"_s.arg(++count);
    }
    ~Messenger() override { QDBusConnection::disconnectFromBus(m_name); }

    void listen()
    {
        QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SessionBus, m_name);
        if (bus.isConnected())
            bus.connect(notifications, notificationsPath, notifications, u"ActionInvoked"_s, this,
                        SLOT(invoked(uint, QString)));
    }

    void post(const QString &title, const QString &text, const QString &open)
    {
        const QDBusConnection bus(m_name);
        if (!bus.isConnected())
            return;
        m_isWanted = true;
        QDBusMessage call = notificationsCall(u"Notify"_s);
        call << u"Glovebox"_s << m_id << u"io.github.glovebox.Workbench"_s << withoutMarkup(title)
             << withoutMarkup(text) << QStringList{u"default"_s, open}
             << QVariantMap{{u"desktop-entry"_s, u"io.github.glovebox.Workbench"_s}} << -1;
        auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
        connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
            watcher->deleteLater();
            const QDBusPendingReply<uint> reply = *watcher;
            if (!reply.isValid())
                return;
            m_id = reply.value();
            if (!m_isWanted)
                close(); // withdrawn before the server answered
        });
    }

    void close()
    {
        m_isWanted = false;
        const QDBusConnection bus(m_name);
        if (m_id == 0 || !bus.isConnected())
            return;
        QDBusMessage call = notificationsCall(u"CloseNotification"_s);
        call << m_id;
        bus.send(call);
        m_id = 0;
    }

Q_SIGNALS:
    void chosen();

private Q_SLOTS:
    void invoked(uint id, const QString &)
    {
        if (id != 0 && id == m_id)
            Q_EMIT chosen();
    }

private:
    QString m_name;
    uint m_id = 0; // the server's; 0: none is shown
    bool m_isWanted = false;
};

DesktopNotice::DesktopNotice(QObject *parent)
    : QObject(parent)
{
}

DesktopNotice::~DesktopNotice() = default;

void DesktopNotice::show(const QString &title, const QString &text)
{
    if (!m_messenger) {
        if (!hasSessionBus())
            return;
        m_messenger = new Messenger;
        connect(m_messenger, &Messenger::chosen, this, &DesktopNotice::clicked);
        m_thread.start(m_messenger);
    }
    QMetaObject::invokeMethod(
        m_messenger, [messenger = m_messenger, title, text, open = tr("Open")] { messenger->post(title, text, open); },
        Qt::QueuedConnection);
}

void DesktopNotice::withdraw()
{
    if (m_messenger)
        QMetaObject::invokeMethod(m_messenger, &Messenger::close, Qt::QueuedConnection);
}

} // namespace glovebox

#include "bus.moc"
