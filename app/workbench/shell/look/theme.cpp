// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/shell/theme.h"

#include "iconengine.h"
#include "portal.h"
#include "roles.h"
#include "style.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QFontInfo>
#include <QPalette>
#include <QTimer>
#include <QWidget>

#include <cmath>

namespace glovebox {
namespace {

constexpr int basePixels = 13;
// A system font up to this size is taken for an ordinary desktop's default; a larger one is a wish for larger text.
constexpr int ordinarySystemPixels = 15;

bool isDark(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128;
}

QPalette paletteOf(const Theme &theme)
{
    const auto c = [&](Colour role) { return theme.colour(role); };
    QPalette palette;
    const std::pair<QPalette::ColorRole, Colour> roles[] = {
        {QPalette::Window, Colour::Window},
        {QPalette::WindowText, Colour::Text},
        {QPalette::Base, Colour::Panel},
        {QPalette::AlternateBase, Colour::Raised},
        {QPalette::Text, Colour::Text},
        {QPalette::Button, Colour::Raised},
        {QPalette::ButtonText, Colour::Text},
        {QPalette::BrightText, Colour::Bad},
        {QPalette::Highlight, Colour::AccentWash},
        {QPalette::HighlightedText, Colour::Text},
        {QPalette::Link, Colour::Accent},
        {QPalette::LinkVisited, Colour::Accent},
        {QPalette::PlaceholderText, Colour::Dim},
        {QPalette::ToolTipBase, Colour::Raised},
        {QPalette::ToolTipText, Colour::Text},
        {QPalette::Light, Colour::Raised},
        {QPalette::Midlight, Colour::Pressed},
        {QPalette::Mid, Colour::Line},
        {QPalette::Dark, Colour::Line},
        {QPalette::Shadow, Colour::Line},
    };
    for (const auto &[role, colour] : roles)
        palette.setColor(role, c(colour));
    QColor faded = c(Colour::Dim);
    faded.setAlphaF(0.6F);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, faded);
    return palette;
}

} // namespace

struct Theme::Private
{
    SchemeChoice choice = SchemeChoice::System;
    Scheme scheme = Scheme::Light;
    bool applied = false;
    bool applying = false;
    bool paletteIsDark = false; // the desktop's, by its window colour
    uint portalScheme = 0;
    uint portalContrast = 0;
    qreal textScale = 1.0;
    qreal systemTextScale = 1.0;
    QString uiFamily;
    QString codeFamily; // the person's; may be empty
    QString resolvedCodeFamily;
    QFont systemFont;
    Style *style = nullptr; // the application owns it
    Portal portal;

    Scheme wanted() const;
};

Scheme Theme::Private::wanted() const
{
    switch (choice) {
    case SchemeChoice::Light:
        return Scheme::Light;
    case SchemeChoice::Dark:
        return Scheme::Dark;
    case SchemeChoice::HighContrast:
        return Scheme::HighContrast;
    case SchemeChoice::System:
        break;
    }
    if (portalContrast == 1)
        return Scheme::HighContrast;
    if (portalScheme == 1 || portalScheme == 2) // the portal says what is meant; a palette only what is drawn
        return portalScheme == 1 ? Scheme::Dark : Scheme::Light;
    return paletteIsDark ? Scheme::Dark : Scheme::Light;
}

Theme::Theme(QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
    d->systemFont = QApplication::font();
    d->uiFamily = d->systemFont.family();
    d->systemTextScale = qMax(1.0, qreal(QFontInfo(d->systemFont).pixelSize()) / ordinarySystemPixels);
    d->paletteIsDark = isDark(QGuiApplication::palette());
    setCodeFamily({});

    d->style = new Style(*this);
    QApplication::setStyle(d->style);
    apply();
    qApp->installEventFilter(this);

    connect(&d->portal, &Portal::colorScheme, this, [this](uint value) {
        d->portalScheme = value;
        apply();
    });
    connect(&d->portal, &Portal::contrast, this, [this](uint value) {
        d->portalContrast = value;
        apply();
    });
    d->portal.start();
}

Theme::~Theme()
{
    qApp->removeEventFilter(this);
    // The style holds a reference to this object.
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setFont(d->systemFont);
}

Scheme Theme::scheme() const
{
    return d->scheme;
}

SchemeChoice Theme::choice() const
{
    return d->choice;
}

qreal Theme::textScale() const
{
    return d->textScale;
}

void Theme::setChoice(SchemeChoice choice)
{
    if (choice == d->choice)
        return;
    d->choice = choice;
    d->applied = false; // also where nothing looks different: who shows or keeps the choice is told
    apply();
}

void Theme::setTextScale(qreal scale)
{
    scale = qBound(0.75, scale, 3.0);
    if (qFuzzyCompare(scale, d->textScale))
        return;
    d->textScale = scale;
    d->applied = false;
    apply();
}

QString Theme::codeFamily() const
{
    return d->codeFamily;
}

void Theme::setCodeFamily(const QString &family)
{
    d->codeFamily = family;
    const QStringList known = QFontDatabase::families();
    const auto jetBrains = QStringLiteral("JetBrains Mono");
    if (!family.isEmpty() && known.contains(family))
        d->resolvedCodeFamily = family;
    else if (known.contains(jetBrains))
        d->resolvedCodeFamily = jetBrains;
    else
        d->resolvedCodeFamily = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    if (d->style) {
        d->applied = false;
        apply();
    }
}

QColor Theme::colour(Colour role) const
{
    return colour(d->scheme, role);
}

int Theme::scaled(int px) const
{
    return int(std::lround(px * d->textScale * d->systemTextScale));
}

int Theme::size(Size size) const
{
    if (size == Size::Rail) // holds icons only: it need not grow as much as text
        return qBound(int(size), scaled(int(size)), int(size) * 4 / 3);
    return scaled(int(size));
}

QFont Theme::font(FontRole role) const
{
    QFont font(role == FontRole::Code ? d->resolvedCodeFamily : d->uiFamily);
    int pixels = basePixels;
    switch (role) {
    case FontRole::Base:
        break;
    case FontRole::Code:
        font.setStyleHint(QFont::Monospace);
        font.setFixedPitch(true);
        break;
    case FontRole::Strong:
        font.setWeight(QFont::DemiBold);
        break;
    case FontRole::Small:
        pixels = 12;
        break;
    case FontRole::Title:
        pixels = 15;
        font.setWeight(QFont::DemiBold);
        break;
    }
    font.setPixelSize(scaled(pixels));
    return font;
}

QIcon Theme::icon(Icon icon, Colour role) const
{
    return icon == Icon::None ? QIcon() : QIcon(new IconEngine(this, icon, role));
}

void Theme::apply()
{
    const Scheme scheme = d->wanted();
    if (d->applied && scheme == d->scheme)
        return;
    d->scheme = scheme;
    d->applied = true;
    d->applying = true;
    QApplication::setPalette(paletteOf(*this));
    QApplication::setFont(font(FontRole::Base));
    const QWidgetList widgets = QApplication::allWidgets();
    for (QWidget *widget : widgets) {
        d->style->applyRoles(widget);
        widget->updateGeometry();
        widget->update();
    }
    d->applying = false;
    Q_EMIT changed();
}

// The desktop tells of a new palette in two ways: by a new theme, under which the application's palette hides the platform's,
// or by setting the application's palette itself.
bool Theme::eventFilter(QObject *watched, QEvent *event)
{
    if (d->applying || (event->type() != QEvent::ThemeChange && event->type() != QEvent::ApplicationPaletteChange))
        return false;
    if (event->type() == QEvent::ApplicationPaletteChange && watched != qApp)
        return false;
    if (event->type() == QEvent::ThemeChange) {
        d->applying = true;
        QApplication::setPalette(QPalette()); // uncovers the platform's
        d->applying = false;
    } else if (QGuiApplication::palette().color(QPalette::Window) == colour(Colour::Window)) {
        return false; // our own
    }
    d->paletteIsDark = isDark(QGuiApplication::palette());
    d->applied = false;
    // Not in the middle of Qt's own round through the windows.
    QTimer::singleShot(0, this, &Theme::apply);
    return false;
}

} // namespace glovebox
