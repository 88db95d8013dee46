// SPDX-License-Identifier: Apache-2.0
// The table of shapes. Sources: the services' own pages on the formats of their tokens, and GitHub's list for secret scanning.
#include "leaks.h"

#include "checks.h"

#include <QByteArrayMatcher>

#include <algorithm>
#include <bitset>
#include <functional>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace leaks;

namespace {

enum class Of { Alphanumeric, Upper, Hex, UrlBase64, AlphanumericDash, Word };

// What begins with a prefix and goes on with so many characters.
struct Token
{
    const char *kind;
    const char *prefix;
    Of characters;
    qsizetype least;
    qsizetype most; // behind which none of these characters follows
    Leak::Severity severity = Leak::Severity::Certain;
};

constexpr Token tokens[] = {
    {"aws-key-id", "AKIA", Of::Upper, 16, 16},
    {"aws-key-id", "ASIA", Of::Upper, 16, 16},
    {"github-token", "ghp_", Of::Alphanumeric, 36, 251},
    {"github-token", "gho_", Of::Alphanumeric, 36, 251},
    {"github-token", "ghu_", Of::Alphanumeric, 36, 251},
    {"github-token", "ghs_", Of::Alphanumeric, 36, 251},
    {"github-token", "ghr_", Of::Alphanumeric, 36, 251},
    {"github-token", "github_pat_", Of::Word, 82, 82},
    {"gitlab-token", "glpat-", Of::UrlBase64, 20, 300},
    {"gitlab-token", "gldt-", Of::UrlBase64, 20, 300},
    {"gitlab-token", "glrt-", Of::UrlBase64, 20, 300},
    {"gitlab-token", "glptt-", Of::UrlBase64, 40, 300},
    {"slack-token", "xoxb-", Of::AlphanumericDash, 20, 250},
    {"slack-token", "xoxp-", Of::AlphanumericDash, 20, 250},
    {"slack-token", "xoxa-", Of::AlphanumericDash, 20, 250},
    {"slack-token", "xoxr-", Of::AlphanumericDash, 20, 250},
    {"slack-token", "xoxs-", Of::AlphanumericDash, 20, 250},
    {"slack-token", "xapp-", Of::AlphanumericDash, 20, 250},
    {"stripe-key", "sk_live_", Of::Alphanumeric, 16, 250},
    {"stripe-key", "rk_live_", Of::Alphanumeric, 16, 250},
    {"stripe-key", "sk_test_", Of::Alphanumeric, 24, 250, Leak::Severity::Likely},
    {"google-key", "AIza", Of::UrlBase64, 35, 35},
    {"google-key", "GOCSPX-", Of::UrlBase64, 28, 28},
    {"google-key", "ya29.", Of::UrlBase64, 40, 2048},
    {"npm-token", "npm_", Of::Alphanumeric, 36, 36},
    {"pypi-token", "pypi-AgE", Of::UrlBase64, 50, 1000},
    {"openai-key", "sk-proj-", Of::UrlBase64, 40, 300},
    {"anthropic-key", "sk-ant-", Of::UrlBase64, 40, 300},
    {"huggingface-token", "hf_", Of::Alphanumeric, 34, 34},
    {"sendgrid-key", "SG.", Of::UrlBase64, 22, 22},
    {"digitalocean-token", "dop_v1_", Of::Hex, 64, 64},
    {"shopify-token", "shpat_", Of::Hex, 32, 32},
    {"telegram-token", ":AA", Of::UrlBase64, 33, 33, Leak::Severity::Likely},
};

bool isOf(Of set, char c)
{
    switch (set) {
    case Of::Alphanumeric:
        return isAlphanumeric(c);
    case Of::Upper:
        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    case Of::Hex:
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    case Of::UrlBase64:
        return isAlphanumeric(c) || c == '-' || c == '_';
    case Of::AlphanumericDash:
        return isAlphanumeric(c) || c == '-';
    case Of::Word:
        return isWord(c);
    }
    return false;
}

// Examples in manuals repeat a few characters ("xxxx"), spell words, or say what they are.
bool isRandom(QByteArrayView text)
{
    std::bitset<256> seen;
    bool hasDigit = false;
    for (const char c : text) {
        seen.set(static_cast<unsigned char>(c));
        hasDigit = hasDigit || (c >= '0' && c <= '9');
    }
    return hasDigit && seen.count() >= std::min<std::size_t>(8, std::size_t(text.size()) / 2)
           && text.indexOf("EXAMPLE") < 0 && text.indexOf("example") < 0;
}

qsizetype tokenAt(const Token &token, QByteArrayView bytes, qsizetype at)
{
    const auto prefix = qsizetype(std::char_traits<char>::length(token.prefix));
    const qsizetype begin = at + prefix;
    qsizetype end = begin;
    while (end < bytes.size() && end - begin <= token.most && isOf(token.characters, bytes[end]))
        ++end;
    if (end - begin < token.least || end - begin > token.most || !isRandom(bytes.sliced(begin, end - begin)))
        return 0;
    if (end < bytes.size() && isWord(bytes[end])) // goes on in characters that it doesn't have
        return 0;
    if (token.prefix[0] == 'S' && token.prefix[1] == 'G') { // two parts
        qsizetype second = end + 1;
        while (second < bytes.size() && second - end <= 44 && isOf(Of::UrlBase64, bytes[second]))
            ++second;
        return end < bytes.size() && bytes[end] == '.' && second - end - 1 == 43 ? second - at : 0;
    }
    return end - at;
}

class Search
{
public:
    Search(QByteArrayView bytes, const QStringList &ignored)
        : m_bytes(bytes)
        , m_ignored(ignored)
    {
    }

    QList<Leak> all();

private:
    static constexpr qsizetype most = 1000;

    bool isWanted(const QString &kind) const { return !m_ignored.contains(kind); }
    // Each place where the mark is, not in the middle of a word.
    template<typename Check> void each(const char *mark, bool atWord, Check check)
    {
        const QByteArrayMatcher matcher(mark);
        for (qsizetype at = matcher.indexIn(m_bytes); at >= 0 && m_leaks.size() < 4 * most;
             at = matcher.indexIn(m_bytes, at + 1)) {
            if (!atWord || at == 0 || !isWord(m_bytes[at - 1]))
                check(at);
        }
    }
    void add(const QString &kind, qsizetype at, qsizetype length, Leak::Severity severity)
    {
        if (length > 0)
            m_leaks.append({kind, at, length, severity});
    }
    void addCards();

    QByteArrayView m_bytes;
    const QStringList &m_ignored;
    QList<Leak> m_leaks;
};

void Search::addCards()
{
    const auto isPart = [](char c) { return isWord(c) || c == '.' || c == '/' || c == '+' || c == '='; };
    for (qsizetype at = 0; at < m_bytes.size() && m_leaks.size() < 4 * most; ++at) {
        const char c = m_bytes[at];
        if (c < '2' || c > '6')
            continue;
        if (at > 0 && (isPart(m_bytes[at - 1]) || (m_bytes[at - 1] == '-' && at > 1 && isWord(m_bytes[at - 2]))))
            continue;
        if (at > 1 && m_bytes[at - 1] == ' ' && m_bytes[at - 2] >= '0' && m_bytes[at - 2] <= '9') // a column of numbers
            continue;
        add(u"card-number"_s, at, cardNumberAt(m_bytes, at), Leak::Severity::Likely);
    }
}

QList<Leak> Search::all()
{
    using Severity = Leak::Severity;
    for (const Token &token : tokens) {
        const QString kind = QString::fromLatin1(token.kind);
        const bool atWord = token.prefix[0] != ':';
        if (isWanted(kind))
            each(token.prefix, atWord,
                 [&](qsizetype at) { add(kind, at, tokenAt(token, m_bytes, at), token.severity); });
    }
    const struct
    {
        const char *kind;
        const char *mark;
        qsizetype (*check)(QByteArrayView, qsizetype);
    } checks[] = {
        {"private-key", "-----BEGIN ", privateKeyAt},
        {"web-token", "eyJ", webTokenAt},
        {"aws-secret-key", "aws_secret_access_key", awsSecretAt},
        {"aws-secret-key", "AWS_SECRET_ACCESS_KEY", awsSecretAt},
        {"aws-secret-key", "SecretAccessKey", awsSecretAt},
        {"aws-secret-key", "secretAccessKey", awsSecretAt},
        {"slack-token", "hooks.slack.com/", slackHookAt},
        {"azure-key", "AccountKey=", storageKeyAt},
    };
    for (const auto &[name, mark, check] : checks) {
        const QString kind = QString::fromLatin1(name);
        if (isWanted(kind))
            each(mark, true,
                 [&, measured = check](qsizetype at) { add(kind, at, measured(m_bytes, at), Severity::Certain); });
    }
    if (isWanted(u"connection-password"_s))
        each("://", false, [&](qsizetype at) {
            const Stretch password = passwordAt(m_bytes, at);
            add(u"connection-password"_s, password.begin, password.length, Severity::Likely);
        });
    if (isWanted(u"card-number"_s))
        addCards();

    std::ranges::sort(m_leaks, {}, [](const Leak &leak) { return std::pair(leak.offset, -leak.length); });
    QList<Leak> apart;
    for (const Leak &leak : std::as_const(m_leaks)) {
        if (apart.size() < most && (apart.isEmpty() || leak.offset >= apart.last().offset + apart.last().length))
            apart.append(leak);
    }
    return apart;
}

} // namespace

const QList<LeakKind> &leakKinds()
{
    static const QList<LeakKind> kinds{
        {u"private-key"_s, Text(QT_TRANSLATE_NOOP("engine", "private key"))},
        {u"aws-key-id"_s, Text(QT_TRANSLATE_NOOP("engine", "AWS access key"))},
        {u"aws-secret-key"_s, Text(QT_TRANSLATE_NOOP("engine", "AWS secret key"))},
        {u"github-token"_s, Text(QT_TRANSLATE_NOOP("engine", "GitHub token"))},
        {u"gitlab-token"_s, Text(QT_TRANSLATE_NOOP("engine", "GitLab token"))},
        {u"slack-token"_s, Text(QT_TRANSLATE_NOOP("engine", "Slack token"))},
        {u"stripe-key"_s, Text(QT_TRANSLATE_NOOP("engine", "Stripe key"))},
        {u"google-key"_s, Text(QT_TRANSLATE_NOOP("engine", "Google key"))},
        {u"npm-token"_s, Text(QT_TRANSLATE_NOOP("engine", "npm token"))},
        {u"pypi-token"_s, Text(QT_TRANSLATE_NOOP("engine", "PyPI token"))},
        {u"openai-key"_s, Text(QT_TRANSLATE_NOOP("engine", "OpenAI key"))},
        {u"anthropic-key"_s, Text(QT_TRANSLATE_NOOP("engine", "Anthropic key"))},
        {u"huggingface-token"_s, Text(QT_TRANSLATE_NOOP("engine", "Hugging Face token"))},
        {u"sendgrid-key"_s, Text(QT_TRANSLATE_NOOP("engine", "SendGrid key"))},
        {u"digitalocean-token"_s, Text(QT_TRANSLATE_NOOP("engine", "DigitalOcean token"))},
        {u"shopify-token"_s, Text(QT_TRANSLATE_NOOP("engine", "Shopify token"))},
        {u"telegram-token"_s, Text(QT_TRANSLATE_NOOP("engine", "Telegram token"))},
        {u"azure-key"_s, Text(QT_TRANSLATE_NOOP("engine", "Azure storage key"))},
        {u"web-token"_s, Text(QT_TRANSLATE_NOOP("engine", "JSON web token"))},
        {u"connection-password"_s, Text(QT_TRANSLATE_NOOP("engine", "password in an address"))},
        {u"card-number"_s, Text(QT_TRANSLATE_NOOP("engine", "card number"))},
    };
    return kinds;
}

Text leakName(const QString &id)
{
    const auto kind = std::ranges::find(leakKinds(), id, &LeakKind::id);
    return kind == leakKinds().end() ? Text("%1", {id}) : kind->name;
}

QList<Leak> findLeaks(QByteArrayView bytes, const QStringList &ignored)
{
    return Search(bytes, ignored).all();
}

} // namespace glovebox
