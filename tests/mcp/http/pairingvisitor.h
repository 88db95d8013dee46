// SPDX-License-Identifier: Apache-2.0
// A program that wants to be paired by `glovebox mcp --http --ask`, and the browser that brings it the answer; each may say anything.
#pragma once

#include "service.h"
#include "tests/app/cli/terminal/desk.h"

#include <QCryptographicHash>
#include <QUrl>
#include <QUrlQuery>

#include <utility>

namespace glovebox {

using Form = QList<std::pair<QString, QByteArray>>;

inline QByteArray encoded(const Form &form)
{
    QByteArray text;
    for (const auto &[name, value] : form)
        text += (text.isEmpty() ? "" : "&") + name.toUtf8() + '=' + value.toPercentEncoding();
    return text;
}

class PairingVisitor
{
public:
    explicit PairingVisitor(quint16 at, QByteArray named = {})
        : port(at)
        , host(named.isEmpty() ? "127.0.0.1:" + QByteArray::number(at) : std::move(named))
    {
    }

    HttpReply get(const QByteArray &target, const QByteArray &fields = {}) const
    {
        HttpVisitor visitor(port);
        visitor.send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + fields + "\r\n");
        return visitor.receive(30'000);
    }
    HttpReply post(const QByteArray &target, const QByteArray &type, const QByteArray &body,
                   const QByteArray &fields = {}) const
    {
        HttpVisitor visitor(port);
        std::ignore =
            visitor.trySend("POST " + target + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: " + type + "\r\n"
                            + fields + "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body);
        return visitor.receive(30'000);
    }
    HttpReply registers(const QJsonObject &wished) const
    {
        return post("/register", "application/json", QJsonDocument(wished).toJson());
    }
    // Registers, and keeps the id.
    bool registersAs(const QString &name, const QByteArray &address = "http://127.0.0.1:4321/callback?a=b")
    {
        redirect = address;
        id = registers({{QStringLiteral("client_name"), name},
                        {QStringLiteral("redirect_uris"), QJsonArray{QString::fromUtf8(address)}}})
                 .json()[u"client_id"]
                 .toString()
                 .toUtf8();
        return id.size() == 43;
    }
    // As a good client asks; a new verifier each time.
    Form request()
    {
        verifier = QByteArray(40, 'v') + QByteArray::number(++m_requests).rightJustified(8, '0');
        const QByteArray challenge = QCryptographicHash::hash(verifier, QCryptographicHash::Sha256)
                                         .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
        return {{QStringLiteral("response_type"), "code"},
                {QStringLiteral("client_id"), id},
                {QStringLiteral("redirect_uri"), redirect},
                {QStringLiteral("code_challenge"), challenge},
                {QStringLiteral("code_challenge_method"), "S256"},
                {QStringLiteral("state"), "s&t=\r\n\"<b>"},
                {QStringLiteral("resource"), "http://" + host + "/mcp"}};
    }
    HttpReply browse(const Form &form, const QByteArray &fields = {}) const
    {
        return get("/authorize?" + encoded(form), fields);
    }
    // The same page, until it goes on.
    HttpReply browseUntilAnswered(const Form &form) const
    {
        HttpReply reply = browse(form);
        for (int i = 0; i < 100 && reply.status == 200; ++i) {
            QTest::qWait(100);
            reply = browse(form);
        }
        return reply;
    }
    Form redemption(const QByteArray &code) const
    {
        return {{QStringLiteral("grant_type"), "authorization_code"},
                {QStringLiteral("code"), code},
                {QStringLiteral("client_id"), id},
                {QStringLiteral("redirect_uri"), redirect},
                {QStringLiteral("code_verifier"), verifier},
                {QStringLiteral("resource"), "http://" + host + "/mcp"}};
    }
    HttpReply redeem(const Form &form) const
    {
        return post("/token", "application/x-www-form-urlencoded", encoded(form));
    }
    int statusOfCall(const QByteArray &token) const
    {
        const ToolRequest call(token, QStringLiteral("sandbox_info"), {});
        return HttpVisitor(port).exchange(call.body, call.fields, host, 60'000).status;
    }

    static QByteArray brought(const HttpReply &reply, const QString &name)
    {
        const QUrlQuery query(QUrl(QString::fromLatin1(reply.field("Location"))));
        return query.queryItemValue(name, QUrl::FullyDecoded).toUtf8();
    }

    const quint16 port;
    const QByteArray host;
    QByteArray id, redirect, verifier;

private:
    int m_requests = 0;
};

// The service as a person starts it, at whose terminal they answer.
struct AskingService
{
    AskingService()
        : desk(home, {QStringLiteral("mcp"), QStringLiteral("--http"), QStringLiteral("0"), QStringLiteral("--ask")})
    {
        isThere = desk.waitFor("glovebox mcp pair");
        port = HttpService::portIn(desk.seen);
    }
    bool isAsked() { return desk.waitFor("Enter alone refuses: "); }
    void answer(const QByteArray &typed)
    {
        desk.type(typed);
        desk.waitForAny({"glovebox: yes.", "glovebox: refused."});
        desk.seen.clear();
    }
    // A code that the person's yes gave, for this client.
    QByteArray code(PairingVisitor &visitor)
    {
        const Form request = visitor.request();
        if (visitor.browse(request).status != 200 || !isAsked())
            return {};
        answer("p\r");
        return PairingVisitor::brought(visitor.browseUntilAnswered(request), QStringLiteral("code"));
    }
    QByteArray clients() const { return home.run({QStringLiteral("mcp"), QStringLiteral("clients")}).out; }

    Home home;
    Desk desk;
    bool isThere = false;
    quint16 port = 0;
};

inline constexpr const char *allPlaces[] = {"/.well-known/oauth-protected-resource/mcp",
                                            "/.well-known/oauth-protected-resource",
                                            "/.well-known/oauth-authorization-server",
                                            "/register",
                                            "/authorize",
                                            "/token"};

inline Form with(Form form, const QString &name, const QByteArray &value)
{
    for (auto &[known, its] : form) {
        if (known == name)
            its = value;
    }
    return form;
}

inline Form without(Form form, const QString &name)
{
    form.removeIf([&](const auto &each) { return each.first == name; });
    return form;
}

} // namespace glovebox
