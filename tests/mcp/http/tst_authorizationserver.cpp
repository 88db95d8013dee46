// SPDX-License-Identifier: Apache-2.0
// Pairings that are answered and not fetched: nobody keeps one that nobody has the token of.
#include "engine/mcp/mcp.h"

#include <QCryptographicHash>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto shortPatience = 600ms;
const QByteArray oneVerifier(43, 'v');

// The program and its browser, whose requests come by no network.
struct AskingProgram
{
    QByteArray ask(AuthorizationServer &server, const QByteArray &target, const QByteArray &body = {}) const
    {
        const QByteArray head = (body.isEmpty() ? "GET " : "POST ") + target
                                + " HTTP/1.1\r\nHost: 127.0.0.1:8737\r\nContent-Type: application/json\r\n"
                                  "Content-Length: "
                                + QByteArray::number(body.size()) + "\r\n\r\n";
        const auto parsed =
            network::parseHttpRequest({head.constData(), size_t(head.size())}, network::HttpListener::Transparent);
        return server.answer(parsed.value, body, peer);
    }
    bool registers(AuthorizationServer &server)
    {
        const QByteArray told = ask(server, "/register", "{\"redirect_uris\":[\"http://127.0.0.1/\"]}");
        id = QJsonDocument::fromJson(told.mid(told.indexOf("\r\n\r\n") + 4)).object()[u"client_id"].toString().toUtf8();
        return !id.isEmpty();
    }
    QByteArray browse(AuthorizationServer &server) const
    {
        const QByteArray challenge = QCryptographicHash::hash(oneVerifier, QCryptographicHash::Sha256)
                                         .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
        return ask(server,
                   "/authorize?response_type=code&code_challenge_method=S256&redirect_uri=http://127.0.0.1/&client_id="
                       + id + "&code_challenge=" + challenge);
    }
    QByteArray redeem(AuthorizationServer &server, const QByteArray &code) const
    {
        return ask(server, "/token",
                   "grant_type=authorization_code&redirect_uri=http://127.0.0.1/&client_id=" + id
                       + "&code_verifier=" + oneVerifier + "&code=" + code);
    }
    static QByteArray codeIn(const QByteArray &answer)
    {
        const qsizetype at = answer.indexOf("?code=");
        return at < 0 ? QByteArray() : answer.mid(at + 6, 43);
    }

    std::optional<LoopbackPeer> peer = LoopbackPeer{::geteuid(), "1"};
    QByteArray id;
};

} // namespace

class TestAuthorizationServer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { open(std::make_shared<Inbox>()); }
    void cleanup() { m_server.reset(); }

    void aCodeIsOfUseForItsTimeOnly()
    {
        AuthorizationServer pairing(*m_server, 8737, shortPatience);
        AskingProgram program;
        QVERIFY(program.registers(pairing));
        QVERIFY(program.browse(pairing).startsWith("HTTP/1.1 200"));
        answer(true);
        const QByteArray code = AskingProgram::codeIn(program.browse(pairing));
        QCOMPARE(code.size(), 43);
        QTest::qWait(int(shortPatience.count()) + 100);
        QVERIFY(program.redeem(pairing, code).contains("invalid_grant"));
        QCOMPARE(paired(), 0);
    }

    void aTokenThatWasFetchedStays()
    {
        AuthorizationServer pairing(*m_server, 8737, shortPatience);
        AskingProgram program;
        QVERIFY(program.registers(pairing));
        program.browse(pairing);
        answer(true);
        QVERIFY(program.redeem(pairing, AskingProgram::codeIn(program.browse(pairing))).contains("access_token"));
        QTest::qWait(int(shortPatience.count()) + 100);
        pairing.settle();
        QCOMPARE(paired(), 1);
    }

    void anAnswerThatNoBrowserFetchesPairsNobody()
    {
        AuthorizationServer pairing(*m_server, 8737, shortPatience);
        AskingProgram program;
        QVERIFY(program.registers(pairing));
        program.browse(pairing);
        answer(true);
        pairing.settle(); // from now on it waits for the browser
        QTest::qWait(int(shortPatience.count()) + 100);
        QVERIFY(program.browse(pairing).startsWith("HTTP/1.1 200")); // the person is asked anew
        QCOMPARE(m_inbox->contents().pairings.size(), 1);
        QCOMPARE(paired(), 0);
    }

    void anEndLeavesNothingThatNobodyHas()
    {
        {
            AuthorizationServer pairing(*m_server, 8737, shortPatience);
            AskingProgram program;
            QVERIFY(program.registers(pairing));
            program.browse(pairing);
            answer(true);
            QVERIFY(!AskingProgram::codeIn(program.browse(pairing)).isEmpty());
            AskingProgram other;
            QVERIFY(other.registers(pairing));
            other.browse(pairing);
            QCOMPARE(m_inbox->contents().pairings.size(), 1);
        }
        QCOMPARE(paired(), 0);
        QCOMPARE(m_inbox->contents().pairings.size(), 0);
    }

    void anAnswerAtOnceIsTold()
    {
        open(std::make_shared<DenyingApprover>());
        AuthorizationServer pairing(*m_server, 8737, shortPatience);
        AskingProgram program;
        QVERIFY(program.registers(pairing));
        const QByteArray told = program.browse(pairing);
        QVERIFY2(told.startsWith("HTTP/1.1 302") && told.contains("error=access_denied"), told);
    }

    void whoIsntKnownIsRefused()
    {
        AuthorizationServer pairing(*m_server, 8737, shortPatience);
        AskingProgram program;
        QVERIFY(program.registers(pairing));
        for (const std::optional<LoopbackPeer> &peer :
             {std::optional<LoopbackPeer>(), std::optional(LoopbackPeer{::geteuid() + 1, "1"})}) {
            program.peer = peer;
            QVERIFY(program.browse(pairing).startsWith("HTTP/1.1 403"));
        }
        QCOMPARE(m_inbox->contents().pairings.size(), 0);
    }

private:
    void open(const std::shared_ptr<Approver> &approver)
    {
        m_server.reset();
        m_home = std::make_unique<QTemporaryDir>();
        m_inbox = std::dynamic_pointer_cast<Inbox>(approver);
        m_server = std::make_unique<Server>(Catalogue{}, [this, approver] {
            EngineConfig config;
            const QString home = m_home->path();
            config.paths = {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, QStringLiteral(GLOVEBOX_LIBEXEC)};
            config.approver = approver;
            config.settings = Settings::load(config.paths.settingsFile(), {}).value();
            return Engine::open(std::move(config));
        });
        QVERIFY(m_server->engine());
    }
    void answer(bool isPaired)
    {
        const auto waiting = m_inbox->contents().pairings;
        QCOMPARE(waiting.size(), 1);
        QVERIFY(m_inbox->answerPairing(waiting.first().request.id, isPaired));
        QCOMPARE(paired(), 0); // a program is paired when it fetches its token
    }
    qsizetype paired() const { return (*m_server->engine())->approvals().clients().value().size(); }

    std::unique_ptr<QTemporaryDir> m_home;
    std::shared_ptr<Inbox> m_inbox;
    std::unique_ptr<Server> m_server;
};

QTEST_GUILESS_MAIN(TestAuthorizationServer)
#include "tst_authorizationserver.moc"
