// SPDX-License-Identifier: Apache-2.0
// The dynamic properties under which a widget's roles are noted.
#pragma once

namespace glovebox::roles {

constexpr auto look = "gloveboxLook";
constexpr auto text = "gloveboxText";
constexpr auto background = "gloveboxBackground";
constexpr auto font = "gloveboxFont";
constexpr auto data = "gloveboxData";

} // namespace glovebox::roles
