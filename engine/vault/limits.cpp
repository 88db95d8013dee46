// SPDX-License-Identifier: Apache-2.0
#include "vault.h"

#include "engine/network/network.h"

#include <QDateTime>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString list(const QStringList &texts)
{
    return texts.join(u", "_s);
}

std::unexpected<Error> denied(const char *sentence, const QStringList &args)
{
    return fail(ErrorCode::PermissionDenied, Text(sentence, args));
}

// The rules of a run that a limit doesn't cover. A rule that can't be read isn't.
Result<QStringList> beyond(const QStringList &limit, const QStringList &allow)
{
    ASSIGN_OR_RETURN(const auto limits, allowlistFromTexts(limit));
    QStringList texts;
    for (const QString &text : allow) {
        const auto rule = ruleFromText(text);
        if (!rule || !network::covers(limits, *rule))
            texts.append(text);
    }
    return texts;
}

// What a tool is given leaves the sandbox, too, and nobody knows where it goes from there.
Status hostsAllow(const SecretInfo &secret, const QStringList &allow, QStringList tools)
{
    if (!secret.limits.hosts)
        return {};
    tools.removeIf([&](const QString &tool) { return secret.limits.tools.contains(tool); });
    if (!tools.isEmpty())
        return denied(QT_TRANSLATE_NOOP("engine", "The secret %1 is limited to hosts, and this run may also call tools "
                                                  "of servers: %2. Run the code without them, or allow these tools for "
                                                  "the secret: glovebox secret edit %1 --tool SERVER.TOOL"),
                      {secret.name, list(tools)});
    const QStringList &hosts = *secret.limits.hosts;
    if (hosts.isEmpty() && !allow.isEmpty())
        return denied(
            QT_TRANSLATE_NOOP("engine", "The secret %1 is for runs without network only, and this one may reach %2."),
            {secret.name, list(allow)});
    ASSIGN_OR_RETURN(const QStringList more, beyond(hosts, allow));
    if (!more.isEmpty())
        return denied(
            QT_TRANSLATE_NOOP(
                "engine", "The secret %1 is only for runs that reach nothing but %2, and this one may also reach %3."),
            {secret.name, list(hosts), list(more)});
    return {};
}

Status checkKnown(const QStringList &asked, const QStringList &known, const char *sentence)
{
    for (const QString &each : asked) {
        if (!known.contains(each))
            return fail(ErrorCode::InvalidInput, sentence, {each.left(60), list(known)});
    }
    return {};
}

} // namespace

Status mayLend(const SecretInfo &secret, const SecretBorrower &borrower, qint64 nowMicroseconds)
{
    const SecretLimits &limits = secret.limits;
    if (limits.expiryMicroseconds && nowMicroseconds >= *limits.expiryMicroseconds)
        return denied(QT_TRANSLATE_NOOP("engine", "The secret %1 expired on %2. To set another day: glovebox secret "
                                                  "edit %1 --expires DATE"),
                      {secret.name, QDateTime::fromMSecsSinceEpoch(*limits.expiryMicroseconds / 1000)
                                        .toUTC()
                                        .toString(u"yyyy-MM-dd HH:mm 'UTC'"_s)});
    if (const QString caller = toString(borrower.caller); !limits.callers.isEmpty() && !limits.callers.contains(caller))
        return denied(QT_TRANSLATE_NOOP("engine", "The secret %1 is for runs of %2 only, and this one is of %3."),
                      {secret.name, list(limits.callers), caller});
    if (!limits.languages.isEmpty() && !limits.languages.contains(borrower.language))
        return denied(QT_TRANSLATE_NOOP("engine", "The secret %1 is for runs in %2 only, and this one is in %3."),
                      {secret.name, list(limits.languages), borrower.language});
    return hostsAllow(secret, borrower.allow, borrower.tools);
}

Status checkSecretValue(QByteArrayView value)
{
    if (value.isEmpty())
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "The value is empty. Nothing was stored."));
    if (value.size() < secretBytesMin)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "A secret has at least %1 bytes. Redaction of a shorter value "
                                                "would hit ordinary output."),
                    {QString::number(secretBytesMin)});
    if (value.size() > secretBytesMax)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "A secret has at most %1 bytes, and this value has %2."),
                    {QString::number(secretBytesMax), QString::number(value.size())});
    return {};
}

Status checkSecretLimits(const SecretLimits &limits, const QStringList &languages)
{
    if (!languages.isEmpty())
        RETURN_IF_ERROR(checkKnown(limits.languages, languages,
                                   QT_TRANSLATE_NOOP("engine", "Unknown language \"%1\". Name one of these: %2.")));
    static const QStringList callers{toString(Caller::Kind::Cli), toString(Caller::Kind::Workbench),
                                     toString(Caller::Kind::Mcp)};
    RETURN_IF_ERROR(checkKnown(limits.callers, callers,
                               QT_TRANSLATE_NOOP("engine", "Unknown caller \"%1\". Name one of these: %2.")));
    if (limits.hosts)
        RETURN_IF_ERROR(allowlistFromTexts(*limits.hosts));
    RETURN_IF_ERROR(checkToolNames(limits.tools));
    return {};
}

} // namespace glovebox
