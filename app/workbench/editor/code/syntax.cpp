// SPDX-License-Identifier: Apache-2.0
#include "syntax.h"

#include <QHash>

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
    static const QHash<QString, QString> names{
        {u"python"_s, u"Python"_s},
        {u"node"_s, u"JavaScript"_s},
        {u"bash"_s, u"Bash"_s},
        {u"sh"_s, u"Bash"_s},
    };
    if (const auto name = names.find(language); name != names.end())
        return m_repository.definitionForName(*name);
    return fileName.isEmpty() ? KSyntaxHighlighting::Definition() : m_repository.definitionForFileName(fileName);
}

KSyntaxHighlighting::Theme Syntax::codeTheme() const
{
    return m_repository.theme(Theme::codeThemeName(m_theme.scheme()));
}

} // namespace glovebox
