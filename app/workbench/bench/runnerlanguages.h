// SPDX-License-Identifier: Apache-2.0
// The languages that code can be run in here, with their versions as far as they are known.
#pragma once

#include "policy/policysentence.h"

#include "app/workbench/shell/context.h"

namespace glovebox {

struct DetectedLanguage
{
    enum class By { FileName, FirstLine, Nothing };
    QString id;
    By by = By::Nothing;

    bool operator==(const DetectedLanguage &) const = default;
};

// What the code is: by the file's name, then by its first line, then `otherwise`.
DetectedLanguage detectedLanguage(const QString &fileName, const QString &firstLine, const QString &otherwise);
// interpreter: by its path; empty: the usual one.
QString shortLanguageName(const Readiness &readiness, const QString &id, const QString &interpreter); // "Python 3.11"
QString longLanguageName(const Readiness &readiness, const QString &id, const QString &interpreter); // "Python 3.11.2"
// To choose from, with the other interpreters of each; detected: what the first choice, "as the code says", would be.
QList<LanguageChoice> languageChoices(const Readiness &readiness, const DetectedLanguage &detected);

} // namespace glovebox
