// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/shell/theme.h"

#include "iconengine.h"
#include "portal.h"
#include "roles.h"
#include "style.h"

#include <QApplication>
#include <QComboBox>
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

Scheme Theme::wanted() const
{
    switch (m_choice) {
    case SchemeChoice::Light:
        return Scheme::Light;
    case SchemeChoice::Dark:
        return Scheme::Dark;
    case SchemeChoice::HighContrast:
        return Scheme::HighContrast;
    case SchemeChoice::System:
        break;
    }
    if (m_portalContrast == 1)
        return Scheme::HighContrast;
    if (m_portalScheme == 1 || m_portalScheme == 2) // the portal says what is meant; a palette only what is drawn
        return m_portalScheme == 1 ? Scheme::Dark : Scheme::Light;
    return m_paletteIsDark ? Scheme::Dark : Scheme::Light;
}

Theme::Theme(QObject *parent)
    : QObject(parent)
    , m_systemFont(QApplication::font())
    , m_uiFamily(m_systemFont.family())
    , m_portal(std::make_unique<Portal>())
{
    m_systemTextScale = qMax(1.0, qreal(QFontInfo(m_systemFont).pixelSize()) / ordinarySystemPixels);
    m_paletteIsDark = isDark(QGuiApplication::palette());
    setCodeFamily({});

    m_style = new Style(*this);
    QApplication::setStyle(m_style);
    apply();
    qApp->installEventFilter(this);

    connect(m_portal.get(), &Portal::colorScheme, this, [this](uint value) {
        m_portalScheme = value;
        apply();
    });
    connect(m_portal.get(), &Portal::contrast, this, [this](uint value) {
        m_portalContrast = value;
        apply();
    });
    m_portal->start();
}

Theme::~Theme()
{
    qApp->removeEventFilter(this);
    // The style holds a reference to this object.
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setFont(m_systemFont);
}

void Theme::setChoice(SchemeChoice choice)
{
    if (choice == m_choice)
        return;
    m_choice = choice;
    m_applied = false; // also where nothing looks different: who shows or keeps the choice is told
    apply();
}

void Theme::setTextScale(qreal scale)
{
    scale = qBound(0.75, scale, 3.0);
    if (qFuzzyCompare(scale, m_textScale))
        return;
    m_textScale = scale;
    m_applied = false;
    apply();
}

void Theme::setCodeFamily(const QString &family)
{
    m_codeFamily = family;
    const QStringList known = QFontDatabase::families();
    const auto jetBrains = QStringLiteral("JetBrains Mono");
    if (!family.isEmpty() && known.contains(family))
        m_resolvedCodeFamily = family;
    else if (known.contains(jetBrains))
        m_resolvedCodeFamily = jetBrains;
    else
        m_resolvedCodeFamily = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    if (m_style) {
        m_applied = false;
        apply();
    }
}

int Theme::scaled(int px) const
{
    return int(std::lround(px * m_textScale * m_systemTextScale));
}

int Theme::size(Size size) const
{
    if (size == Size::Rail) // holds icons only: it need not grow as much as text
        return qBound(int(size), scaled(int(size)), int(size) * 4 / 3);
    return scaled(int(size));
}

QFont Theme::font(FontRole role) const
{
    QFont font(role == FontRole::Code ? m_resolvedCodeFamily : m_uiFamily);
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
    const Scheme scheme = wanted();
    if (m_applied && scheme == m_scheme)
        return;
    m_scheme = scheme;
    m_applied = true;
    m_applying = true;
    QApplication::setPalette(paletteOf(*this));
    QApplication::setFont(font(FontRole::Base));
    const QWidgetList widgets = QApplication::allWidgets();
    for (QWidget *widget : widgets) {
        m_style->applyRoles(widget);
        if (qobject_cast<QComboBox *>(widget)) { // keeps its smallest size when only its font is another
            QEvent styleChange(QEvent::StyleChange);
            QCoreApplication::sendEvent(widget, &styleChange);
        }
        widget->updateGeometry();
        widget->update();
    }
    m_applying = false;
    Q_EMIT changed();
}

// The desktop tells of a new palette in two ways: by a new theme, under which the application's palette hides the platform's,
// or by setting the application's palette itself.
bool Theme::eventFilter(QObject *watched, QEvent *event)
{
    if (m_applying || (event->type() != QEvent::ThemeChange && event->type() != QEvent::ApplicationPaletteChange))
        return false;
    if (event->type() == QEvent::ApplicationPaletteChange && watched != qApp)
        return false;
    if (event->type() == QEvent::ThemeChange) {
        m_applying = true;
        QApplication::setPalette(QPalette()); // uncovers the platform's
        m_applying = false;
    } else if (QGuiApplication::palette().color(QPalette::Window) == colour(Colour::Window)) {
        return false; // our own
    }
    m_paletteIsDark = isDark(QGuiApplication::palette());
    m_applied = false;
    // Not in the middle of Qt's own round through the windows.
    QTimer::singleShot(0, this, &Theme::apply);
    return false;
}

} // namespace glovebox
