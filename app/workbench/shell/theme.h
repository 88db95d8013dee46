// SPDX-License-Identifier: Apache-2.0
// The look's tokens by role: colours, spaces, sizes and fonts, in the scheme that is in force now. Nothing else names one.
#pragma once

#include "icons.h"

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>

#include <memory>

namespace glovebox {

class Portal;
class Style;

enum class Scheme { Light, Dark, HighContrast };
enum class SchemeChoice { System, Light, Dark, HighContrast }; // what the person chose; System follows the desktop live

// What a colour means. Values: tokens.cpp.
enum class Colour {
    Window, // rail, strips, status bar
    Panel, // editor, output, pages
    Raised, // buttons, sheets, popups, details panes
    Pressed, // selected pill, pressed button, hover
    Line, // 1 px rules
    Edge, // of what is typed in, and scroll bars: to be seen, as nothing else shows where they are
    Text,
    Dim, // secondary text, line numbers
    Accent, // sealed, main action, focus ring
    OnAccent, // text on Accent
    AccentWash, // selected row, badge; text on it: Text or Accent
    Ok, // verified, fine
    Warn, // degraded, denied, needs a look
    Bad, // failed
    Info, // links in output
    CurrentLine, // of the editor, on Panel
    CodeComment,
    CodeKeyword,
    CodeString,
    CodeNumber,
    CodeFunction,
};
constexpr int colourCount = int(Colour::CodeFunction) + 1;

enum class FontRole {
    Base, // the system's family, 13 px
    Strong, // Base, demi-bold
    Small, // 12 px: status bar, badges
    Title, // 15 px, demi-bold
    Code, // the person's fixed font, else JetBrains Mono, else the system's fixed font; 13 px
};

// Spaces and corners don't grow with the text.
struct Space
{
    static constexpr int xs = 4, s = 8, m = 12, l = 16, xl = 24;
    static constexpr int radius = 6, dialogRadius = 10, line = 1, focusRing = 2;
};

// Heights (and the rail's width) at 13 px text; Theme::size() grows them with the text.
enum class Size {
    Rail = 56,
    TabStrip = 36,
    PolicyBar = 48,
    StatusBar = 26,
    Control = 30,
    Row = 35,
    Icon = 20,
    SmallIcon = 16
};

// Behind an added or removed line, 12 % of its tone; behind the words of it that are different, 24 %.
enum class Wash { Line, Word };

// Lives on the GUI thread. Sets the application's style, palette and font; widgets repaint by themselves. Who caches a
// colour or a font listens to changed().
class Theme : public QObject
{
    Q_OBJECT
public:
    explicit Theme(QObject *parent = nullptr);
    ~Theme() override;

    Scheme scheme() const { return m_scheme; }
    SchemeChoice choice() const { return m_choice; }
    void setChoice(SchemeChoice choice);

    QColor colour(Colour role) const { return colour(m_scheme, role); }
    static QColor colour(Scheme scheme, Colour role);
    // A tone over Panel.
    QColor wash(Colour tone, Wash wash = Wash::Line) const { return Theme::wash(m_scheme, tone, wash); }
    static QColor wash(Scheme scheme, Colour tone, Wash wash = Wash::Line);
    QFont font(FontRole role) const;
    // The KSyntaxHighlighting theme made from the same tokens, in resources at its search path: "Glovebox Dark".
    static QString codeThemeName(Scheme scheme);
    int size(Size size) const; // px, grown with the text
    int scaled(int px) const; // any other length that must grow with the text

    // Drawn at the asked size and pixel ratio in the colour that the role has when it is painted: valid across switches.
    // Disabled: Dim. Checked or selected: Accent, unless the role is another than Text or Dim.
    QIcon icon(Icon icon, Colour role = Colour::Text) const;

    // 1.0 is the base of 13 px; kept within 0.75 and 3. UI and code grow together.
    qreal textScale() const { return m_textScale; }
    void setTextScale(qreal scale);

    // The fixed font that the person chose; empty: the default order.
    QString codeFamily() const { return m_codeFamily; }
    void setCodeFamily(const QString &family);

Q_SIGNALS:
    void changed(); // after style, palette and fonts are in force

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void apply();
    Scheme wanted() const;

    SchemeChoice m_choice = SchemeChoice::System;
    Scheme m_scheme = Scheme::Light;
    bool m_applied = false;
    bool m_applying = false;
    bool m_paletteIsDark = false; // the desktop's, by its window colour
    uint m_portalScheme = 0;
    uint m_portalContrast = 0;
    qreal m_textScale = 1.0;
    qreal m_systemTextScale = 1.0;
    QFont m_systemFont;
    QString m_uiFamily;
    QString m_codeFamily; // the person's; may be empty
    QString m_resolvedCodeFamily;
    Style *m_style = nullptr; // the application owns it
    std::unique_ptr<Portal> m_portal;
};

} // namespace glovebox
