// SPDX-License-Identifier: Apache-2.0
#include "pictureview.h"

#include "app/workbench/shell/look.h"

#include <QPainter>
#include <QStyle>

namespace glovebox {

PictureView::PictureView(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setMinimumSize(Space::xl, Space::xl);
}

void PictureView::setPicture(const QImage &picture)
{
    m_picture = picture;
    m_scaled = QPixmap();
    update();
}

void PictureView::paintEvent(QPaintEvent *)
{
    const QRect room = rect().adjusted(Space::m, Space::s, -Space::m, -Space::m);
    if (m_picture.isNull() || room.isEmpty())
        return;
    const qreal ratio = devicePixelRatioF();
    QSize size = m_picture.size();
    if (const QSize most = room.size() * ratio; size.boundedTo(most) != size)
        size = size.scaled(most, Qt::KeepAspectRatio).expandedTo({1, 1});
    if (m_scaled.size() != size || m_scaled.devicePixelRatio() != ratio) {
        m_scaled = QPixmap::fromImage(m_picture.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
        m_scaled.setDevicePixelRatio(ratio);
    }
    const QSize shown = (QSizeF(size) / ratio).toSize().expandedTo({1, 1});
    const QRect place = QStyle::alignedRect(layoutDirection(), Qt::AlignLeft | Qt::AlignTop, shown, room);
    QPainter painter(this);
    if (m_scaled.hasAlpha()) {
        QPixmap squares(2 * Space::s, 2 * Space::s);
        squares.fill(m_theme.colour(Colour::Raised));
        QPainter squarePainter(&squares);
        squarePainter.fillRect(0, 0, Space::s, Space::s, m_theme.colour(Colour::Pressed));
        squarePainter.fillRect(Space::s, Space::s, Space::s, Space::s, m_theme.colour(Colour::Pressed));
        squarePainter.end();
        painter.drawTiledPixmap(place, squares);
    }
    painter.drawPixmap(place, m_scaled);
}

} // namespace glovebox
