// SPDX-License-Identifier: Apache-2.0
// The module glovebox_tools: a class for each server, with a function for each of its tools.
#include "engine/languages/toolmodule.h"
#include "engine/languages/registry.h"

#include <QHash>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char pythonTools[] =
#include "pythontools.inc"
    ;

// Also what the module itself uses by names that a server or its tools could take.
const QStringList &pythonWords()
{
    static const QStringList words{
        u"False"_s,     u"None"_s,   u"True"_s,    u"and"_s,         u"as"_s,       u"assert"_s, u"async"_s,
        u"await"_s,     u"break"_s,  u"class"_s,   u"continue"_s,    u"def"_s,      u"del"_s,    u"elif"_s,
        u"else"_s,      u"except"_s, u"finally"_s, u"for"_s,         u"from"_s,     u"global"_s, u"if"_s,
        u"import"_s,    u"in"_s,     u"is"_s,      u"lambda"_s,      u"nonlocal"_s, u"not"_s,    u"or"_s,
        u"pass"_s,      u"raise"_s,  u"return"_s,  u"try"_s,         u"while"_s,    u"with"_s,   u"yield"_s,
        u"bytearray"_s, u"more"_s,   u"mro"_s,     u"staticmethod"_s};
    return words;
}

// shownText() has no control characters.
QString pythonString(QString text)
{
    return u'"' + text.replace(u'\\', u"\\\\"_s).replace(u'"', u"\\\""_s) + u'"';
}

QString pythonType(const QString &type)
{
    static const QHash<QString, QString> types{{u"string"_s, u"str"_s},   {u"integer"_s, u"int"_s},
                                               {u"number"_s, u"float"_s}, {u"boolean"_s, u"bool"_s},
                                               {u"array"_s, u"list"_s},   {u"object"_s, u"dict"_s}};
    return types.value(type, u"object"_s);
}

QString pythonFunction(const QString &name, const OfferedTool &tool)
{
    QStringList parameters, handedOn, lines{shownText(tool.description, toolTextMax)};
    for (const ToolParameter &parameter : parametersOf(tool.inputSchema, pythonWords())) {
        const QString typed = parameter.name + u": "_s + pythonType(parameter.type);
        parameters.append(parameter.isRequired ? typed : typed + u" = _absent"_s);
        handedOn.append(u"\"%1\": %1"_s.arg(parameter.name));
        if (!parameter.description.isEmpty())
            lines.append(u"%1: %2"_s.arg(parameter.name, parameter.description));
    }
    if (!parameters.isEmpty())
        parameters.prepend(u"*"_s);
    parameters.append(u"**more"_s); // whatever is no name
    handedOn.append(u"**more"_s);
    QStringList shown;
    for (const QString &line : lines)
        shown.append(u"        "_s + pythonString(line));
    // Adjacent strings are one, and in the place of a docstring that is what it is.
    return u"    @staticmethod\n    def %1(%2):\n%3\n        return _call(\"%4\", {%5})\n"_s.arg(
        name, parameters.join(u", "_s), shown.join(u" \"\\n\\n\" \\\n"_s), tool.name.text(), handedOn.join(u", "_s));
}

} // namespace

InnerFile pythonToolModule(const QList<OfferedTool> &tools, quint16 port)
{
    QString code = QString::fromUtf8(pythonTools, sizeof pythonTools - 1) + u"\n\n_port = %1\n"_s.arg(port);
    const auto named = namedTools(tools, pythonWords());
    for (const QString &server : serversOf(tools)) {
        const QString name = pythonWords().contains(server) ? server + u'_' : server;
        code += u"\n\nclass %1:\n    \"Tools of the server %2.\"\n\n    __slots__ = ()\n"_s.arg(name, server);
        for (const auto &[function, tool] : named) {
            if (tool.name.server == server)
                code += u'\n' + pythonFunction(function, tool);
        }
        code += u"\n\n__all__.append(\"%1\")\n"_s.arg(name);
    }
    return {"glovebox_tools.py", code.toUtf8()};
}

} // namespace glovebox
