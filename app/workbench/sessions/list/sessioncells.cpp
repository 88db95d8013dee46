// SPDX-License-Identifier: Apache-2.0
#include "sessioncells.h"

#include "sessionsmodel.h"

#include <algorithm>

namespace glovebox {

namespace {

constexpr int barHeight = 4;

} // namespace

void SessionCells::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    option.widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
    const QRect room = option.rect.adjusted(Space::s, Space::s, -Space::s, -Space::s);
    const QLocale locale;
    const QString first = displayText(index.data(), locale);
    const QString second = displayText(index.data(SessionsModel::SecondLine), locale);
    const QVariant share = index.data(SessionsModel::Share);
    const auto font = index.data(Qt::FontRole).value<QFont>();
    const QFont small = m_theme.font(FontRole::Small);
    const QFontMetrics metrics(font);
    const QFontMetrics smallMetrics(small);
    const Qt::Alignment alignment = QStyle::visualAlignment(option.direction, Qt::AlignLeft | Qt::AlignVCenter);
    const bool hasSecond = !second.isEmpty() || share.isValid();
    const int below = second.isEmpty() ? barHeight + Space::s : smallMetrics.height();
    const int height = metrics.height() + (hasSecond ? below : 0);
    QRect line(room.left(), room.center().y() - height / 2, room.width(), metrics.height());
    painter->save();
    painter->setFont(font);
    painter->setPen(index.data(Qt::ForegroundRole).value<QColor>());
    painter->drawText(line, int(alignment), metrics.elidedText(first, Qt::ElideRight, room.width()));
    line.moveTop(line.bottom() + 1);
    line.setHeight(smallMetrics.height());
    if (!second.isEmpty()) {
        painter->setFont(small);
        painter->setPen(m_theme.colour(Colour(index.data(SessionsModel::SecondColour).toInt())));
        painter->drawText(line, int(alignment), smallMetrics.elidedText(second, Qt::ElideRight, room.width()));
    } else if (share.isValid()) {
        QRect bar(room.left(), line.top() + Space::xs, room.width(), barHeight);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_theme.colour(Colour::Line));
        painter->drawRoundedRect(bar, 2, 2);
        const int filled = std::max(share.toDouble() > 0 ? 2 : 0, int(share.toDouble() * bar.width()));
        bar = QStyle::visualRect(option.direction, bar, QRect(bar.left(), bar.top(), filled, bar.height()));
        painter->setBrush(m_theme.colour(Colour(index.data(SessionsModel::ShareColour).toInt())));
        painter->drawRoundedRect(bar, 2, 2);
    }
    painter->restore();
}

QSize SessionCells::sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const
{
    const QFontMetrics metrics(index.data(Qt::FontRole).value<QFont>());
    const QFontMetrics small(m_theme.font(FontRole::Small));
    const int width = std::max(metrics.horizontalAdvance(index.data().toString()),
                               small.horizontalAdvance(index.data(SessionsModel::SecondLine).toString()));
    return {width + 2 * Space::m, metrics.height() + small.height() + 2 * Space::s};
}

} // namespace glovebox
