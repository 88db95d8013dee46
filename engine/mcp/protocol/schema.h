// SPDX-License-Identifier: Apache-2.0
// Checks a call's arguments against the part of JSON Schema 2020-12 in which our tools describe them.
#pragma once

#include <QJsonObject>
#include <QString>

#include <optional>

namespace glovebox::mcp {

// What is wrong with value, as a sentence that names the place ("files.0.name"); nothing: it is as schema says. Knows type, enum,
// const, properties, required, additionalProperties, items and the bounds of numbers, strings (in characters), arrays and objects;
// other keywords forbid nothing.
std::optional<QString> faultOf(const QJsonValue &value, const QJsonObject &schema, const QString &place = {});

} // namespace glovebox::mcp
