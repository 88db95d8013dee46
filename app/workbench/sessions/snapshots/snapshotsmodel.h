// SPDX-License-Identifier: Apache-2.0
// The states that a session was in, newest first.
#pragma once

#include "app/workbench/sessions/list/sessionstock.h"
#include "app/workbench/shell/look/paddedcells.h"
#include "app/workbench/shell/look/tablemodel.h"

namespace glovebox {

struct ShownSnapshot
{
    Snapshot snapshot;
    bool isNow = false;
    QString runner; // "by Codex": where the run that left it came from; empty: not known, or no run

    bool operator==(const ShownSnapshot &) const = default;
};

class SnapshotsModel : public TableModel<ShownSnapshot>
{
    Q_OBJECT
public:
    enum Column { Time, Cause, Changes };
    enum Role { Counts = Qt::UserRole }; // QVariantList of added, changed, removed; only of the column Changes

    explicit SnapshotsModel(const Theme &theme);

    void setSession(const ShownSession &shown);
    int rowOf(int number) const; // -1: there is none

protected:
    QVariant cell(const ShownSnapshot &shown, int column, int role) const override;
};

// "after a run by Codex", "files changed by hand"
QString causePhrase(const ShownSnapshot &shown);
// "+1 ~2 −1"; empty: nothing
QString countsPhrase(const Snapshot &snapshot);

// Draws the line that time goes along, a point on it for each snapshot, and counts in their colours.
class SnapshotCells : public PaddedCells
{
    Q_OBJECT
public:
    SnapshotCells(const Theme &theme, QObject *parent)
        : PaddedCells(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    void paintPoint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;
    void paintCounts(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;

    const Theme &m_theme;
};

} // namespace glovebox
