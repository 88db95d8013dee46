// SPDX-License-Identifier: Apache-2.0
#include "answers.h"

#include "engine/base/base.h"
#include "engine/mcp/transports/http/httpanswer.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr auto pageStyle =
    ":root{color-scheme:light dark}body{font:1.1em/1.5 sans-serif;max-width:36em;margin:4em auto;padding:0 1em}";

// Nothing is loaded, run, framed or sent on from here; the one style is named by its digest (CSP 3).
QByteArray guardFields()
{
    static const QByteArray fields =
        "Content-Security-Policy: default-src 'none'; style-src 'sha256-" + sha256({pageStyle}).toBase64()
        + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\nX-Frame-Options: DENY\r\n"
          "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n";
    return fields;
}

} // namespace

QByteArray pageAnswer(int status, const QString &title, const QStringList &paragraphs, bool isAsking)
{
    QString page = u"<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"_s;
    if (isAsking)
        page += u"<meta http-equiv=\"refresh\" content=\"2\">"_s;
    page += u"<title>Glovebox: %1</title><style>%2</style></head><body><main><h1>%1</h1>"_s.arg(
        title.toHtmlEscaped(), QLatin1StringView(pageStyle));
    for (const QString &paragraph : paragraphs)
        page += u"<p>%1</p>"_s.arg(paragraph.toHtmlEscaped());
    return httpResponse(status, page.toUtf8() + "</main></body></html>\n", guardFields(), "text/html; charset=utf-8");
}

QByteArray redirectAnswer(const QByteArray &address, const QList<std::pair<QByteArray, QByteArray>> &parameters)
{
    QByteArray whole = address;
    for (const auto &[name, value] : parameters) {
        if (!value.isEmpty())
            whole += (whole.contains('?') ? '&' : '?') + name + '=' + value.toPercentEncoding();
    }
    return httpResponse(302, {}, "Location: " + whole + "\r\n" + guardFields());
}

QJsonObject resourceMetadata(const QString &base)
{
    return {{u"resource"_s, base + u"/mcp"_s},
            {u"resource_name"_s, u"Glovebox"_s},
            {u"authorization_servers"_s, QJsonArray{base}},
            {u"bearer_methods_supported"_s, QJsonArray{u"header"_s}}};
}

QJsonObject serverMetadata(const QString &base)
{
    return {{u"issuer"_s, base},
            {u"authorization_endpoint"_s, base + u"/authorize"_s},
            {u"token_endpoint"_s, base + u"/token"_s},
            {u"registration_endpoint"_s, base + u"/register"_s},
            {u"response_types_supported"_s, QJsonArray{u"code"_s}},
            {u"grant_types_supported"_s, QJsonArray{u"authorization_code"_s}},
            {u"code_challenge_methods_supported"_s, QJsonArray{u"S256"_s}},
            {u"token_endpoint_auth_methods_supported"_s, QJsonArray{u"none"_s}},
            {u"authorization_response_iss_parameter_supported"_s, true}};
}

QByteArray jsonAnswer(int status, const QJsonObject &object, const QByteArray &moreFields)
{
    return httpResponse(status, QJsonDocument(object).toJson(QJsonDocument::Compact), guardFields() + moreFields);
}

QByteArray errorAnswer(const QString &error, const QString &sentence, int status)
{
    return jsonAnswer(status, {{u"error"_s, error}, {u"error_description"_s, sentence}});
}

} // namespace glovebox::mcp
