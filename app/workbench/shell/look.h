// SPDX-License-Identifier: Apache-2.0
// What a widget takes from the theme beyond the palette, by role. Set once; the style follows every switch.
#pragma once

#include "theme.h"

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QToolButton>

class QPlainTextEdit;
class QScrollArea;

namespace glovebox {

enum class ButtonLook {
    Normal, // raised, with a line
    Primary, // accent: one a page
    Quiet, // text or icon only until hovered; checked: pressed pill
    Rail, // 40 x 40 in the side rail; checked: accent wash
    Link, // underlined, accent
    Word, // a word of a sentence with a dashed underline that opens something
    InStatusBar, // text in the status bar that can be clicked
    Badge, // accent wash with strong text: "Sealed, 14 of 14 verified"
};
void setLook(QAbstractButton *button, ButtonLook look);
ButtonLook lookOf(const QWidget *button);

enum class TabLook {
    Document, // 36 px strip, accent line above the current one; modified: give the tab theme.icon(Icon::Dot, Colour::Accent)
    Pill, // quiet words, the current one on a pressed pill
};
void setLook(QTabBar *bar, TabLook look);
TabLook lookOf(const QTabBar *bar);

// Text, background and font by role. For buttons of look Badge the text colour tells the tone (Ok, Warn, Bad, Accent).
void setTextColour(QWidget *widget, Colour role);
void setBackground(QWidget *widget, Colour role);
void setFontRole(QWidget *widget, FontRole role);

// An icon that is no button. Says nothing to screen readers: a word stands next to it.
class IconView : public QWidget
{
    Q_OBJECT
public:
    IconView(const Theme &theme, Icon icon, Colour colour, QWidget *parent = nullptr);
    void set(Icon icon, Colour colour);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Theme &m_theme;
    QIcon m_icon;
};

// What it shows is data, not words: a path, a version, what a program said. It is not translated (the pseudo-locale test
// passes it by) and runs left to right, at the leading edge, also where the rest is mirrored.
void markAsData(QLabel *label);

// A 1 px rule, and a label of plain text that wraps and can be selected. Links are buttons of look Link.
QFrame *makeRule(Qt::Orientation orientation, QWidget *parent = nullptr);
QLabel *makeLabel(const QString &text, QWidget *parent = nullptr, FontRole font = FontRole::Base,
                  Colour colour = Colour::Text);

// The coloured leading edge of a line that asks or warns.
QWidget *makeStripe(Colour colour, QWidget *parent);

// Shows the label with this text; without a text the label is hidden.
void showText(QLabel *label, const QString &text);

// A button of words. accessibleName: for those who don't see what stands around the button; empty: the text.
QPushButton *makeButton(const QString &text, const QString &objectName, QWidget *parent,
                        const QString &accessibleName = {});
// A quiet button of few words; the description is tool tip and accessible name.
QToolButton *makeToolButton(const QString &text, const QString &objectName, const QString &description,
                            QWidget *parent);
// A quiet button without words. toolTip: empty: the accessible name.
QToolButton *makeIconButton(const QIcon &icon, const QString &objectName, const QString &accessibleName,
                            QWidget *parent, const QString &toolTip = {});

// A button with its names: text (or tool tip, for icon-only ones), accessible name and object name ("bench.stop").
void setNames(QWidget *widget, const QString &objectName, const QString &accessibleName, const QString &toolTip = {});

// The layout of a widget, without margins unless they are given. In pixels.
QVBoxLayout *columnIn(QWidget *widget, int spacing, const QMargins &margins = {});
QHBoxLayout *rowIn(QWidget *widget, int spacing, const QMargins &margins = {});
// Lines of a page of sentences and fields are no longer than people read them, at any size of text.
void keepReadable(QWidget *body, Theme &theme);
// The area has no frame, scrolls up and down only, and shows a ring while the keyboard scrolls it.
void scrollDownOnly(QScrollArea *area, Colour background);
// The placeholder of an empty edit in which code is read, for its paintEvent(): Qt's own goes to the other side, and its full stop with it,
// where the window is mirrored. hideOwnPlaceholder() keeps Qt's away.
void paintPlaceholder(const QPlainTextEdit &edit, const QColor &colour);
void hideOwnPlaceholder(QWidget *edit);
// Takes everything out of the layout. Its widgets go when the event loop is back: a button may have been clicked just now.
void clearLayout(QLayout *layout);

} // namespace glovebox
