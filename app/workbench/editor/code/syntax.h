// SPDX-License-Identifier: Apache-2.0
// The syntax definitions and code themes that every view of code shares.
#pragma once

#include "app/workbench/shell/theme.h"

#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Repository>
#include <KSyntaxHighlighting/Theme>

#include <QObject>

namespace glovebox {

// Lives with the theme, on the GUI thread.
class Syntax : public QObject
{
    Q_OBJECT
public:
    // Makes it at the first call.
    static Syntax &of(Theme &theme);

    // language: an id of the engine ("python"); else by file name; else plain text.
    KSyntaxHighlighting::Definition definition(const QString &language, const QString &fileName = {}) const;
    KSyntaxHighlighting::Theme codeTheme() const;

Q_SIGNALS:
    void themeChanged();

private:
    explicit Syntax(Theme &theme);

    Theme &m_theme;
    KSyntaxHighlighting::Repository m_repository;
};

} // namespace glovebox
