// SPDX-License-Identifier: Apache-2.0
// Canonical JSON (RFC 8785) for everything that is hashed, and a strict reader for everything that is trusted.
// Own code because QJsonDocument prints 1e-07, accepts duplicate keys and replaces broken UTF-8.
#pragma once

#include "result.h"

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QString>

#include <optional>

namespace glovebox {

// Keys sorted by UTF-16 code units, shortest escapes, no white space. Numbers must be integers within +-(2^53 - 1);
// anything else, an unpaired surrogate, or nesting beyond 64 levels is InvalidInput.
Result<QByteArray> canonicalJson(const QJsonObject &object);

// With every half of a surrogate pair replaced: what is certain to be JSON.
inline QString recordable(const QString &text)
{
    return QString::fromUtf8(text.toUtf8());
}

// Accepts any RFC 8259 text that is one object, with the same restrictions on numbers, and no duplicate keys, no broken
// UTF-8, no BOM, at most 64 levels. The error's message names line and column.
Result<QJsonObject> parseStrictJson(QByteArrayView text);

// Bytes of unknown encoding as text: valid UTF-8 as it is, every other byte as \xNN. For people; not reversible.
QString textFromBytes(QByteArrayView bytes);

// Null where there is nothing.
template<typename T> QJsonValue orNull(const std::optional<T> &value)
{
    return value ? QJsonValue(*value) : QJsonValue();
}
inline QJsonValue orNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue() : QJsonValue(text);
}

// An array of the items' toJson().
template<typename List> QJsonArray jsonArray(const List &items)
{
    QJsonArray array;
    for (const auto &item : items)
        array.append(toJson(item));
    return array;
}

} // namespace glovebox
