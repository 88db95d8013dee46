// SPDX-License-Identifier: Apache-2.0
// The one set of icons: resources/icons/<name>.svg, 20 px grid, 1.6 px strokes with round ends, in currentColor.
#pragma once

#include <QString>

namespace glovebox {

enum class Icon {
    None,
    Bench,
    History,
    Doctor,
    Vault,
    Settings,
    Run,
    Stop,
    Search,
    Close,
    Add,
    Warning,
    Shield,
    Check,
    Failed,
    Info,
    Filter,
    Wrap,
    Copy,
    Save,
    Open,
    Clear,
    Refresh,
    More,
    Dot, // filled: an unsaved tab, a state
    ChevronUp,
    ChevronDown,
    ChevronLeft, // not mirrored: who means "back" picks by layout direction
    ChevronRight,
    Agents,
    Menu,
    Pin,
    Sessions,
    File,
};
constexpr int iconCount = int(Icon::File) + 1;

QString iconName(Icon icon); // "chevron-up"; empty for None

} // namespace glovebox
