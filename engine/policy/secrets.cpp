// SPDX-License-Identifier: Apache-2.0
// Names of secrets and of what they become in a run, and the limits' JSON.
#include "policy.h"

#include <QJsonArray>
#include <QSet>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

bool isLetter(QChar character)
{
    return (character >= u'a' && character <= u'z') || (character >= u'A' && character <= u'Z') || character == u'_';
}

bool isDigit(QChar character)
{
    return character >= u'0' && character <= u'9';
}

// What a person typed, short enough to be repeated in a sentence.
QString shown(const QString &text)
{
    constexpr qsizetype longest = 60;
    return text.size() <= longest ? text : text.first(longest) + u"…"_s;
}

Status checkGrant(const SecretGrant &grant)
{
    RETURN_IF_ERROR(checkSecretName(grant.name));
    if (grant.asFile) {
        if (grant.variable.isEmpty())
            return {};
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The secret %1 is given as a file, which has no variable."),
                    {grant.name});
    }
    const QString variable = secretVariable(grant);
    if (!isVariableName(variable))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" can't be an environment variable. Name one of letters, "
                                                "digits and \"_\" after the secret: %2=VARIABLE."),
                    {shown(variable), grant.name});
    if (decidesHowProgramsStart(variable))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The environment variable %1 decides how programs start, so it "
                                                "can't be a secret. Name another: %2=VARIABLE."),
                    {variable, grant.name});
    return {};
}

QStringList textsFrom(const QJsonArray &array, bool &sound)
{
    QStringList texts;
    for (const auto value : array) {
        sound = sound && value.isString();
        texts.append(value.toString());
    }
    return texts;
}

} // namespace

Status checkSecretName(const QString &name)
{
    if (name.isEmpty())
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "A secret needs a name, such as API_KEY."));
    if (name.size() > secretNameMax)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "The name \"%1\" is too long for a secret: %2 characters are the most."),
            {shown(name), QString::number(secretNameMax)});
    const bool sound = isLetter(name.front()) && std::ranges::all_of(name, [](QChar c) {
                           return isLetter(c) || isDigit(c) || c == u'-' || c == u'.';
                       });
    if (!sound)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" can't be the name of a secret: it begins with a letter or "
                                                "\"_\", and has letters (a to z), digits, \"_\", \"-\" and \".\"."),
                    {shown(name)});
    return {};
}

Status checkNewSecretName(const QString &name)
{
    RETURN_IF_ERROR(checkSecretName(name));
    if (!decidesHowProgramsStart(name))
        return {};
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "The environment variable %1 decides how programs start, so no secret "
                                            "is called so. Name the secret otherwise, such as API_KEY."),
                {name});
}

Status checkSecretGrants(const std::vector<SecretGrant> &grants)
{
    if (grants.size() > grantedSecretsMax)
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "A run can get at most %1 secrets, not %2."),
                    {QString::number(grantedSecretsMax), QString::number(grants.size())});
    QSet<QString> places;
    for (const SecretGrant &grant : grants) {
        RETURN_IF_ERROR(checkGrant(grant));
        const QString place = secretPlace(grant);
        if (places.contains(place) && grant.asFile)
            return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "--secret-file %1 is given twice."),
                        {grant.name});
        if (places.contains(place))
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "Two secrets can't both be the variable %1. Name another: "
                                                    "%2=VARIABLE."),
                        {place, grant.name});
        places.insert(place);
    }
    return {};
}

QString secretVariable(const SecretGrant &grant)
{
    return grant.variable.isEmpty() ? grant.name : grant.variable;
}

QString secretPlace(const SecretGrant &grant)
{
    return grant.asFile ? u"/run/secrets/"_s + grant.name : secretVariable(grant);
}

QJsonObject toJson(const SecretLimits &limits)
{
    QJsonObject object{
        {u"languages"_s, QJsonArray::fromStringList(limits.languages)},
        {u"hosts"_s, limits.hosts ? QJsonValue(QJsonArray::fromStringList(*limits.hosts)) : QJsonValue::Null},
        {u"callers"_s, QJsonArray::fromStringList(limits.callers)},
        {u"expires_us"_s, orNull(limits.expiryMicroseconds)}};
    if (!limits.tools.isEmpty())
        object[u"tools"_s] = QJsonArray::fromStringList(limits.tools);
    return object;
}

Result<SecretLimits> secretLimitsFromJson(const QJsonObject &object)
{
    const QJsonValue languages = object.value(u"languages"_s), hosts = object.value(u"hosts"_s),
                     callers = object.value(u"callers"_s), expires = object.value(u"expires_us"_s);
    const QJsonValue tools = object.value(u"tools"_s);
    bool sound = object.size() == (tools.isUndefined() ? 4 : 5) && (tools.isArray() || tools.isUndefined())
                 && languages.isArray() && (hosts.isArray() || hosts.isNull()) && callers.isArray()
                 && (expires.isDouble() || expires.isNull());
    SecretLimits limits;
    limits.languages = textsFrom(languages.toArray(), sound);
    limits.callers = textsFrom(callers.toArray(), sound);
    limits.tools = textsFrom(tools.toArray(), sound);
    if (hosts.isArray())
        limits.hosts = textsFrom(hosts.toArray(), sound);
    if (expires.isDouble())
        limits.expiryMicroseconds = expires.toInteger();
    if (!sound)
        return fail(ErrorCode::Damaged, QT_TRANSLATE_NOOP("engine", "The limits of a secret can't be read."));
    return limits;
}

} // namespace glovebox
