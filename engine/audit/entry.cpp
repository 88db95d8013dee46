// SPDX-License-Identifier: Apache-2.0
#include "entry.h"

#include "engine/policy/policy.h"

#include <QJsonArray>

namespace glovebox {

using namespace Qt::StringLiterals;

std::optional<EntryKind> kindOf(const QJsonObject &entry)
{
    return fromString<EntryKind>(entry["kind"_L1].toString());
}

QString shownField(const QJsonValue &value)
{
    if (value.isDouble())
        return QString::number(value.toInteger()); // entries have no other numbers
    if (value.isBool())
        return value.toBool() ? u"yes"_s : u"no"_s;
    const QJsonObject object = value.toObject();
    if (object.contains("source"_L1) && object.contains("args"_L1))
        return textFrom(value).english();
    QStringList parts{value.toString()};
    for (const auto element : value.toArray())
        parts.append(shownField(element));
    for (auto field = object.begin(); field != object.end(); ++field) {
        if (const QString part = shownField(field.value()); !part.isEmpty())
            parts.append(field.key() + u' ' + part);
    }
    parts.removeAll(QString());
    return parts.join(value[0].isObject() ? u"; "_s : u", "_s);
}

QJsonObject ownFields(QJsonObject entry)
{
    for (const auto head : {"v"_L1, "seq"_L1, "kind"_L1, "time_us"_L1, "engine"_L1, "run"_L1})
        entry.remove(head);
    return entry;
}

Result<QByteArray> entryJson(const EntryHead &head, const Entry &entry)
{
    if (!entry.fields)
        return std::unexpected(entry.fields.error());
    QJsonObject object = *entry.fields;
    object[u"v"_s] = 1;
    object[u"seq"_s] = head.seq;
    object[u"kind"_s] = entry.kind;
    object[u"time_us"_s] = head.timeMicroseconds;
    object[u"engine"_s] = head.engine;
    if (!entry.run.isEmpty())
        object[u"run"_s] = entry.run;
    return canonicalJson(object);
}

QByteArray leafHash(QByteArrayView json)
{
    return sha256({QByteArrayView("\0", 1), json});
}

} // namespace glovebox
