// SPDX-License-Identifier: Apache-2.0
// A value that is shown goes when the screen is locked: a real dbus-daemon, and on it a logind and a screen saver of the test's own.
#include "tests/engine/vault/desktop.h"
#include "tests/support/memorystore.h"
#include "vaultseat.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusVariant>
#include <QDBusVirtualObject>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QString service = u"org.freedesktop.login1"_s;
const QString loginPath = u"/org/freedesktop/login1"_s;
const QString sessionPath = u"/org/freedesktop/login1/session/_37"_s; // as logind writes "7"
const QString sessionInterface = u"org.freedesktop.login1.Session"_s;

class FakeLogin : public QDBusVirtualObject
{
public:
    QString introspect(const QString &) const override { return {}; }
    bool handleMessage(const QDBusMessage &message, const QDBusConnection &connection) override
    {
        const auto reply = [&](const QVariant &value) { return connection.send(message.createReply(value)); };
        if (message.member() == u"GetSession"_s && message.arguments().value(0).toString() == u"7"_s)
            return reply(QVariant::fromValue(QDBusObjectPath(sessionPath)));
        if (message.member() != u"Get"_s || message.arguments().value(0).toString() != sessionInterface)
            return connection.send(message.createErrorReply(u"org.freedesktop.DBus.Error.UnknownMethod"_s, {}));
        const QString name = message.arguments().value(1).toString();
        if (name == u"Id"_s && message.path().endsWith(u"/auto"_s))
            return reply(QVariant::fromValue(QDBusVariant(u"7"_s)));
        return reply(QVariant::fromValue(QDBusVariant(hint)));
    }
    bool hint = false;
};

class Bus
{
public:
    explicit Bus(const QString &name)
        : m_name(name)
        , connection(QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SYSTEM_BUS_ADDRESS"), name))
    {
    }
    ~Bus() { QDBusConnection::disconnectFromBus(m_name); }

    void signal(const QString &path, const QString &interface, const QString &member,
                const QVariantList &arguments = {})
    {
        QDBusMessage message = QDBusMessage::createSignal(path, interface, member);
        message.setArguments(arguments);
        connection.send(message);
    }

private:
    QString m_name;

public:
    QDBusConnection connection;
};

} // namespace

class TestScreenLock : public QObject, public VaultSeat
{
    Q_OBJECT

private:
    void hold()
    {
        auto *show = find<QPushButton>(u"details.show"_s);
        QTest::mousePress(show, Qt::LeftButton);
        QTRY_COMPARE(text(u"details.value"_s), u"hush-hush-1"_s);
    }
    bool isShown() const { return text(u"details.value"_s).contains(u"hush"_s); }
    void letGo() { QTest::mouseRelease(find<QPushButton>(u"details.show"_s), Qt::LeftButton); }

private Q_SLOTS:
    void cleanup() { desk.reset(); }

    void aShownValueGoesWhenTheScreenIsLocked()
    {
        if (const QString missing = test::Desktop::missingBus(); !missing.isEmpty())
            QSKIP(qPrintable(missing));
        test::Desktop desktop;
        QVERIFY(desktop.startBus());
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", qgetenv("DBUS_SESSION_BUS_ADDRESS"));
        qunsetenv("XDG_SESSION_ID");
        FakeLogin login;
        auto logind = std::make_unique<Bus>(u"fake-login1"_s);
        QVERIFY(logind->connection.isConnected());
        QVERIFY(logind->connection.registerVirtualObject(loginPath, &login, QDBusConnection::SubPath));
        QVERIFY(logind->connection.registerService(service));

        sitDown({makeMemoryStore()});
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        // Until the page has found its session: its first question was answered, its last one not yet.
        hold();
        const auto lockIsHeard = [&] {
            logind->signal(sessionPath, sessionInterface, u"Lock"_s);
            QTest::qWait(50);
            return !isShown();
        };
        QTRY_VERIFY(lockIsHeard());
        // The button is held still, and the pointer moves on it: it has to be pressed anew.
        QTest::mouseMove(find<QPushButton>(u"details.show"_s), QPoint(8, 8));
        QTest::mouseMove(find<QPushButton>(u"details.show"_s), QPoint(10, 10));
        QTest::qWait(100);
        QVERIFY(!isShown());
        letGo();

        const auto properties = u"org.freedesktop.DBus.Properties"_s;
        hold();
        logind->signal(sessionPath, properties, u"PropertiesChanged"_s,
                       {sessionInterface, QVariantMap{{u"LockedHint"_s, true}}, QStringList()});
        QTRY_VERIFY(!isShown());
        letGo();

        hold(); // another session's lock is none of ours, and unlocking hides nothing
        logind->signal(loginPath + u"/session/_38"_s, sessionInterface, u"Lock"_s);
        logind->signal(sessionPath, properties, u"PropertiesChanged"_s,
                       {sessionInterface, QVariantMap{{u"LockedHint"_s, false}}, QStringList()});
        logind->signal(sessionPath, sessionInterface, u"Unlock"_s);
        QTest::qWait(200);
        QVERIFY(isShown());
        logind->signal(loginPath, u"org.freedesktop.login1.Manager"_s, u"PrepareForSleep"_s, {true});
        QTRY_VERIFY(!isShown());
        letGo();

        for (const QString &saver : {u"org.freedesktop.ScreenSaver"_s, u"org.gnome.ScreenSaver"_s}) {
            Bus screenSaver(saver);
            hold();
            screenSaver.signal(u"/ScreenSaver"_s, saver, u"ActiveChanged"_s, {false});
            QTest::qWait(100);
            QVERIFY(isShown());
            screenSaver.signal(u"/ScreenSaver"_s, saver, u"ActiveChanged"_s, {true});
            QTRY_VERIFY(!isShown());
            letGo();
        }

        // logind is started anew, while the screen is locked already.
        hold();
        logind.reset();
        login.hint = true;
        logind = std::make_unique<Bus>(u"fake-login1-again"_s);
        QVERIFY(logind->connection.registerVirtualObject(loginPath, &login, QDBusConnection::SubPath));
        QVERIFY(logind->connection.registerService(service));
        QTRY_VERIFY(!isShown());
        letGo();
        hold();
        logind->signal(sessionPath, sessionInterface, u"Lock"_s);
        QTRY_VERIFY(!isShown());
    }

    void withoutABusThePageWorks()
    {
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        sitDown({makeMemoryStore()});
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        hold();
        letGo();
        QVERIFY(!isShown());
    }

    void aBusThatHangsHoldsNothingUp()
    {
        // It takes the connection, and says nothing.
        QTemporaryDir folder;
        const QByteArray path = folder.filePath(u"bus"_s).toLocal8Bit();
        const UniqueFd bus(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        std::copy(path.begin(), path.end(), address.sun_path);
        QCOMPARE(::bind(bus.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)), 0);
        QCOMPARE(::listen(bus.get(), 8), 0);
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=" + path);
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + path);
        QElapsedTimer timer;
        timer.start();
        sitDown({makeMemoryStore()});
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        // Wall time here: who waits for a bus uses none of the processor's.
        qint64 longest = 0;
        QElapsedTimer beat;
        QTimer pulse;
        connect(&pulse, &QTimer::timeout, this, [&] { longest = std::max(longest, beat.restart()); });
        beat.start();
        pulse.start(5);
        hold();
        letGo();
        QTest::qWait(300);
        QVERIFY2(longest < 1000, QByteArray::number(longest));
        timer.restart();
        desk.reset();
        QVERIFY2(timer.elapsed() < 3000, QByteArray::number(timer.elapsed()));
    }
};

GLOVEBOX_TEST_MAIN(TestScreenLock)
#include "tst_screenlock.moc"
