// SPDX-License-Identifier: Apache-2.0
#include "stateseal.h"

#include <QCryptographicHash>
#include <QJsonDocument>
#include <QMessageAuthenticationCode>
#include <QRandomGenerator>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr auto lifetime = std::chrono::minutes(10);
constexpr auto encoding =
    QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals | QByteArray::AbortOnBase64DecodingErrors;

qint64 secondsOf(std::chrono::system_clock::time_point time)
{
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

// Takes the same time wherever they differ.
bool areSame(const QByteArray &a, const QByteArray &b)
{
    int difference = a.size() == b.size() ? 0 : 1;
    for (qsizetype i = 0; i < a.size() && i < b.size(); ++i)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

} // namespace

StateSeal::StateSeal()
{
    quint32 words[8];
    QRandomGenerator::system()->fillRange(words);
    m_key = QByteArray(reinterpret_cast<const char *>(words), sizeof words);
}

QByteArray StateSeal::codeOf(const QByteArray &payload, QByteArrayView call) const
{
    QMessageAuthenticationCode code(QCryptographicHash::Sha256, m_key);
    code.addData(payload);
    code.addData("\0", 1); // not in payload, which is JSON
    code.addData(call.data(), call.size());
    return code.result();
}

QString StateSeal::seal(const QJsonObject &state, QByteArrayView call, std::chrono::system_clock::time_point now) const
{
    const QByteArray payload = QJsonDocument(QJsonObject{{u"state"_s, state}, {u"until"_s, secondsOf(now + lifetime)}})
                                   .toJson(QJsonDocument::Compact);
    return QString::fromLatin1(payload.toBase64(encoding) + '.' + codeOf(payload, call).toBase64(encoding));
}

std::optional<QJsonObject> StateSeal::open(const QString &sealed, QByteArrayView call,
                                           std::chrono::system_clock::time_point now) const
{
    const QByteArrayList parts = sealed.toLatin1().split('.');
    if (parts.size() != 2)
        return {};
    const auto payload = QByteArray::fromBase64Encoding(parts[0], encoding);
    const auto code = QByteArray::fromBase64Encoding(parts[1], encoding);
    if (!payload || !code || !areSame(*code, codeOf(*payload, call)))
        return {};
    const QJsonObject object = QJsonDocument::fromJson(*payload).object();
    if (object.value(u"until"_s).toInteger() < secondsOf(now))
        return {};
    return object.value(u"state"_s).toObject();
}

} // namespace glovebox::mcp
