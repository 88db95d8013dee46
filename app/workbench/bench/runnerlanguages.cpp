// SPDX-License-Identifier: Apache-2.0
#include "runnerlanguages.h"

#include "app/workbench/shell/words/words.h"

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

LanguageReadiness readinessOf(const Readiness &readiness, const QString &id)
{
    const auto known = std::ranges::find(readiness.languages, id, &LanguageReadiness::id);
    return known == readiness.languages.end() ? LanguageReadiness() : *known;
}

QString versionOf(const Readiness &readiness, const QString &id, const QString &interpreter)
{
    const LanguageReadiness language = readinessOf(readiness, id);
    if (interpreter.isEmpty())
        return language.version();
    const auto chosen = std::ranges::find(language.candidates, interpreter, &InterpreterCandidate::path);
    return chosen == language.candidates.end() ? QString() : chosen->version;
}

// With a place for the language.
QString detectedWords(DetectedLanguage::By by)
{
    switch (by) {
    case DetectedLanguage::By::FileName:
        return RunnerLanguages::tr("As the code says: %1, by its file name");
    case DetectedLanguage::By::FirstLine:
        return RunnerLanguages::tr("As the code says: %1, by its first line");
    case DetectedLanguage::By::Nothing:
        break;
    }
    return RunnerLanguages::tr("As the code says: nothing, so %1");
}

} // namespace

DetectedLanguage detectedLanguage(const QString &fileName, const QString &firstLine, const QString &otherwise)
{
    const auto language = Languages::detect(fileName, firstLine.toUtf8());
    if (!language)
        return {otherwise, DetectedLanguage::By::Nothing};
    const auto byName = Languages::detect(fileName, {});
    return {(*language)->id(),
            byName && *byName == *language ? DetectedLanguage::By::FileName : DetectedLanguage::By::FirstLine};
}

QString shortLanguageName(const Readiness &readiness, const QString &id, const QString &interpreter)
{
    return nameAndVersion(id, versionOf(readiness, id, interpreter).section(u'.', 0, 1));
}

QString longLanguageName(const Readiness &readiness, const QString &id, const QString &interpreter)
{
    return nameAndVersion(id, versionOf(readiness, id, interpreter));
}

QList<LanguageChoice> languageChoices(const Readiness &readiness, const DetectedLanguage &detected)
{
    QList<LanguageChoice> choices{
        {{}, detectedWords(detected.by).arg(shortLanguageName(readiness, detected.id, {})), {}, {}}};
    for (const auto &language : Languages::all()) {
        const LanguageReadiness found = readinessOf(readiness, language->id());
        choices.append({language->id(),
                        longLanguageName(readiness, language->id(), {}),
                        {},
                        found.part.state == Part::State::Blocked ? translated(found.part.why.message) : QString()});
        bool isUsual = true; // the first usable one
        for (const InterpreterCandidate &candidate : found.candidates) {
            if (candidate.usable && !std::exchange(isUsual, false))
                choices.append({language->id(),
                                RunnerLanguages::tr("%1 at %2", "a language and its version, a path")
                                    .arg(nameAndVersion(language->id(), candidate.version), candidate.path),
                                candidate.path,
                                {}});
        }
    }
    return choices;
}

} // namespace glovebox
