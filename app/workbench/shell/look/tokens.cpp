// SPDX-License-Identifier: Apache-2.0
// The values of all colours. All text pairs hold a contrast of 4.5, high contrast 7.0, and what else must be seen 3.0 (tst_tokens
// computes it).
#include "app/workbench/shell/theme.h"

#include <array>

namespace glovebox {
namespace {

struct Token
{
    Colour role;
    QRgb light, dark, highContrast;
};

constexpr std::array<Token, colourCount> tokens{{
    {Colour::Window, 0xfff3f5f7, 0xff14171b, 0xff000000},
    {Colour::Panel, 0xffffffff, 0xff1a1e23, 0xff000000},
    {Colour::Raised, 0xfff7f8fa, 0xff22272e, 0xff0c0e11},
    {Colour::Pressed, 0xffe9edf1, 0xff2b313a, 0xff23282f},
    {Colour::Line, 0xffd8dee6, 0xff303741, 0xff8c96a3},
    {Colour::Edge, 0xff7f8997, 0xff6f7a89, 0xff8c96a3},
    {Colour::Text, 0xff1a1f27, 0xffe7eaee, 0xffffffff},
    {Colour::Dim, 0xff5a6472, 0xff9aa4b1, 0xffcdd4dd},
    {Colour::Accent, 0xff0a7166, 0xff35b8a6, 0xff4fe3cf},
    {Colour::OnAccent, 0xffffffff, 0xff06231f, 0xff00110e},
    {Colour::AccentWash, 0xffddf2ef, 0xff103a35, 0xff00352f},
    {Colour::Ok, 0xff1a7344, 0xff58bd85, 0xff7be8a8},
    {Colour::Warn, 0xff8a5900, 0xffe3ad45, 0xffffd166},
    {Colour::Bad, 0xffb83428, 0xfff58273, 0xffffb0a5},
    {Colour::Info, 0xff1f66c1, 0xff74adf0, 0xff9cc8ff},
    {Colour::CurrentLine, 0xfff5f7f9, 0xff20252b, 0xff15191e},
    {Colour::CodeComment, 0xff5f6a78, 0xff98a3b0, 0xffb9c2cd},
    {Colour::CodeKeyword, 0xff8a2da5, 0xffc58fe8, 0xffe0b3ff},
    {Colour::CodeString, 0xff2a7230, 0xff9ccf8f, 0xffb5e8a8},
    {Colour::CodeNumber, 0xff8a5900, 0xffe3ad45, 0xffffd166},
    {Colour::CodeFunction, 0xff1f66c1, 0xff7fb0f0, 0xff9cc8ff},
}};

consteval bool inOrder()
{
    for (int i = 0; i < colourCount; ++i) {
        if (int(tokens[i].role) != i)
            return false;
    }
    return true;
}
static_assert(inOrder(), "the table is indexed by role");

} // namespace

QColor Theme::colour(Scheme scheme, Colour role)
{
    const Token &token = tokens[int(role)];
    switch (scheme) {
    case Scheme::Light:
        return QColor::fromRgb(token.light);
    case Scheme::Dark:
        return QColor::fromRgb(token.dark);
    case Scheme::HighContrast:
        break;
    }
    return QColor::fromRgb(token.highContrast);
}

QColor Theme::wash(Scheme scheme, Colour tone, Wash wash)
{
    const float share = wash == Wash::Line ? 0.12F : 0.24F;
    const QColor top = colour(scheme, tone), ground = colour(scheme, Colour::Panel);
    const auto mixed = [share](float a, float b) { return b + (a - b) * share; };
    return QColor::fromRgbF(mixed(top.redF(), ground.redF()), mixed(top.greenF(), ground.greenF()),
                            mixed(top.blueF(), ground.blueF()));
}

QString Theme::codeThemeName(Scheme scheme)
{
    switch (scheme) {
    case Scheme::Light:
        return QStringLiteral("Glovebox Light");
    case Scheme::Dark:
        return QStringLiteral("Glovebox Dark");
    case Scheme::HighContrast:
        break;
    }
    return QStringLiteral("Glovebox High Contrast");
}

} // namespace glovebox
