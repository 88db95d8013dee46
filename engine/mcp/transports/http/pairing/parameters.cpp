// SPDX-License-Identifier: Apache-2.0
#include "parameters.h"

#include <QList>
#include <QRandomGenerator>

#include <algorithm>
#include <cctype>

namespace glovebox::mcp {

namespace {

constexpr qsizetype redirectMax = 1024; // bytes
constexpr QByteArrayView loopbackHosts[] = {"http://127.0.0.1", "http://[::1]", "http://localhost"};
constexpr QByteArrayView editorAddresses[] = {"cursor://anysphere.cursor-mcp/oauth/callback"};

std::optional<QByteArray> percentDecoded(QByteArrayView text)
{
    QByteArray bytes;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            bytes += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        const QByteArray digits = text.sliced(i + 1, std::min<qsizetype>(2, text.size() - i - 1)).toByteArray();
        if (digits.size() != 2 || !std::ranges::all_of(digits, [](char c) { return std::isxdigit(uchar(c)); }))
            return {};
        bytes += char(digits.toInt(nullptr, 16));
        i += 2;
    }
    return bytes;
}

struct LoopbackAddress
{
    QByteArrayView host, rest; // without the port
};

std::optional<LoopbackAddress> loopbackAddress(QByteArrayView address)
{
    // Characters of an address (RFC 3986), without those that readers of addresses differ about; no fragment (RFC 6749, 3.1.2).
    constexpr QByteArrayView strange = "\"#<>\\^`{|}";
    if (address.size() > redirectMax
        || !std::ranges::all_of(address, [&](char c) { return c > ' ' && c < '\x7f' && !strange.contains(c); }))
        return {};
    const auto *const host = std::ranges::find_if(loopbackHosts, [&](auto known) { return address.startsWith(known); });
    if (host == std::end(loopbackHosts))
        return {};
    QByteArrayView rest = address.sliced(host->size());
    if (rest.startsWith(':')) {
        qsizetype end = 1;
        while (end < rest.size() && std::isdigit(uchar(rest[end])))
            ++end;
        if (end < 2 || end > 6 || rest.sliced(1, end - 1).toInt() < 1 || rest.sliced(1, end - 1).toInt() > 65535)
            return {};
        rest = rest.sliced(end);
    }
    if (!rest.isEmpty() && rest.front() != '/' && rest.front() != '?') // the host goes on, or was a user's name
        return {};
    return LoopbackAddress{*host, rest};
}

} // namespace

std::optional<Parameters> parametersIn(QByteArrayView form)
{
    Parameters parameters, seen;
    for (const QByteArray &pair : form.toByteArray().split('&')) {
        const qsizetype equals = pair.indexOf('=');
        const auto name = percentDecoded(QByteArrayView(pair).first(equals < 0 ? pair.size() : equals));
        const auto value = percentDecoded(QByteArrayView(pair).sliced(equals < 0 ? pair.size() : equals + 1));
        if (!name || !value || (!name->isEmpty() && !seen.emplace(*name, *value).second))
            return {};
        if (!value->isEmpty())
            parameters[*name] = *value;
    }
    return parameters;
}

bool isRedirectAllowed(const QByteArray &address)
{
    return loopbackAddress(address) || std::ranges::find(editorAddresses, address) != std::end(editorAddresses);
}

bool isSameRedirect(const QByteArray &registered, const QByteArray &asked)
{
    const auto known = loopbackAddress(registered), wanted = loopbackAddress(asked);
    if (known && wanted)
        return known->host == wanted->host && known->rest == wanted->rest;
    return registered == asked && isRedirectAllowed(asked);
}

bool isSameSecret(const QByteArray &a, const QByteArray &b)
{
    int difference = a.size() == b.size() && !a.isEmpty() ? 0 : 1;
    for (qsizetype i = 0; i < a.size() && i < b.size(); ++i)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

QByteArray randomSecret()
{
    quint32 words[8];
    QRandomGenerator::system()->fillRange(words);
    return QByteArray(reinterpret_cast<const char *>(words), sizeof words)
        .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
}

} // namespace glovebox::mcp
