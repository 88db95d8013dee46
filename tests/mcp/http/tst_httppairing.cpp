// SPDX-License-Identifier: Apache-2.0
// A program pairs itself at `glovebox mcp --http --ask`, with the person's word and never without.
#include "pairingvisitor.h"

#include <QTest>

#include <csignal>

#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestHttpPairing : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aProgramIsPairedByThePersonsWord_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::newRow("by number") << QByteArray("127.0.0.1:");
        QTest::newRow("by name") << QByteArray("localhost:");
    }
    void aProgramIsPairedByThePersonsWord()
    {
        QFETCH(QByteArray, host);
        AskingService service;
        QVERIFY2(service.isThere && service.desk.seen.contains("asked about here"), service.desk.seen);
        PairingVisitor visitor(service.port, host + QByteArray::number(service.port));
        const QString base = u"http://"_s + QString::fromLatin1(visitor.host);
        const HttpReply bare = visitor.post("/mcp", "application/json", "{}");
        QCOMPARE(bare.status, 401);
        QCOMPARE(bare.field("WWW-Authenticate"), "Bearer realm=\"glovebox\", resource_metadata=\"" + base.toLatin1()
                                                     + "/.well-known/oauth-protected-resource/mcp\"");
        const QJsonObject resource = visitor.get(allPlaces[0]).json();
        QCOMPARE(visitor.get(allPlaces[1]).json(), resource);
        QCOMPARE(resource[u"resource"].toString(), base + u"/mcp"_s);
        QCOMPARE(resource[u"authorization_servers"].toArray(), QJsonArray{base});
        const QJsonObject server = visitor.get(allPlaces[2]).json();
        QCOMPARE(server[u"issuer"].toString(), base);
        QCOMPARE(server[u"code_challenge_methods_supported"].toArray(), QJsonArray{u"S256"_s});

        QVERIFY(visitor.registersAs(u"My Editor"_s));
        const Form request = visitor.request();
        const HttpReply page = visitor.browse(request);
        QVERIFY2(page.status == 200 && page.body.contains("\"refresh\"") && page.body.contains("My Editor"), page.body);
        QVERIFY2(service.isAsked(), service.desk.seen);
        QVERIFY2(service.desk.seen.contains("calls itself \"My Editor\""), service.desk.seen);
        QVERIFY2(service.desk.seen.contains("brings the answer to: " + visitor.redirect), service.desk.seen);
        QVERIFY2(service.desk.seen.contains("process " + QByteArray::number(::getpid())), service.desk.seen);
        static const QRegularExpression mark(u"request ([0-9a-f]{6})"_s);
        const QString shown = mark.match(QString::fromUtf8(page.body)).captured(1);
        QVERIFY(shown.size() == 6 && service.desk.seen.contains("as request " + shown.toUtf8()));
        QCOMPARE(visitor.browse(request).status, 200); // loaded again: no further question
        service.answer("p\r");
        const HttpReply brought = visitor.browseUntilAnswered(request);
        QCOMPARE(brought.status, 302);
        QVERIFY2(brought.field("Location").startsWith(visitor.redirect + "&code="), brought.head);
        QCOMPARE(PairingVisitor::brought(brought, u"state"_s), "s&t=\r\n\"<b>");
        QCOMPARE(PairingVisitor::brought(brought, u"iss"_s), base.toUtf8());
        QCOMPARE(visitor.browse(request).status, 400); // by the browser's way back: asks nobody

        const Form redemption = visitor.redemption(PairingVisitor::brought(brought, u"code"_s));
        const HttpReply answer = visitor.redeem(redemption);
        const QByteArray token = answer.json()[u"access_token"].toString().toUtf8();
        QVERIFY2(answer.status == 200 && token.size() == 43, answer.body);
        QCOMPARE(answer.json()[u"token_type"].toString(), u"Bearer"_s);
        QCOMPARE(answer.json().size(), 2); // no second token that would outlive an end of the pairing
        QVERIFY(answer.field("Cache-Control") == "no-store");
        QCOMPARE(visitor.statusOfCall(token), 200);
        QVERIFY2(service.clients().startsWith("My Editor "), service.clients());

        // Who has the code once more may have read it on its way: nobody keeps what it gave.
        QCOMPARE(visitor.redeem(redemption).json()[u"error"].toString(), u"invalid_grant"_s);
        QCOMPARE(visitor.statusOfCall(token), 401);
        QVERIFY2(service.clients().contains("No client is paired"), service.clients());
    }

    void unpairedItIsAskedAboutAgain()
    {
        AskingService service;
        PairingVisitor visitor(service.port);
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        const QByteArray code = service.code(visitor);
        const QByteArray token = visitor.redeem(visitor.redemption(code)).json()[u"access_token"].toString().toUtf8();
        QCOMPARE(visitor.statusOfCall(token), 200);
        QCOMPARE(service.home.run({u"mcp"_s, u"unpair"_s, u"My Editor"_s}).status, 0);
        QCOMPARE(visitor.statusOfCall(token), 401);
        QVERIFY(!service.code(visitor).isEmpty());
    }

    void whoIsRefusedAsksNoMoreHoweverItRegisters()
    {
        AskingService service;
        PairingVisitor visitor(service.port);
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        const Form request = visitor.request();
        QCOMPARE(visitor.browse(request).status, 200);
        QVERIFY2(service.isAsked(), service.desk.seen);
        service.answer("\r");
        const HttpReply refused = visitor.browseUntilAnswered(request);
        QVERIFY2(refused.status == 302 && refused.field("Location").startsWith(visitor.redirect), refused.head);
        QCOMPARE(PairingVisitor::brought(refused, u"error"_s), "access_denied");
        QVERIFY(!refused.head.contains("code="));
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        QCOMPARE(PairingVisitor::brought(visitor.browse(visitor.request()), u"error"_s), "access_denied");
        QVERIFY(visitor.registersAs(u"Another"_s));
        QCOMPARE(visitor.browse(visitor.request()).status, 200);
        QVERIFY2(service.isAsked() && !service.desk.seen.contains("My Editor"), service.desk.seen);
        QVERIFY(service.clients().contains("No client is paired"));
    }

    void whereNobodyCanBeAskedThereIsNoWayToLogIn_data()
    {
        QTest::addColumn<bool>("hasAsk");
        QTest::newRow("without --ask") << false;
        QTest::newRow("--ask without a terminal") << true;
    }
    void whereNobodyCanBeAskedThereIsNoWayToLogIn()
    {
        QFETCH(bool, hasAsk);
        const Home home;
        QStringList arguments{programFile(), u"mcp"_s, u"--http"_s, u"0"_s};
        auto process = home.program(arguments + (hasAsk ? QStringList{u"--ask"_s} : QStringList()));
        process->setProgram(u"/usr/bin/setsid"_s);
        const HttpService service(std::move(process));
        const PairingVisitor visitor(service.port);
        QVERIFY2(service.port != 0 && !service.said.contains("asked about here"), service.said);
        QCOMPARE(visitor.post("/mcp", "application/json", "{}").field("WWW-Authenticate"), "Bearer realm=\"glovebox\"");
        for (const char *place : allPlaces) {
            QCOMPARE(visitor.get(place).status, 404);
            QCOMPARE(visitor.post(place, "application/json", "{}").status, 404);
        }
    }

    void aCodeIsForItsClientItsAddressAndItsVerifierOnce_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("another verifier") << u"code_verifier"_s << QByteArray(48, 'w');
        QTest::newRow("no verifier") << u"code_verifier"_s << QByteArray();
        QTest::newRow("another port") << u"redirect_uri"_s << QByteArray("http://127.0.0.1:4322/callback?a=b");
        QTest::newRow("no address") << u"redirect_uri"_s << QByteArray();
        QTest::newRow("another client") << u"client_id"_s << QByteArray();
    }
    void aCodeIsForItsClientItsAddressAndItsVerifierOnce()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, value);
        AskingService service;
        PairingVisitor visitor(service.port), other(service.port);
        QVERIFY(visitor.registersAs(u"My Editor"_s) && other.registersAs(u"Other"_s));
        const Form good = visitor.redemption(service.code(visitor));
        // These name no code, or not as it has to be; they cost nothing.
        QCOMPARE(visitor.redeem(with(good, u"code"_s, QByteArray(43, 'A'))).json()[u"error"].toString(),
                 u"invalid_grant"_s);
        QCOMPARE(visitor.redeem(without(good, u"code"_s)).json()[u"error"].toString(), u"invalid_grant"_s);
        QCOMPARE(visitor.redeem(with(good, u"grant_type"_s, "refresh_token")).json()[u"error"].toString(),
                 u"unsupported_grant_type"_s);
        QCOMPARE(visitor.redeem(with(good, u"resource"_s, "http://127.0.0.1:1/mcp")).json()[u"error"].toString(),
                 u"invalid_target"_s);
        QCOMPARE(visitor.redeem(with(good, u"client_id"_s, "nobody")).json()[u"error"].toString(), u"invalid_client"_s);
        QCOMPARE(visitor.redeem(good + good).json()[u"error"].toString(), u"invalid_request"_s);
        const HttpReply wrong = visitor.redeem(with(good, name, name == u"client_id" ? other.id : value));
        QCOMPARE(wrong.status, 400);
        QCOMPARE(wrong.json()[u"error"].toString(), u"invalid_grant"_s);
        QCOMPARE(visitor.redeem(good).json()[u"error"].toString(), u"invalid_grant"_s);
        QVERIFY2(service.clients().contains("No client is paired"), service.clients());
    }

    void aProgramMayListenAtAnotherPortThanItRegistered()
    {
        AskingService service;
        PairingVisitor visitor(service.port);
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        visitor.redirect.replace(":4321", ":54321");
        const QByteArray code = service.code(visitor);
        QVERIFY(!code.isEmpty());
        QCOMPARE(visitor.redeem(visitor.redemption(code)).status, 200);
    }

    // Whatever ends it: nothing is listed that nobody has the token of.
    void aKillBetweenTheAnswerAndTheTokenPairsNobody()
    {
        AskingService service;
        PairingVisitor visitor(service.port);
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        QCOMPARE(service.code(visitor).size(), 43);
        QCOMPARE(::kill(pid_t(service.desk.pid()), SIGKILL), 0);
        QVERIFY2(service.clients().contains("No client is paired"), service.clients());
    }

    // Questions name a paired client by its name alone.
    void aProgramThatClaimsThePairedNameOfAnotherIsNumbered()
    {
        AskingService service;
        QVERIFY(!tokenFor(service.home, u"My Editor"_s).isEmpty());
        for (const char *listed : {"My Editor (2) ", "My Editor (3) "}) {
            PairingVisitor visitor(service.port);
            QVERIFY(visitor.registersAs(u"My Editor"_s));
            QCOMPARE(visitor.redeem(visitor.redemption(service.code(visitor))).status, 200);
            QVERIFY2(service.clients().contains(listed), service.clients());
        }
    }

    void anEndWhileThePersonIsAskedPairsNobody()
    {
        AskingService service;
        PairingVisitor visitor(service.port);
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        QCOMPARE(visitor.browse(visitor.request()).status, 200);
        QVERIFY(service.isAsked());
        QCOMPARE(::kill(pid_t(service.desk.pid()), SIGTERM), 0);
        QCOMPARE(service.desk.status(), 0);
        QVERIFY(service.desk.isAsBefore());
        QVERIFY(service.clients().contains("No client is paired"));
    }
};

QTEST_GUILESS_MAIN(TestHttpPairing)
#include "tst_httppairing.moc"
