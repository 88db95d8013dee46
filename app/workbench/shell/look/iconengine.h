// SPDX-License-Identifier: Apache-2.0
// Draws one of our own icons in the theme's colour of the moment, at any size and pixel ratio.
#pragma once

#include "app/workbench/shell/theme.h"

#include <QIconEngine>
#include <QPointer>

namespace glovebox {

class IconEngine : public QIconEngine
{
public:
    IconEngine(const Theme *theme, Icon icon, Colour role);

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override;
    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
    QSize actualSize(const QSize &size, QIcon::Mode, QIcon::State) override { return size; }
    QIconEngine *clone() const override { return new IconEngine(*this); }
    bool isNull() override { return m_icon == Icon::None; }

private:
    QColor colour(QIcon::Mode mode, QIcon::State state) const;

    QPointer<const Theme> m_theme;
    Icon m_icon;
    Colour m_role;
};

// The icon's SVG from the bundled resources with currentColor replaced; empty when it is missing.
QByteArray iconSource(Icon icon, const QColor &colour);

} // namespace glovebox
