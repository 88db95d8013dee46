// SPDX-License-Identifier: Apache-2.0
// The module glovebox_tools.cjs: an object for each server, with a function for each of its tools. CommonJS, since both import and
// require() take that, from every version.
#include "engine/languages/toolmodule.h"
#include "engine/languages/registry.h"

#include <QHash>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char nodeTools[] =
#include "nodetools.inc"
    ;

// No property of an object may be called by its first name, or then() would make a promise of it.
const QStringList &nodeNames()
{
    static const QStringList names{u"then"_s, u"constructor"_s, u"prototype"_s};
    return names;
}

// Nothing ends the comment early.
QString inComment(const QString &text, qsizetype most)
{
    return shownText(text, most).replace(u"*/"_s, u"* /"_s);
}

QString nodeType(const QString &type)
{
    static const QHash<QString, QString> types{{u"string"_s, u"string"_s},    {u"integer"_s, u"number"_s},
                                               {u"number"_s, u"number"_s},    {u"boolean"_s, u"boolean"_s},
                                               {u"array"_s, u"Array<any>"_s}, {u"object"_s, u"object"_s}};
    return types.value(type, u"any"_s);
}

QString nodeFunction(const QString &name, const OfferedTool &tool)
{
    QStringList lines{inComment(tool.description, toolTextMax)};
    lines.append(u"@param {object} [args]"_s);
    for (const ToolParameter &parameter : parametersOf(tool.inputSchema, {}))
        lines.append((parameter.isRequired ? u"@param {%1} args.%2 %3"_s : u"@param {%1} [args.%2] %3"_s)
                         .arg(nodeType(parameter.type), parameter.name, inComment(parameter.description, toolTextMax))
                         .trimmed());
    lines.append(u"@returns {Promise<any>}"_s);
    return u"    /**\n     * %1\n     */\n    %2: (args = {}) => call('%3', args),\n"_s.arg(lines.join(u"\n     * "_s),
                                                                                            name, tool.name.text());
}

} // namespace

InnerFile nodeToolModule(const QList<OfferedTool> &tools, quint16 port)
{
    QString code = QString::fromUtf8(nodeTools, sizeof nodeTools - 1) + u"\nconst port = %1;\n"_s.arg(port);
    const auto named = namedTools(tools, nodeNames());
    for (const QString &server : serversOf(tools)) {
        code += u"\n/** Tools of the server %1. */\nexports.%1 = {\n"_s.arg(server);
        for (const auto &[function, tool] : named) {
            if (tool.name.server == server)
                code += nodeFunction(function, tool);
        }
        code += u"};\n"_s;
    }
    return {"glovebox_tools.cjs", code.toUtf8()};
}

} // namespace glovebox
