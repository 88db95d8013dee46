// SPDX-License-Identifier: Apache-2.0
// Pieces of JSON Schema (2020-12), for what tools take and answer.
#pragma once

#include <QJsonArray>
#include <QJsonObject>

namespace glovebox::mcp::schema {

inline QJsonObject with(QJsonObject schema, const QJsonObject &more)
{
    for (auto member = more.begin(); member != more.end(); ++member)
        schema.insert(member.key(), member.value());
    return schema;
}

inline QJsonObject typed(const QString &type, const QString &description = {})
{
    QJsonObject schema{{QStringLiteral("type"), type}};
    if (!description.isEmpty())
        schema.insert(QStringLiteral("description"), description);
    return schema;
}

inline QJsonObject text(const QString &description = {})
{
    return typed(QStringLiteral("string"), description);
}

inline QJsonObject integer(const QString &description = {})
{
    return typed(QStringLiteral("integer"), description);
}

inline QJsonObject boolean(const QString &description = {})
{
    return typed(QStringLiteral("boolean"), description);
}

// Or null.
inline QJsonObject optional(QJsonObject schema)
{
    schema[QLatin1StringView("type")] = QJsonArray{schema[QLatin1StringView("type")], QStringLiteral("null")};
    if (schema.contains(QLatin1StringView("enum"))) {
        QJsonArray values = schema[QLatin1StringView("enum")].toArray();
        values.append(QJsonValue());
        schema[QLatin1StringView("enum")] = values;
    }
    return schema;
}

inline QJsonObject oneOf(const QStringList &values, const QString &description = {})
{
    return with(text(description), {{QStringLiteral("enum"), QJsonArray::fromStringList(values)}});
}

inline QJsonObject list(const QJsonObject &items, const QString &description = {})
{
    return with(typed(QStringLiteral("array"), description), {{QStringLiteral("items"), items}});
}

// No other members than these.
inline QJsonObject object(const QJsonObject &members, const QStringList &required = {}, const QString &description = {})
{
    QJsonObject schema =
        with(typed(QStringLiteral("object"), description),
             {{QStringLiteral("properties"), members}, {QStringLiteral("additionalProperties"), false}});
    if (!required.isEmpty())
        schema.insert(QStringLiteral("required"), QJsonArray::fromStringList(required));
    return schema;
}

} // namespace glovebox::mcp::schema
