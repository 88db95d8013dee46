// SPDX-License-Identifier: Apache-2.0
// Typing errors are what hostile packages wait for: one letter too many, too few, changed or swapped, or another separator; and names
// that say once more which language they are for, as crossenv.js, nodemailer-js and mysqljs did on npm in 2017.
#include "installer.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Whether one of them becomes the other by one letter changed, added, left out, or swapped with its neighbour.
bool isOneSlipAway(QStringView left, QStringView right)
{
    if (left.size() > right.size())
        std::swap(left, right);
    if (right.size() - left.size() > 1)
        return false;
    const auto [fromLeft, fromRight] = std::ranges::mismatch(left, right);
    const auto at = fromLeft - left.begin();
    if (left.size() < right.size())
        return left.sliced(at) == right.sliced(at + 1);
    if (at == left.size())
        return false; // the same
    if (left.sliced(at + 1) == right.sliced(at + 1))
        return true;
    return at + 1 < left.size() && left[at] == right[at + 1] && left[at + 1] == right[at]
           && left.sliced(at + 2) == right.sliced(at + 2);
}

// Without separators, and without words for the language: of "python3-requests" and "requests-py" "requests".
QString bareName(QString name)
{
    static const QRegularExpression words(
        uR"(^(js|node|nodejs|py|python[23]?)[-_.]|[-_.](js|node|nodejs|py|python[23]?)$)"_s);
    static const QRegularExpression separators(u"[-_.]"_s);
    static const QRegularExpression joined(u"^(node|py)(?=.{4})|(?<=.{4})js$"_s);
    return name.remove(words).remove(separators).remove(joined);
}

bool looksLike(const QString &name, const QString &popular)
{
    constexpr qsizetype shortName = 4; // of so few letters, many good names are near each other
    if (const QString bare = bareName(name); !bare.isEmpty() && bare == bareName(popular))
        return true;
    return popular.size() > shortName && isOneSlipAway(name, popular);
}

} // namespace

QList<Text> doubtsAbout(const QStringList &names, const QString &language)
{
    const auto installer = installerOf(language);
    const QStringList known = installer ? (*installer)->popularNames() : QStringList();
    const QSet<QString> popular(known.begin(), known.end());
    QList<Text> doubts;
    for (const QString &name : names) {
        if (popular.contains(name))
            continue;
        const auto like = std::ranges::find_if(known, [&](const QString &much) { return looksLike(name, much); });
        if (like != known.end())
            doubts.append(
                Text(QT_TRANSLATE_NOOP("engine", "The name \"%1\" looks like \"%2\", a package that many use, "
                                                 "and is another one."),
                     {name, *like}));
    }
    return doubts;
}

Text wordsAboutScripts(const QStringList &names)
{
    return {QT_TRANSLATE_NOOP("engine", "Left out are the install scripts of: %1. A package that is compiled by its "
                                        "script won't work."),
            {names.join(QStringLiteral(", "))}};
}

Text wordsAboutScriptsToRun(const QStringList &packages)
{
    return {QT_TRANSLATE_NOOP("engine", "Install scripts of these packages run, sealed and without a network: %1."),
            {packages.join(QStringLiteral(", "))}};
}

QList<Text> doubtsAboutBuild(const LockedPackage &package)
{
    QStringList names{package.name};
    for (const BuildTool &tool : package.tools())
        names.append(tool.name);
    return doubtsAbout(names, languageOfSources());
}

} // namespace glovebox
