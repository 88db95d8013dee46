// SPDX-License-Identifier: Apache-2.0
#include "schema.h"

#include <QJsonArray>
#include <QLocale>

#include <cmath>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

using Fault = std::optional<QString>;

QString named(const QString &place)
{
    return place.isEmpty() ? u"The arguments"_s : u"\"%1\""_s.arg(place);
}

QString below(const QString &place, const QString &key)
{
    return place.isEmpty() ? key : place + u'.' + key;
}

bool isOfType(const QJsonValue &value, const QString &type)
{
    if (type == u"object")
        return value.isObject();
    if (type == u"array")
        return value.isArray();
    if (type == u"string")
        return value.isString();
    if (type == u"boolean")
        return value.isBool();
    if (type == u"null")
        return value.isNull();
    if (type == u"integer")
        return value.isDouble() && std::floor(value.toDouble()) == value.toDouble();
    return type != u"number" || value.isDouble();
}

Fault faultOfType(const QJsonValue &value, const QJsonValue &types, const QString &place)
{
    const QJsonArray allowed = types.isArray() ? types.toArray() : QJsonArray{types};
    QStringList names;
    for (const auto type : allowed) {
        if (isOfType(value, type.toString()))
            return {};
        names.append(type.toString());
    }
    return u"%1 must be of type %2."_s.arg(named(place), names.join(u" or "_s));
}

Fault faultOfSize(double size, const QJsonObject &schema, const char *least, const char *most, const QString &place,
                  const QString &unit)
{
    const auto shown = [](const QJsonValue &bound) {
        return QString::number(bound.toDouble(), 'f', QLocale::FloatingPointShortest);
    };
    const QJsonValue minimum = schema.value(QLatin1StringView(least)), maximum = schema.value(QLatin1StringView(most));
    if (!unit.isEmpty() && size == 0 && minimum.toDouble() == 1)
        return u"%1 must not be empty."_s.arg(named(place));
    if (minimum.isDouble() && size < minimum.toDouble())
        return u"%1 must be at least %2%3."_s.arg(named(place), shown(minimum), unit);
    if (maximum.isDouble() && size > maximum.toDouble())
        return u"%1 must be at most %2%3."_s.arg(named(place), shown(maximum), unit);
    return {};
}

Fault faultOfObject(const QJsonObject &object, const QJsonObject &schema, const QString &place)
{
    for (const auto key : schema.value(u"required"_s).toArray()) {
        if (!object.contains(key.toString()))
            return u"\"%1\" is missing."_s.arg(below(place, key.toString()));
    }
    const QJsonObject properties = schema.value(u"properties"_s).toObject();
    const QJsonValue others = schema.value(u"additionalProperties"_s);
    for (auto member = object.begin(); member != object.end(); ++member) {
        const QString inner = below(place, member.key());
        Fault fault;
        if (properties.contains(member.key()))
            fault = faultOf(member.value(), properties.value(member.key()).toObject(), inner);
        else if (others.isBool() && !others.toBool())
            fault = u"There is no \"%1\" here. Known are: %2."_s.arg(
                inner.left(100), properties.isEmpty() ? u"none"_s : QStringList(properties.keys()).join(u", "_s));
        else if (others.isObject())
            fault = faultOf(member.value(), others.toObject(), inner);
        if (fault)
            return fault;
    }
    return faultOfSize(double(object.size()), schema, "minProperties", "maxProperties", place, u" members"_s);
}

Fault faultOfArray(const QJsonArray &array, const QJsonObject &schema, const QString &place)
{
    if (const Fault fault = faultOfSize(double(array.size()), schema, "minItems", "maxItems", place, u" items"_s))
        return fault;
    const QJsonValue items = schema.value(u"items"_s);
    for (qsizetype i = 0; items.isObject() && i < array.size(); ++i) {
        if (const Fault fault = faultOf(array[i], items.toObject(), below(place, QString::number(i))))
            return fault;
    }
    return {};
}

} // namespace

Fault faultOf(const QJsonValue &value, const QJsonObject &schema, const QString &place)
{
    if (schema.contains(u"type"_s)) {
        if (const Fault fault = faultOfType(value, schema.value(u"type"_s), place))
            return fault;
    }
    if (const QJsonValue allowed = schema.value(u"enum"_s); allowed.isArray() && !allowed.toArray().contains(value)) {
        QStringList names;
        for (const auto name : allowed.toArray())
            names.append(name.toVariant().toString());
        return u"%1 must be one of: %2."_s.arg(named(place), names.join(u", "_s));
    }
    if (const QJsonValue only = schema.value(u"const"_s); !only.isUndefined() && only != value)
        return u"%1 must be %2."_s.arg(named(place), only.toVariant().toString());
    if (value.isObject())
        return faultOfObject(value.toObject(), schema, place);
    if (value.isArray())
        return faultOfArray(value.toArray(), schema, place);
    if (value.isString())
        return faultOfSize(double(value.toString().toUcs4().size()), schema, "minLength", "maxLength", place,
                           u" characters long"_s);
    if (value.isDouble())
        return faultOfSize(value.toDouble(), schema, "minimum", "maximum", place, {});
    return {};
}

} // namespace glovebox::mcp
