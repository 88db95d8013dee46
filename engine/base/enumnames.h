// SPDX-License-Identifier: Apache-2.0
// One table an enum for its ids in JSON, audit log, settings and command line. No Qt: the launcher has such enums, too.
// toString() and fromString() are in text/enumtext.h.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace glovebox {

// The table of an enum is a specialisation beside the enum:
//
//   template<> inline constexpr auto enumNames<Outcome> = namesOf<Outcome>({{Outcome::Completed, "completed"}, ...});
template<typename Enum> inline constexpr auto enumNames = nullptr;

template<typename Enum>
concept NamedEnum = requires { enumNames<Enum>.size(); };

// Whether an enumerator has this value: compilers spell a value without one as a cast, "(Outcome)12".
template<auto value> consteval bool isEnumerator()
{
    const std::string_view spelt = __PRETTY_FUNCTION__;
    const char afterBrackets = spelt[spelt.rfind(')') + 1];
    return afterBrackets < '0' || afterBrackets > '9';
}

// Never defined: calling it in a constant expression is the compiler's error.
void enumNamesAreIncompleteOrOutOfOrder();

// Every enumerator once, from 0 on in the order of the enum, each with a name of its own; checked when it is compiled. Also for what
// else there is one of for each, such as a sentence.
template<typename Enum, std::size_t count>
consteval auto namesOf(const std::pair<Enum, std::string_view> (&pairs)[count])
{
    static_assert(!isEnumerator<static_cast<Enum>(count)>(), "an enumerator has no name");
    std::array<std::string_view, count> names;
    for (std::size_t i = 0; i < count; ++i) {
        names[i] = pairs[i].second;
        bool isGood = pairs[i].first == static_cast<Enum>(i) && !names[i].empty();
        for (std::size_t other = 0; other < i; ++other)
            isGood = isGood && names[other] != names[i];
        if (!isGood)
            enumNamesAreIncompleteOrOutOfOrder();
    }
    return names;
}

// Empty for a value that no enumerator has.
template<NamedEnum Enum> constexpr std::string_view enumName(Enum value)
{
    const auto place = static_cast<std::size_t>(value);
    return place < enumNames<Enum>.size() ? enumNames<Enum>[place] : std::string_view();
}

} // namespace glovebox
