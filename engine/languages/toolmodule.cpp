// SPDX-License-Identifier: Apache-2.0
#include "toolmodule.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype parametersMax = 64;
constexpr qsizetype parameterTextMax = 300;

// Of "type", which may also be a list with null among it.
QString typeOf(const QJsonObject &schema)
{
    static const QStringList known{u"string"_s, u"integer"_s, u"number"_s, u"boolean"_s, u"array"_s, u"object"_s};
    QStringList types;
    const QJsonValue type = schema[u"type"_s];
    if (type.isString())
        types.append(type.toString());
    for (const auto each : type.toArray()) {
        if (each != u"null"_s)
            types.append(each.toString());
    }
    return types.size() == 1 && known.contains(types.first()) ? types.first() : QString();
}

} // namespace

QList<ToolParameter> parametersOf(const QJsonObject &inputSchema, const QStringList &reserved)
{
    static const QRegularExpression name(u"\\A[A-Za-z][A-Za-z0-9_]{0,63}\\z"_s);
    const QJsonArray required = inputSchema[u"required"_s].toArray();
    const QJsonObject properties = inputSchema[u"properties"_s].toObject();
    QList<ToolParameter> parameters;
    for (auto property = properties.begin(); property != properties.end(); ++property) {
        if (!name.match(property.key()).hasMatch() || reserved.contains(property.key())
            || parameters.size() == parametersMax)
            continue;
        const QJsonObject schema = property.value().toObject();
        parameters.append({property.key(), typeOf(schema), required.contains(property.key()),
                           shownText(schema[u"description"_s].toString(), parameterTextMax)});
    }
    std::ranges::stable_partition(parameters, &ToolParameter::isRequired);
    return parameters;
}

QList<std::pair<QString, OfferedTool>> namedTools(const QList<OfferedTool> &tools, const QStringList &reserved)
{
    static const QRegularExpression other(u"[^A-Za-z0-9_]"_s);
    QList<std::pair<QString, OfferedTool>> named;
    QSet<QString> taken; // with their servers
    for (const OfferedTool &tool : tools) {
        QString name = QString(tool.name.tool).replace(other, u"_"_s);
        if (name.front().isDigit() || name.startsWith(u"__"_s))
            name.prepend(u"t_"_s);
        while (reserved.contains(name) || taken.contains(tool.name.server + u'.' + name))
            name += u'_';
        taken.insert(tool.name.server + u'.' + name);
        named.append({name, tool});
    }
    return named;
}

QStringList serversOf(const QList<OfferedTool> &tools)
{
    QStringList servers;
    for (const OfferedTool &tool : tools) {
        if (!servers.contains(tool.name.server))
            servers.append(tool.name.server);
    }
    return servers;
}

QString shownText(const QString &text, qsizetype most)
{
    QList<uint> shown;
    for (const uint character : text.left(2 * most).toUcs4()) {
        const bool isBlank = character == '\n' || character == '\r' || character == '\t';
        if (isBlank || !isHiddenCharacter(character))
            shown.append(isBlank ? ' ' : character);
    }
    // Half of a surrogate pair would be no UTF-8.
    return recordable(QString::fromUcs4(reinterpret_cast<const char32_t *>(shown.constData()), shown.size()))
        .simplified()
        .left(most);
}

} // namespace glovebox
