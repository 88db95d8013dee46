// SPDX-License-Identifier: Apache-2.0
// Draws the rows of sessions: two lines, and a bar where a disk is filled.
#pragma once

#include "app/workbench/shell/look/paddedcells.h"

namespace glovebox {

class SessionCells : public PaddedCells
{
    Q_OBJECT
public:
    SessionCells(const Theme &theme, QObject *parent)
        : PaddedCells(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    const Theme &m_theme;
};

} // namespace glovebox
