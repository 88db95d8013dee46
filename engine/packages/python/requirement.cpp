// SPDX-License-Identifier: Apache-2.0
// Reads names of packages strictly: whatever pip would take for an address, a path or an option is refused here.
#include "wheels.h"

#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestRequirement = 500;

std::unexpected<Error> noRequirement(const QString &text, const Text &why)
{
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine",
                                  "\"%1\" is not a package of an index: %2 Write a name with versions, such as "
                                  "pandas>=2."),
                {recordable(text.left(100)), why.english()});
}

QString withoutSpaceAroundSigns(const QString &text)
{
    static const QRegularExpression signs(u"\\s*(===|==|~=|!=|<=|>=|<|>|,|\\[|\\])\\s*"_s);
    static const QRegularExpression semicolon(u"\\s+;\\s*"_s);
    const qsizetype marker = text.indexOf(u';');
    QString before = marker < 0 ? text : text.first(marker);
    before.replace(signs, u"\\1"_s);
    return marker < 0 ? before : before.trimmed() + u"; "_s + text.sliced(marker + 1).simplified();
}

} // namespace

Result<Requirement> pythonRequirement(const QString &text)
{
    const QString word = withoutSpaceAroundSigns(text.trimmed());
    if (word.isEmpty())
        return noRequirement(text, Text(QT_TRANSLATE_NOOP("engine", "its name is empty.")));
    if (word.startsWith(u'-'))
        return noRequirement(text, Text(QT_TRANSLATE_NOOP("engine", "an option of pip isn't passed on.")));
    if (word.contains(u'@') || word.contains(u"://"_s))
        return noRequirement(text, Text(QT_TRANSLATE_NOOP("engine", "packages aren't installed from an address.")));
    if (word.contains(u'/') || word.contains(u'\\') || word.startsWith(u'.'))
        return noRequirement(text, Text(QT_TRANSLATE_NOOP("engine", "packages aren't installed from a file.")));
    // The grammar of the specification, with the characters of a marker in place of its grammar, which pip checks.
    static const QRegularExpression form(
        uR"(^(?<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[A-Za-z0-9._,-]*\])?)"
        uR"((?:(?:===|==|~=|!=|<=|>=|<|>)[A-Za-z0-9.*+!_-]+(?:,(?:===|==|~=|!=|<=|>=|<|>)[A-Za-z0-9.*+!_-]+)*)?)"
        uR"((?:; [A-Za-z0-9_ .,<>=!~'"()+*]+)?$)"_s);
    const auto match = form.match(word);
    if (word.size() > longestRequirement || !match.hasMatch())
        return noRequirement(text, Text(QT_TRANSLATE_NOOP("engine", "it can't be read.")));
    return Requirement{normalizedPackageName(match.captured(u"name"_s)), word};
}

QStringList pythonWords(const QString &text)
{
    static const QRegularExpression space(u"\\s+"_s);
    return text.contains(u';') // white space is part of a marker
               ? text.split(u'\n', Qt::SkipEmptyParts)
               : withoutSpaceAroundSigns(text).split(space, Qt::SkipEmptyParts);
}

} // namespace glovebox
