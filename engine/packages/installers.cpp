// SPDX-License-Identifier: Apache-2.0
#include "installer.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostRequirements = 200;

const std::vector<std::unique_ptr<const Installer>> &allInstallers()
{
    static const auto all = [] {
        std::vector<std::unique_ptr<const Installer>> made;
        made.push_back(makePythonInstaller());
        made.push_back(makeNodeInstaller());
        return made;
    }();
    return all;
}

QString languageThat(bool (Installer::*does)() const)
{
    const auto &all = allInstallers();
    const auto found = std::ranges::find_if(all, [does](const auto &installer) { return (*installer.*does)(); });
    return found == all.end() ? QString() : (*found)->language();
}

} // namespace

QString languageOfSources()
{
    return languageThat(&Installer::buildsSources);
}

QString languageOfScripts()
{
    return languageThat(&Installer::hasScripts);
}

Result<const Installer *> installerOf(const QString &language)
{
    for (const auto &installer : allInstallers()) {
        if (installer->language() == language)
            return installer.get();
    }
    return fail(ErrorCode::Unsupported, noPackagesFor(language));
}

static std::unexpected<Error> buildsNothing(const Installer &installer)
{
    return fail(ErrorCode::Unsupported,
                QT_TRANSLATE_NOOP("engine", "Packages of Python can be built from their source, and none of %1."),
                {installer.language()});
}

Result<LockedPackage> Installer::readSource(const SessionTree &, const SourceWish &) const
{
    return buildsNothing(*this);
}

Result<LockedPackage> Installer::readBuilt(const SessionTree &, const LockedPackage &) const
{
    return buildsNothing(*this);
}

QString normalizedPackageName(const QString &name)
{
    static const QRegularExpression separators(u"[-_.]+"_s);
    return QString(name).replace(separators, u"-"_s).toLower();
}

Result<Requirement> readRequirement(const QString &text, const QString &language)
{
    ASSIGN_OR_RETURN(const Installer *const installer, installerOf(language));
    return installer->requirement(text);
}

Result<QString> packageName(const QString &text, const QString &language)
{
    ASSIGN_OR_RETURN(const Requirement requirement, readRequirement(text, language));
    if (requirement.text == requirement.name || normalizedPackageName(requirement.text) == requirement.name)
        return requirement.name;
    return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "\"%1\" isn't the name of a package alone."),
                {requirement.text});
}

Result<QList<Requirement>> readRequirements(const QString &text, const QString &language)
{
    ASSIGN_OR_RETURN(const Installer *const installer, installerOf(language));
    QList<Requirement> requirements;
    for (const QString &word : installer->words(text)) {
        if (word.trimmed().isEmpty())
            continue;
        ASSIGN_OR_RETURN(const Requirement requirement, installer->requirement(word));
        requirements.append(requirement);
    }
    if (requirements.isEmpty())
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "No package is named."), {});
    if (requirements.size() > mostRequirements)
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "A run can have at most %1 packages by name."),
                    {QString::number(mostRequirements)});
    return requirements;
}

Status checkNamedOnce(const QList<Requirement> &requirements, const QString &language)
{
    ASSIGN_OR_RETURN(const Installer *const installer, installerOf(language));
    QHash<QString, QString> texts;
    for (const Requirement &requirement : requirements) {
        if (requirement.text == requirement.name)
            continue; // any version is as good as the other's
        const QString first = texts.value(requirement.name, requirement.text);
        if (first != requirement.text && !installer->takesSeveralOfAName())
            return fail(
                ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "\"%1\" and \"%2\" are one package in two versions. Name one of them."),
                {first, requirement.text});
        texts[requirement.name] = requirement.text;
    }
    return {};
}

QStringList namesInList(const char *list)
{
    QStringList all;
    for (const QString &line : QString::fromLatin1(list).split(u'\n', Qt::SkipEmptyParts)) {
        if (!line.startsWith(u'#'))
            all += line.split(u' ', Qt::SkipEmptyParts);
    }
    return all;
}

} // namespace glovebox
