// SPDX-License-Identifier: Apache-2.0
#include "flowlayout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace glovebox {

FlowLayout::FlowLayout(QWidget *parent)
    : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setSpacing(0);
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

void FlowLayout::addJoined(QWidget *widget, int overlap)
{
    m_overlaps.insert(widget, overlap);
    addWidget(widget);
}

struct FlowLayout::Group
{
    struct Member
    {
        QLayoutItem *item;
        QRect place; // in the group
    };
    QList<Member> members;
    QSize size;
};

QList<FlowLayout::Group> FlowLayout::groups() const
{
    QList<Group> groups;
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        const int overlap = m_overlaps.value(item->widget(), -1);
        if (overlap < 0 || groups.isEmpty())
            groups.append(Group());
        Group &group = groups.last();
        const QSize size = item->sizeHint();
        const int left = group.size.width() - std::max(overlap, 0);
        group.members.append({item, QRect(QPoint(std::max(left, 0), 0), size)});
        group.size = QSize(std::max(left, 0) + size.width(), std::max(group.size.height(), size.height()));
    }
    return groups;
}

QSize FlowLayout::sizeHint() const
{
    QSize size;
    for (const Group &group : groups())
        size = QSize(size.width() + group.size.width(), std::max(size.height(), group.size.height()));
    return size;
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size;
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    const int height = place(rect, false);
    place(rect.adjusted(0, std::max(0, (rect.height() - height) / 2), 0, 0), true);
}

int FlowLayout::place(const QRect &rect, bool really) const
{
    const Qt::LayoutDirection direction = parentWidget() ? parentWidget()->layoutDirection() : Qt::LeftToRight;
    int x = rect.left(), y = rect.top(), height = 0;
    QList<Group> row;
    const auto endRow = [&] {
        int left = rect.left();
        for (const Group &group : std::exchange(row, {})) {
            for (const Group::Member &member : group.members) {
                const QPoint at(left + member.place.x(), y + (height - member.place.height()) / 2);
                if (really)
                    member.item->setGeometry(QStyle::visualRect(direction, rect, QRect(at, member.place.size())));
            }
            left += group.size.width();
        }
        x = rect.left();
        y += height;
        height = 0;
    };
    for (const Group &group : groups()) {
        if (x + group.size.width() > rect.right() + 1 && !row.isEmpty())
            endRow();
        row.append(group);
        x += group.size.width();
        height = std::max(height, group.size.height());
    }
    endRow();
    return y - rect.top();
}

} // namespace glovebox
