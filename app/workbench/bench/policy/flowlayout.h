// SPDX-License-Identifier: Apache-2.0
// Lays widgets out like the words of a sentence: in lines that break where the width ends, from the side where reading
// begins.
#pragma once

#include <QHash>
#include <QLayout>

namespace glovebox {

class FlowLayout : public QLayout
{
public:
    explicit FlowLayout(QWidget *parent);
    ~FlowLayout() override;

    void addItem(QLayoutItem *item) override { m_items.append(item); }
    // Stays with the widget before it, over whose edge it is moved by overlap px: a comma behind a word.
    void addJoined(QWidget *widget, int overlap);
    // Of this width or a greater one is one line enough, as who owns the widgets hides what doesn't fit. 0: nobody does.
    void setOneLineFrom(int width) { m_oneLineFrom = width; }
    int count() const override { return int(m_items.size()); }
    QLayoutItem *itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem *takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override
    {
        return m_oneLineFrom > 0 && width >= m_oneLineFrom ? sizeHint().height() : place(QRect(0, 0, width, 0), false);
    }
    QSize sizeHint() const override; // of one line
    QSize minimumSize() const override;
    void setGeometry(const QRect &rect) override;

private:
    struct Group; // widgets that stay together

    QList<Group> groups() const;
    int place(const QRect &rect, bool really) const;

    QList<QLayoutItem *> m_items;
    QHash<const QWidget *, int> m_overlaps;
    int m_oneLineFrom = 0;
};

} // namespace glovebox
