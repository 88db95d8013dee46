// SPDX-License-Identifier: Apache-2.0
#include "variables.h"

#include <QSet>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestVariable = 128; // characters

bool startsVariable(QChar character)
{
    return (character >= u'a' && character <= u'z') || (character >= u'A' && character <= u'Z') || character == u'_';
}

Status checkVariable(const Variable &variable)
{
    const QString name = variable.name.left(60);
    if (!isVariableName(variable.name))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" can't be an environment variable. Name one of letters, digits "
                                                "and \"_\"."),
                    {name});
    if (decidesHowProgramsStart(variable.name))
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "The environment variable %1 decides how programs start. Name another."),
            {name});
    if (variable.value.contains('\0'))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The value of %1 has a zero byte, which no program can be given."),
                    {name});
    if (variable.value.size() > variableBytesMax)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "The value of %1 is longer than %2 bytes. Give it on standard input instead."),
            {name, QString::number(variableBytesMax)});
    return {};
}

} // namespace

bool isVariableName(const QString &name)
{
    return !name.isEmpty() && name.size() <= longestVariable && startsVariable(name.front())
           && std::ranges::all_of(name, [](QChar c) { return startsVariable(c) || (c >= u'0' && c <= u'9'); });
}

bool decidesHowProgramsStart(const QString &variable)
{
    static const QSet<QString> obeyed{u"PATH"_s,       u"HOME"_s,         u"IFS"_s,          u"ENV"_s,
                                      u"BASH_ENV"_s,   u"SHELLOPTS"_s,    u"NODE_OPTIONS"_s, u"PYTHONPATH"_s,
                                      u"PYTHONHOME"_s, u"PYTHONSTARTUP"_s};
    return variable.startsWith(u"LD_"_s) || obeyed.contains(variable);
}

Status checkVariables(const std::vector<Variable> &variables, const std::vector<SecretGrant> &secrets)
{
    if (variables.size() > variablesMax)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "A run can be given at most %1 environment variables, not %2."),
                    {QString::number(variablesMax), QString::number(variables.size())});
    QSet<QString> taken;
    for (const SecretGrant &secret : secrets) {
        if (!secret.asFile)
            taken.insert(secretVariable(secret));
    }
    for (const Variable &variable : variables) {
        RETURN_IF_ERROR(checkVariable(variable));
        if (taken.contains(variable.name))
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "The environment variable %1 would be set twice. Rename one of "
                                                    "both."),
                        {variable.name});
        taken.insert(variable.name);
    }
    return {};
}

} // namespace glovebox
