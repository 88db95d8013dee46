// SPDX-License-Identifier: Apache-2.0
#include "syntax.h"

#include "engine/languages/languages.h"

namespace glovebox {

using namespace Qt::StringLiterals;

Syntax::Syntax(Theme &theme)
    : QObject(&theme)
    , m_theme(theme)
{
    connect(&theme, &Theme::changed, this, &Syntax::themeChanged);
}

Syntax &Syntax::of(Theme &theme)
{
    auto *syntax = theme.findChild<Syntax *>({}, Qt::FindDirectChildrenOnly);
    return syntax ? *syntax : *new Syntax(theme);
}

KSyntaxHighlighting::Definition Syntax::definition(const QString &language, const QString &fileName) const
{
    if (const auto known = Languages::byId(language))
        return m_repository.definitionForFileName(u"."_s + (*known)->extensions().first());
    return fileName.isEmpty() ? KSyntaxHighlighting::Definition() : m_repository.definitionForFileName(fileName);
}

KSyntaxHighlighting::Theme Syntax::codeTheme() const
{
    return m_repository.theme(Theme::codeThemeName(m_theme.scheme()));
}

} // namespace glovebox
