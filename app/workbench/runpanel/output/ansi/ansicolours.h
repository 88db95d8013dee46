// SPDX-License-Identifier: Apache-2.0
// What a program's colours look like in the scheme that is in force: its sixteen names are our tokens, and whatever it
// asks for stays readable.
#pragma once

#include "ansiparser.h"

#include "app/workbench/shell/theme.h"

namespace glovebox {

struct PaintedStyle
{
    QColor foreground;
    QColor background; // invalid: the view's own
};

// Contrast of two colours by WCAG 2.1: 1 to 21.
double contrastOf(const QColor &a, const QColor &b);

// plain: the colour of text that has none of its own. Text and background that are too close (4.5 : 1) are moved apart,
// so that nothing can be printed in the colour of the paper.
PaintedStyle paintedStyle(const TextStyle &style, const QColor &plain, const Theme &theme);

} // namespace glovebox
