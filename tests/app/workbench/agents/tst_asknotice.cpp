// SPDX-License-Identifier: Apache-2.0
// What the desktop is told while nobody looks at the window: a real dbus-daemon, and on it a notification service of the test's own.
#include "app/workbench/agents/notice/asknotice.h"
#include "tests/app/workbench/desk/desk.h"
#include "tests/app/workbench/desk/desktopbus.h"

#include <QDBusMessage>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// On the test's own bus.
class NotificationService : public QDBusVirtualObject
{
public:
    QList<QVariantList> notified;
    QList<uint> closed;
    QString introspect(const QString &) const override { return {}; }
    bool handleMessage(const QDBusMessage &message, const QDBusConnection &bus) override
    {
        if (message.member() == "CloseNotification"_L1) {
            closed.append(message.arguments().value(0).toUInt());
            return bus.send(message.createReply());
        }
        if (message.member() != "Notify"_L1)
            return false;
        notified.append(message.arguments());
        return bus.send(message.createReply(QVariant::fromValue(uint(notified.size() + 40))));
    }
};

} // namespace

class TestAskNotice : public QObject
{
    Q_OBJECT

private:
    static ApprovalRequest hostileRequest()
    {
        ApprovalRequest request;
        request.run = u"evil"_s;
        request.caller = {.kind = Caller::Kind::Mcp,
                          .pid = 1,
                          .program = u"/usr/bin/co<b>dex\u202e"_s,
                          .claimed = u"Your bank"_s,
                          .connection = u"c"_s};
        request.language = u"sh"_s;
        request.code = "echo CODEWORD";
        request.codeDigest = sha256({request.code});
        request.policy.allow = {u"hostname.example"_s};
        request.secrets = {{u"SECRETNAME"_s, {}, false}};
        request.wants = wantsOf(request, {});
        return request;
    }

private Q_SLOTS:
    void itSaysWhoAndWhatKindsAndNothingElse()
    {
        QCOMPARE(AskNotice::titleOf(hostileRequest(), {}), u"co<b>dex asks to run code"_s);
        QCOMPARE(AskNotice::textOf(hostileRequest()), u"The run wants more: network, keys. Open Glovebox to answer."_s);
        ApprovalRequest paired = hostileRequest();
        paired.caller.pairing = u"p"_s;
        QCOMPARE(AskNotice::titleOf(paired, {{u"p"_s, u"Codex"_s}}), u"Codex asks to run code"_s);
        paired.caller.program = u"/usr/bin/"_s + QString(1'000'000, u'x');
        paired.wants = QList<Want>(10'000, {Want::Kind::Host, u"x"_s, {}, {}});
        QVERIFY(AskNotice::titleOf(paired, {}).size() < 100);
        QVERIFY(AskNotice::textOf(paired).size() < 200);
    }

    void aHiddenWindowIsAnnouncedAndAClickRaisesItAndAllowsNothing()
    {
        if (!DesktopBus::isInstalled())
            QSKIP("dbus-daemon is not installed.");
        NotificationService service;
        QDBusConnection bus =
            DesktopBus::serve(u"org.freedesktop.Notifications"_s, u"/org/freedesktop/Notifications"_s, service);
        QVERIFY(bus.isConnected());

        Desk desk;
        desk.show();
        desk.openEngine();
        desk.frame.showMinimized();
        QTRY_VERIFY(!desk.frame.isActiveWindow());
        bool isAllowed = false;
        desk.context.inbox().ask(hostileRequest(),
                                 [&](const ApprovalDecision &decision) { isAllowed = decision.allowed; });
        QTRY_COMPARE_WITH_TIMEOUT(service.notified.size(), 1, 10'000);
        const QVariantList told = service.notified.first();
        QCOMPARE(told.value(0).toString(), u"Glovebox"_s);
        QCOMPARE(told.value(3).toString(), u"cobdex asks to run code"_s); // no markup
        for (const QVariant &part : told) {
            for (const auto &secret : {u"CODEWORD"_s, u"SECRETNAME"_s, u"hostname"_s, u"bank"_s})
                QVERIFY2(!part.toString().contains(secret), qPrintable(part.toString()));
        }
        const auto click = [&](uint id) {
            QDBusMessage signal = QDBusMessage::createSignal(u"/org/freedesktop/Notifications"_s,
                                                             u"org.freedesktop.Notifications"_s, u"ActionInvoked"_s);
            signal << id << u"default"_s;
            return bus.send(signal);
        };
        QVERIFY(click(7)); // of another program's
        QVERIFY(click(41));
        QTRY_VERIFY_WITH_TIMEOUT(desk.frame.isActiveWindow() && !desk.frame.isMinimized(), 10'000);
        QCOMPARE(desk.context.inbox().contents().asks.size(), 1);
        QVERIFY(!isAllowed);
        QTRY_COMPARE_WITH_TIMEOUT(service.closed, QList<uint>{41}, 10'000); // the person is here
        // Nobody who looks at the window is told.
        ApprovalRequest another = hostileRequest();
        another.run = u"another"_s;
        desk.context.inbox().ask(another, [](const ApprovalDecision &) { });
        QTRY_VERIFY(desk.frame.page(u"agents"_s)->waiting() == 2);
        Desk::settle();
        QCOMPARE(service.notified.size(), 1);
        desk.context.inbox().withdraw(u"evil"_s);
        desk.context.inbox().withdraw(u"another"_s);
        QDBusConnection::disconnectFromBus(bus.name());
    }
};

GLOVEBOX_TEST_FILE
{
    return runOnDesktopBus<TestAskNotice>(argc, argv);
}
#include "tst_asknotice.moc"
