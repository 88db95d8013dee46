// SPDX-License-Identifier: Apache-2.0
// The ids of enums (enumnames.h) as Qt's strings.
#pragma once

#include "engine/base/enumnames.h"

#include <QString>

#include <optional>

namespace glovebox {

template<NamedEnum Enum> QString toString(Enum value)
{
    const std::string_view name = enumName(value);
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

template<NamedEnum Enum> std::optional<Enum> fromString(QStringView text)
{
    for (std::size_t i = 0; i < enumNames<Enum>.size(); ++i) {
        const std::string_view name = enumNames<Enum>[i];
        if (text == QLatin1StringView(name.data(), static_cast<qsizetype>(name.size())))
            return static_cast<Enum>(i);
    }
    return std::nullopt;
}

} // namespace glovebox
