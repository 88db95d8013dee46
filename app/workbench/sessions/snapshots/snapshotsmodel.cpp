// SPDX-License-Identifier: Apache-2.0
#include "snapshotsmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/sessions/files/filesmodel.h"
#include "app/workbench/shell/words/sessionwords.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int pointSize = 9;
constexpr int pointRoom = 20; // before the time

constexpr std::pair<FolderChange::Kind, QChar> kinds[] = {
    {FolderChange::Kind::Added, u'+'}, {FolderChange::Kind::Changed, u'~'}, {FolderChange::Kind::Removed, u'−'}};

} // namespace

SnapshotsModel::SnapshotsModel(const Theme &theme)
    : TableModel(theme, {tr("Time"), tr("Snapshot"), tr("Changes")})
{
}

void SnapshotsModel::setSession(const ShownSession &shown)
{
    QList<ShownSnapshot> rows;
    for (const Snapshot &snapshot : shown.session.snapshots)
        rows.prepend({snapshot, snapshot.number == shown.session.head, shown.runners.value(snapshot.run)});
    if (rows != m_rows)
        setRows(rows);
}

int SnapshotsModel::rowOf(int number) const
{
    const auto found = std::ranges::find_if(m_rows, [&](const auto &each) { return each.snapshot.number == number; });
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

QVariant SnapshotsModel::cell(const ShownSnapshot &shown, int column, int role) const
{
    const Snapshot &snapshot = shown.snapshot;
    switch (role) {
    case Qt::DisplayRole:
        if (column == Time)
            return shown.isNow ? tr("Now") : momentWord(snapshot.timeMicroseconds);
        if (column == Changes)
            return countsPhrase(snapshot);
        return snapshot.label.isEmpty() ? tr("%1: %2", "number of a snapshot, how it came about")
                                              .arg(snapshot.number)
                                              .arg(causePhrase(shown))
                                        : tr("%1: %2, %3", "number of a snapshot, its name, how it came about")
                                              .arg(snapshot.number)
                                              .arg(withHiddenShown(snapshot.label), causePhrase(shown));
    case Qt::FontRole:
        return m_theme.font(column == Cause && !snapshot.label.isEmpty() ? FontRole::Strong
                            : column == Changes                          ? FontRole::Small
                                                                         : FontRole::Base);
    case Qt::ForegroundRole:
        return m_theme.colour(column == Cause ? Colour::Text : Colour::Dim);
    case Qt::DecorationRole:
        return column == Cause && !snapshot.label.isEmpty() ? QVariant(m_theme.icon(Icon::Pin, Colour::Dim))
                                                            : QVariant();
    case Counts:
        return column == Changes ? QVariant(QVariantList{snapshot.added, snapshot.changed, snapshot.removed})
                                 : QVariant();
    default:
        return {};
    }
}

QString causePhrase(const ShownSnapshot &shown)
{
    const Snapshot &snapshot = shown.snapshot;
    switch (snapshot.cause) {
    case SnapshotCause::Created:
        return SnapshotsModel::tr("made");
    case SnapshotCause::Run:
        if (snapshot.isBeside)
            return SnapshotsModel::tr("parallel run, in a copy of snapshot %1").arg(snapshot.parent);
        return shown.runner.isEmpty() ? SnapshotsModel::tr("after a run")
                                      : SnapshotsModel::tr("after a run %1", "by Codex").arg(shown.runner);
    case SnapshotCause::Files:
        return SnapshotsModel::tr("files changed by hand");
    case SnapshotCause::Rollback:
        return SnapshotsModel::tr("back to snapshot %1").arg(snapshot.source);
    case SnapshotCause::Fork:
        return SnapshotsModel::tr("forked");
    }
    return {};
}

QString countsPhrase(const Snapshot &snapshot)
{
    QStringList parts;
    for (const auto &[count, sign] :
         {std::pair(snapshot.added, u'+'), {snapshot.changed, u'~'}, {snapshot.removed, u'−'}}) {
        if (count > 0)
            parts.append(sign + QLocale().toString(count));
    }
    return parts.join(u' ');
}

void SnapshotCells::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    if (index.column() == SnapshotsModel::Changes)
        return paintCounts(painter, option, index);
    if (index.column() != SnapshotsModel::Time)
        return PaddedCells::paint(painter, option, index);
    option.widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
    paintPoint(painter, option, index);
    const QRect room =
        QStyle::visualRect(option.direction, option.rect, option.rect.adjusted(Space::s + pointRoom, 0, -Space::xs, 0));
    painter->save();
    painter->setFont(index.data(Qt::FontRole).value<QFont>());
    painter->setPen(index.data(Qt::ForegroundRole).value<QColor>());
    painter->drawText(room, int(QStyle::visualAlignment(option.direction, Qt::AlignLeft | Qt::AlignVCenter)),
                      displayText(index.data(), QLocale()));
    painter->restore();
}

void SnapshotCells::paintPoint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QRect &whole = option.rect;
    const QRect place =
        QStyle::visualRect(option.direction, whole,
                           QRect(whole.left() + Space::s, whole.center().y() - pointSize / 2, pointSize, pointSize));
    const int x = place.center().x();
    const bool isFirst = index.row() == 0;
    const bool isLast = index.row() == index.model()->rowCount() - 1;
    painter->save();
    painter->setPen(QPen(m_theme.colour(Colour::Line), 2));
    if (!isFirst)
        painter->drawLine(x, whole.top(), x, place.top() - 1);
    if (!isLast)
        painter->drawLine(x, place.bottom() + 2, x, whole.bottom());
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(m_theme.colour(isFirst ? Colour::Accent : Colour::Dim), 2));
    painter->setBrush(isFirst ? QBrush(m_theme.colour(Colour::Accent)) : QBrush(Qt::NoBrush));
    painter->drawEllipse(QRectF(place).adjusted(1, 1, -1, -1));
    painter->restore();
}

void SnapshotCells::paintCounts(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    option.widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
    const QVariantList counts = index.data(SnapshotsModel::Counts).toList();
    const auto font = index.data(Qt::FontRole).value<QFont>();
    const QFontMetrics metrics(font);
    painter->save();
    painter->setFont(font);
    int end = option.rect.width() - Space::m;
    for (qsizetype i = std::min<qsizetype>(counts.size(), std::size(kinds)) - 1; i >= 0; --i) {
        if (counts[i].toLongLong() == 0)
            continue;
        const QString text = displayText(kinds[i].second + QLocale().toString(counts[i].toLongLong()), QLocale());
        const int width = metrics.horizontalAdvance(text);
        const QRect place(option.rect.left() + end - width, option.rect.top(), width, option.rect.height());
        painter->setPen(m_theme.colour(changeColour(kinds[i].first)));
        painter->drawText(QStyle::visualRect(option.direction, option.rect, place), Qt::AlignCenter, text);
        end -= width + Space::s;
    }
    painter->restore();
}

QSize SnapshotCells::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QSize usual = PaddedCells::sizeHint(option, index);
    const int more = index.column() == SnapshotsModel::Time      ? pointRoom
                     : index.column() == SnapshotsModel::Changes ? Space::l
                                                                 : 0;
    return usual + QSize(more, Space::xs);
}

} // namespace glovebox
