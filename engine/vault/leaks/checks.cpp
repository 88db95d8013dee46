// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

#include <QByteArray>

#include <algorithm>
#include <array>

namespace glovebox::leaks {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isBase64(char c)
{
    return isAlphanumeric(c) || c == '+' || c == '/';
}

bool isUrlBase64(char c)
{
    return isAlphanumeric(c) || c == '-' || c == '_';
}

template<typename Is> qsizetype runOf(QByteArrayView bytes, qsizetype from, qsizetype most, Is is)
{
    const qsizetype end = std::min(bytes.size(), from + most);
    qsizetype at = from;
    while (at < end && is(bytes[at]))
        ++at;
    return at - from;
}

// Luhn (ISO/IEC 7812-1).
bool hasCheckDigit(QByteArrayView digits)
{
    int sum = 0;
    for (qsizetype i = 0; i < digits.size(); ++i) {
        const int digit = digits[digits.size() - 1 - i] - '0';
        const int weighted = i % 2 == 1 ? 2 * digit : digit;
        sum += weighted > 9 ? weighted - 9 : weighted;
    }
    return sum % 10 == 0;
}

// Issuers that have numbers of this length.
bool isIssued(QByteArrayView digits)
{
    const int two = (digits[0] - '0') * 10 + digits[1] - '0';
    const int four = two * 100 + (digits[2] - '0') * 10 + digits[3] - '0';
    switch (digits.size()) {
    case 15:
        return two == 34 || two == 37; // American Express
    case 16:
        return digits[0] == '4' || (two >= 51 && two <= 55) || (four >= 2221 && four <= 2720) // Visa, Mastercard
               || four == 6011 || two == 65 || (four >= 6440 && four <= 6499) || (four >= 3528 && four <= 3589);
    default:
        return false;
    }
}

// Numbers that makers of payment services print in their manuals.
bool isFromManual(QByteArrayView digits)
{
    static constexpr std::array<QByteArrayView, 10> known{
        "4242424242424242", "4111111111111111", "4012888888881881", "4000056655665556", "5555555555554444",
        "5105105105105100", "2223003122003222", "6011111111111117", "378282246310005",  "371449635398431"};
    const bool isMonotone = std::ranges::all_of(digits, [&](char c) { return c == digits[0]; });
    return isMonotone || std::ranges::find(known, digits) != known.end();
}

// What stands where a password will be.
bool isPlaceholder(QByteArrayView password)
{
    if (password.startsWith('$') || password.startsWith('{') || password.startsWith('<') || password.startsWith('%')
        || password.startsWith('[') || password.startsWith('*') || password.startsWith('#'))
        return true;
    QByteArray lower = password.toByteArray().toLower();
    lower.replace('-', "").replace('_', "").replace('.', "");
    static constexpr std::array<QByteArrayView, 16> usual{
        "password", "pass", "passwd", "pw",   "pwd",      "secret", "changeme",   "yourpassword",
        "example",  "test", "token",  "user", "postgres", "root",   "mypassword", "guest"};
    const bool isMonotone = std::ranges::all_of(lower, [&](char c) { return c == lower[0]; });
    return isMonotone || std::ranges::find(usual, QByteArrayView(lower)) != usual.end();
}

} // namespace

bool isAlphanumeric(char c)
{
    return isDigit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool isWord(char c)
{
    return isAlphanumeric(c) || c == '_';
}

// RFC 7468, and OpenSSH's own. Also within a string of JSON, where line breaks are escapes.
qsizetype privateKeyAt(QByteArrayView bytes, qsizetype at)
{
    constexpr QByteArrayView begin("-----BEGIN ");
    constexpr qsizetype longestLabel = 40;
    constexpr qsizetype leastKey = 24;
    const QByteArrayView rest = bytes.sliced(at + begin.size());
    const qsizetype label = runOf(rest, 0, longestLabel, [](char c) { return (c >= 'A' && c <= 'Z') || c == ' '; });
    QByteArrayView name = rest.first(label);
    if (name.endsWith(" BLOCK"))
        name.chop(6);
    if (!name.endsWith("PRIVATE KEY") || !rest.sliced(label).startsWith("-----"))
        return 0;
    qsizetype body = label + 5;
    const auto isBreak = [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == '"' || c == '+'; };
    for (int i = 0; i < 8; ++i) { // "\n" of a string is two characters, of which the second is none of the key
        body += runOf(rest, body, 16, isBreak);
        if (rest.sliced(std::min(body, rest.size())).startsWith("\\n")
            || rest.sliced(std::min(body, rest.size())).startsWith("\\r"))
            body += 2;
    }
    if (rest.sliced(std::min(body, rest.size())).startsWith("Proc-Type:")
        || rest.sliced(std::min(body, rest.size())).startsWith("Version:"))
        return begin.size() + label + 5;
    return runOf(rest, body, leastKey, isBase64) == leastKey ? begin.size() + label + 5 : 0;
}

// RFC 7519: three parts, of which the first is a JSON object that names an algorithm.
qsizetype webTokenAt(QByteArrayView bytes, qsizetype at)
{
    constexpr qsizetype longestPart = 8192;
    constexpr qsizetype leastPart = 10;
    if (at > 0 && bytes[at - 1] == '-') // in the middle of something
        return 0;
    qsizetype end = at;
    for (int part = 0; part < 3; ++part) {
        const qsizetype length = runOf(bytes, end, longestPart, isUrlBase64);
        if (length < leastPart)
            return 0;
        if (part == 0
            && !QByteArray::fromBase64(bytes.sliced(end, length).toByteArray(), QByteArray::Base64UrlEncoding)
                    .contains("\"alg\""))
            return 0;
        end += length;
        if (part < 2 && (end >= bytes.size() || bytes[end] != '.'))
            return 0;
        if (part < 2)
            ++end;
    }
    return end - at;
}

qsizetype awsSecretAt(QByteArrayView bytes, qsizetype at)
{
    constexpr qsizetype keyLength = 40;
    const qsizetype name = runOf(bytes, at, 32, isWord);
    const auto isBetween = [](char c) {
        return c == ' ' || c == '=' || c == ':' || c == '"' || c == '\'' || c == '\t' || c == '>';
    };
    const qsizetype between = runOf(bytes, at + name, 8, isBetween);
    const qsizetype key = at + name + between;
    if (between == 0 || runOf(bytes, key, keyLength + 1, isBase64) != keyLength)
        return 0;
    return QByteArrayView(bytes.sliced(key, keyLength)).contains("EXAMPLE") ? 0 : name + between + keyLength;
}

qsizetype slackHookAt(QByteArrayView bytes, qsizetype at)
{
    constexpr QByteArrayView host("hooks.slack.com/services/T");
    if (!bytes.sliced(at).startsWith(host))
        return 0;
    const qsizetype rest = runOf(bytes, at + host.size(), 100, [](char c) { return isAlphanumeric(c) || c == '/'; });
    const QByteArrayView path = bytes.sliced(at + host.size(), rest);
    const qsizetype last = path.lastIndexOf('/');
    return path.count('/') == 2 && path.contains("/B") && path.size() - last > 20 ? host.size() + rest : 0;
}

qsizetype storageKeyAt(QByteArrayView bytes, qsizetype at)
{
    constexpr qsizetype name = 11; // "AccountKey="
    constexpr qsizetype keyLength = 86; // 64 bytes
    const qsizetype length = runOf(bytes, at + name, keyLength + 1, isBase64);
    return length == keyLength && bytes.sliced(at + name + length).startsWith("==") ? name + length + 2 : 0;
}

qsizetype cardNumberAt(QByteArrayView bytes, qsizetype at)
{
    constexpr int longest = 16;
    char digits[longest + 1];
    int count = 0;
    char separator = 0;
    qsizetype end = at;
    // Groups: 4-4-4-4, or 4-6-5 of American Express. All separators are the same one.
    for (qsizetype i = at; i < bytes.size() && i < at + 24; ++i) {
        if (isDigit(bytes[i])) {
            if (count == longest)
                return 0;
            digits[count++] = bytes[i];
            end = i + 1;
            continue;
        }
        const bool isGroup = count == 4 || (count == 8 && digits[0] != '3') || (count == 12 && digits[0] != '3')
                             || (count == 10 && digits[0] == '3')
                             || (digits[0] == '3' && digits[1] == '5' && count % 4 == 0);
        if ((bytes[i] != ' ' && bytes[i] != '-') || !isGroup || end != i || (separator && bytes[i] != separator))
            break;
        separator = bytes[i];
    }
    const QByteArrayView number(digits, count);
    if (end < bytes.size() && (isWord(bytes[end]) || bytes[end] == '.' || bytes[end] == '/' || bytes[end] == '+'))
        return 0;
    if (end + 1 < bytes.size() && bytes[end] == '-' && isWord(bytes[end + 1])) // a part of some other number
        return 0;
    return count >= 15 && isIssued(number) && hasCheckDigit(number) && !isFromManual(number) ? end - at : 0;
}

Stretch passwordAt(QByteArrayView bytes, qsizetype at)
{
    constexpr qsizetype longest = 256;
    const qsizetype begin = at + 3;
    const auto isUserInfo = [](char c) {
        return static_cast<unsigned char>(c) > ' ' && c != '/' && c != '"' && c != '\'' && c != '@' && c != '`'
               && c != '\\' && c != '<' && c != '>' && c != '(' && c != ')';
    };
    const qsizetype length = runOf(bytes, begin, longest, isUserInfo);
    const qsizetype host = begin + length + 1;
    if (at == 0 || !isAlphanumeric(bytes[at - 1]) || host >= bytes.size() || bytes[host - 1] != '@')
        return {};
    if (!isAlphanumeric(bytes[host]) && bytes[host] != '[')
        return {};
    const QByteArrayView info = bytes.sliced(begin, length);
    const qsizetype colon = info.indexOf(':');
    if (colon < 0 || colon + 1 >= info.size() || info.size() - colon - 1 < 3)
        return {};
    const QByteArrayView password = info.sliced(colon + 1);
    // The user's name over again is no secret, and neither is what a template will fill in.
    if (isPlaceholder(password) || password == info.first(colon) || info.contains("${") || info.contains('{'))
        return {};
    return {begin + colon + 1, password.size()};
}

} // namespace glovebox::leaks
