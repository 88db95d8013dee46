// SPDX-License-Identifier: Apache-2.0
// What palettes can't say: Fusion with our corners, lines, focus ring, tabs and scroll bars.
#pragma once

#include "app/workbench/shell/look.h"

#include <QProxyStyle>

namespace glovebox {

class Style : public QProxyStyle
{
    Q_OBJECT
public:
    explicit Style(const Theme &theme);

    // Applies what setTextColour(), setBackground() and setFontRole() noted on the widget.
    void applyRoles(QWidget *widget) const;

    using QProxyStyle::polish;
    void polish(QWidget *widget) override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl sub,
                         const QWidget *widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &contents,
                           const QWidget *widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returnData) const override;

private:
    void drawButtonBack(const QStyleOption *option, QPainter *painter, const QWidget *widget) const;
    void drawButtonLabel(const QStyleOption *option, const QString &given, const QIcon &icon, const QSize &iconSize,
                         bool hasMenu, QPainter *painter, const QWidget *widget) const;
    void drawTab(const QStyleOption *option, QPainter *painter, const QTabBar *bar) const;
    void drawTabLabel(const QStyleOption *option, QPainter *painter, const QTabBar *bar) const;
    void drawField(const QStyleOption *option, QPainter *painter) const;
    void drawFrame(const QStyleOption *option, QPainter *painter, const QWidget *widget) const;
    void drawCheck(const QStyleOption *option, QPainter *painter, bool round) const;
    void drawScrollBar(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const;
    void drawComboBox(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const;
    void drawSpinBox(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const;
    void drawRing(const QRect &rect, QPainter *painter, qreal radius) const;
    void drawBox(const QRect &rect, QPainter *painter, const QColor &fill, const QColor &line, qreal radius) const;
    void drawArrow(Icon icon, const QRect &rect, QPainter *painter, bool enabled) const;
    QColor colour(Colour role) const { return m_theme.colour(role); }
    QColor toneOf(const QWidget *widget, Colour otherwise) const;

    const Theme &m_theme;
};

} // namespace glovebox
