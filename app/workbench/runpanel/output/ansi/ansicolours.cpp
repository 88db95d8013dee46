// SPDX-License-Identifier: Apache-2.0
#include "ansicolours.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace glovebox {

namespace {

// Black, red, green, yellow, blue, magenta, cyan, white: by what our tokens mean.
constexpr Colour named[8] = {Colour::Dim,  Colour::Bad,         Colour::Ok,     Colour::Warn,
                             Colour::Info, Colour::CodeKeyword, Colour::Accent, Colour::Text};

QColor colourOf(quint32 value, const Theme &theme)
{
    if (value > 256)
        return QColor::fromRgb(QRgb(value));
    const int index = int(value) - 1;
    if (index < 16)
        return theme.colour(named[index % 8]);
    if (index < 232) { // a cube of 6 x 6 x 6
        const auto level = [](int step) { return step == 0 ? 0 : 55 + 40 * step; };
        return QColor(level((index - 16) / 36), level((index - 16) / 6 % 6), level((index - 16) % 6));
    }
    const int grey = 8 + 10 * (index - 232);
    return QColor(grey, grey, grey);
}

double luminance(const QColor &colour)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

QColor mixed(const QColor &a, const QColor &b, float share)
{
    const auto mix = [share](float x, float y) { return x + (y - x) * share; };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

QColor readable(const QColor &text, const QColor &paper)
{
    constexpr double enough = 4.5;
    if (contrastOf(text, paper) >= enough)
        return text;
    const QColor far =
        contrastOf(Qt::white, paper) > contrastOf(Qt::black, paper) ? QColor(Qt::white) : QColor(Qt::black);
    for (int fifths = 1; fifths < 5; ++fifths) {
        if (const QColor moved = mixed(text, far, float(fifths) / 5); contrastOf(moved, paper) >= enough)
            return moved;
    }
    return far;
}

} // namespace

double contrastOf(const QColor &a, const QColor &b)
{
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
}

PaintedStyle paintedStyle(const TextStyle &style, const QColor &plain, const Theme &theme)
{
    const QColor paper = theme.colour(Colour::Panel);
    if (style == TextStyle{})
        return {plain, {}};
    PaintedStyle painted;
    painted.foreground = style.foreground != 0 ? colourOf(style.foreground, theme) : plain;
    if (style.background != 0)
        painted.background = colourOf(style.background, theme);
    if (style.attributes & TextStyle::Inverse) {
        const QColor background = painted.background.isValid() ? painted.background : paper;
        painted.background = std::exchange(painted.foreground, background);
    }
    if ((style.attributes & TextStyle::Escaped) || ((style.attributes & TextStyle::Dim) && style.foreground == 0))
        painted.foreground = theme.colour(Colour::Dim);
    painted.foreground = readable(painted.foreground, painted.background.isValid() ? painted.background : paper);
    return painted;
}

} // namespace glovebox
