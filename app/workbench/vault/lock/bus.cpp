// SPDX-License-Identifier: Apache-2.0
// logind: https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html
// Screen savers: https://specifications.freedesktop.org/idle-inhibit-spec/latest/
#include "screenlock.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusServiceWatcher>
#include <QDBusVariant>

#include <atomic>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1StringView login("org.freedesktop.login1");
constexpr QLatin1StringView manager("org.freedesktop.login1.Manager");
constexpr QLatin1StringView session("org.freedesktop.login1.Session");
constexpr QLatin1StringView loginPath("/org/freedesktop/login1");
// The caller's session, or, for programs that the user's service manager started, the one of the display.
constexpr QLatin1StringView ownSession("/org/freedesktop/login1/session/auto");
constexpr QLatin1StringView properties("org.freedesktop.DBus.Properties");

// Lives on the thread of the ScreenLock.
class Listener : public QObject
{
    Q_OBJECT
public:
    Listener()
    {
        static std::atomic<int> count = 0;
        const int number = ++count;
        m_systemName = u"glovebox-screen-system-%1"_s.arg(number);
        m_sessionName = u"glovebox-screen-session-%1"_s.arg(number);
    }

    ~Listener() override
    {
        for (const QString &name : {m_systemName, m_sessionName})
            QDBusConnection::disconnectFromBus(name);
    }

    void listen()
    {
        if (hasBus("DBUS_SYSTEM_BUS_ADDRESS", u"/run/dbus/system_bus_socket"_s))
            listenToLogin();
        if (hasSessionBus())
            listenToScreenSavers();
    }

Q_SIGNALS:
    void locked();
    void listening();

private Q_SLOTS:
    void lock() { Q_EMIT locked(); }

    void changeIf(bool active)
    {
        if (active)
            Q_EMIT locked();
    }

    void changeProperties(const QString &interface, const QVariantMap &changed, const QStringList &)
    {
        if (interface == session)
            changeIf(changed.value(u"LockedHint"_s).toBool());
    }

private:
    void listenToLogin()
    {
        QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SystemBus, m_systemName);
        if (!bus.isConnected())
            return;
        bus.connect(login, loginPath, manager, u"PrepareForSleep"_s, this, SLOT(changeIf(bool)));
        auto *watcher = new QDBusServiceWatcher(login, bus, QDBusServiceWatcher::WatchForRegistration, this);
        connect(watcher, &QDBusServiceWatcher::serviceRegistered, this, &Listener::findSession);
        findSession();
    }

    // Signals come from the session's own path, which "auto" tells the id of.
    void findSession()
    {
        const QString id = qEnvironmentVariable("XDG_SESSION_ID");
        if (!id.isEmpty())
            return findSessionOf(id);
        ask(ownSession, properties, u"Get"_s, {QString(session), u"Id"_s}, [this](const QVariantList &answer) {
            findSessionOf(answer.value(0).value<QDBusVariant>().variant().toString());
        });
    }

    void findSessionOf(const QString &id)
    {
        if (id.isEmpty())
            return;
        ask(loginPath, manager, u"GetSession"_s, {id},
            [this](const QVariantList &answer) { follow(answer.value(0).value<QDBusObjectPath>().path()); });
    }

    void follow(const QString &path)
    {
        QDBusConnection bus(m_systemName);
        if (!m_path.isEmpty()) { // of a logind that was started anew
            bus.disconnect(login, m_path, session, u"Lock"_s, this, SLOT(lock()));
            bus.disconnect(login, m_path, properties, u"PropertiesChanged"_s, this,
                           SLOT(changeProperties(QString, QVariantMap, QStringList)));
        }
        m_path = path;
        bus.connect(login, path, session, u"Lock"_s, this, SLOT(lock()));
        bus.connect(login, path, properties, u"PropertiesChanged"_s, this,
                    SLOT(changeProperties(QString, QVariantMap, QStringList)));
        ask(path, properties, u"Get"_s, {QString(session), u"LockedHint"_s}, [this](const QVariantList &answer) {
            changeIf(answer.value(0).value<QDBusVariant>().variant().toBool());
            Q_EMIT listening();
        });
    }

    // Whoever says so on the session's bus is believed: all that comes of it is that a value is hidden.
    void listenToScreenSavers()
    {
        QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SessionBus, m_sessionName);
        if (!bus.isConnected())
            return;
        for (const QString &interface : {u"org.freedesktop.ScreenSaver"_s, u"org.gnome.ScreenSaver"_s})
            bus.connect({}, {}, interface, u"ActiveChanged"_s, this, SLOT(changeIf(bool)));
    }

    template<typename Then>
    void ask(QLatin1StringView path, QLatin1StringView interface, const QString &method, const QVariantList &arguments,
             Then then)
    {
        ask(QString(path), interface, method, arguments, std::move(then));
    }

    template<typename Then>
    void ask(const QString &path, QLatin1StringView interface, const QString &method, const QVariantList &arguments,
             Then then)
    {
        QDBusMessage call = QDBusMessage::createMethodCall(login, path, interface, method);
        call.setArguments(arguments);
        auto *watcher = new QDBusPendingCallWatcher(QDBusConnection(m_systemName).asyncCall(call), this);
        connect(watcher, &QDBusPendingCallWatcher::finished, this, [watcher, then = std::move(then)] {
            watcher->deleteLater();
            if (!watcher->isError())
                then(watcher->reply().arguments());
        });
    }

    QString m_systemName, m_sessionName;
    QString m_path; // of the session
};

} // namespace

ScreenLock::ScreenLock(QObject *parent)
    : QObject(parent)
{
}

ScreenLock::~ScreenLock() = default;

void ScreenLock::start()
{
    if (m_thread.isStarted())
        return;
    auto *listener = new Listener;
    connect(listener, &Listener::locked, this, &ScreenLock::locked);
    connect(listener, &Listener::listening, this, &ScreenLock::listening);
    m_thread.start(listener);
}

} // namespace glovebox

#include "bus.moc"
