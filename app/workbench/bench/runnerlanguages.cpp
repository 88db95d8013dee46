// SPDX-License-Identifier: Apache-2.0
#include "runnerlanguages.h"

#include "app/workbench/shell/words.h"

#include <algorithm>

namespace glovebox {

namespace {

// lupdate finds the strings under this name.
struct RunnerLanguages
{
    Q_DECLARE_TR_FUNCTIONS(RunnerLanguages)
};

QString nameAndVersion(const QString &id, const QString &version)
{
    const auto language = Languages::byId(id);
    const QString name = language ? (*language)->name() : id;
    return version.isEmpty() ? name : name + u' ' + version;
}

QString versionOf(const Readiness &readiness, const QString &id)
{
    const auto known = std::ranges::find(readiness.languages, id, &LanguageReadiness::id);
    return known == readiness.languages.end() ? QString() : known->version();
}

} // namespace

QString detectedLanguage(const QString &fileName, const QString &firstLine, const QString &otherwise)
{
    const auto language = Languages::detect(fileName, firstLine.toUtf8());
    return language ? (*language)->id() : otherwise;
}

QString shortLanguageName(const Readiness &readiness, const QString &id)
{
    return nameAndVersion(id, versionOf(readiness, id).section(u'.', 0, 1));
}

QString longLanguageName(const Readiness &readiness, const QString &id)
{
    return nameAndVersion(id, versionOf(readiness, id));
}

QList<LanguageChoice> languageChoices(const Readiness &readiness, const QString &detected)
{
    QList<LanguageChoice> choices{
        {{}, RunnerLanguages::tr("As the code says: %1").arg(shortLanguageName(readiness, detected)), {}}};
    for (const LanguageReadiness &language : readiness.languages)
        choices.append(
            {language.id, longLanguageName(readiness, language.id),
             language.part.state == Part::State::Blocked ? translated(language.part.why.message) : QString()});
    return choices;
}

} // namespace glovebox
