// SPDX-License-Identifier: Apache-2.0
#include "tools.h"

#include <QRegularExpression>
#include <QSet>

namespace glovebox {

bool isToolServerName(const QString &name)
{
    static const QRegularExpression pattern(QStringLiteral("\\A[a-z][a-z0-9_]{0,31}\\z"));
    return pattern.match(name).hasMatch();
}

bool isToolName(const QString &name)
{
    static const QRegularExpression pattern(QStringLiteral("\\A[A-Za-z0-9_./-]{1,128}\\z"));
    return pattern.match(name).hasMatch();
}

Result<ToolName> toolNameFrom(const QString &text)
{
    ToolName name{text.section(u'.', 0, 0), text.section(u'.', 1)};
    if (!isToolServerName(name.server) || !isToolName(name.tool))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" is not the name of a tool. Write it as SERVER.TOOL, such as "
                                                "github.search_issues."),
                    {text.left(200)});
    return name;
}

Status checkToolNames(const QStringList &tools)
{
    if (tools.size() > allowedToolsMax)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "A run may call at most %1 tools, and %2 are named. Name fewer."),
                    {QString::number(allowedToolsMax), QString::number(tools.size())});
    QSet<QString> names;
    for (const QString &tool : tools) {
        RETURN_IF_ERROR(toolNameFrom(tool));
        if (names.contains(tool))
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "The tool %1 is named twice. Name it once."), {tool});
        names.insert(tool);
    }
    return {};
}

} // namespace glovebox
