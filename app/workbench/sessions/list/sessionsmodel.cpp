// SPDX-License-Identifier: Apache-2.0
#include "sessionsmodel.h"

#include "app/workbench/shell/words/sessionwords.h"
#include "app/workbench/shell/words/words.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

SessionsModel::SessionsModel(const Theme &theme)
    : TableModel(theme, {tr("Session"), tr("Disk"), tr("Last use")})
{
}

void SessionsModel::setSessions(const QList<ShownSession> &sessions)
{
    if (sessions == m_rows)
        return;
    const bool isSameList = std::ranges::equal(
        sessions, m_rows, {}, [](const auto &a) { return a.session.id; }, [](const auto &b) { return b.session.id; });
    if (!isSameList)
        return setRows(sessions);
    m_rows = sessions; // what is selected stays
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int SessionsModel::rowOf(const QString &id) const
{
    const auto found = std::ranges::find_if(m_rows, [&](const ShownSession &each) { return each.session.id == id; });
    return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

QString SessionsModel::first(const ShownSession &shown, int column) const
{
    switch (column) {
    case Name:
        return sessionName(shown.session);
    case Disk:
        return shown.damage ? QString() : diskPhrase(shown);
    default:
        return shown.damage ? QString() : momentWord(shown.session.usedMicroseconds);
    }
}

QString SessionsModel::second(const ShownSession &shown, int column) const
{
    const Session &session = shown.session;
    if (shown.damage)
        return column != Name                           ? QString()
               : shown.damage->code == ErrorCode::Newer ? tr("made by a newer version")
                                                        : tr("▲ damaged");
    if (column == LastUse)
        return shown.isBusy ? tr("in use") : QString();
    if (column != Name)
        return {};
    const Snapshot *now = session.snapshot(session.head);
    const QString files = tr("%Ln file(s)", "", int(now ? now->files : 0));
    return shown.owner.isEmpty() ? files : tr("%1 · of %2", "files, an agent").arg(files, shown.owner);
}

QVariant SessionsModel::cell(const ShownSession &shown, int column, int role) const
{
    const Snapshot *now = shown.session.snapshot(shown.session.head);
    const Fullness fullness = shown.damage ? Fullness::Roomy : fullnessOf(shown.session, shown.wasFull);
    switch (role) {
    case Qt::DisplayRole:
        return first(shown, column);
    case Qt::AccessibleTextRole: {
        const QString below = second(shown, column);
        return below.isEmpty() ? first(shown, column) : first(shown, column) + u", "_s + below;
    }
    case Qt::FontRole:
        return m_theme.font(column == Name ? FontRole::Strong : FontRole::Base);
    case Qt::ForegroundRole:
        return m_theme.colour(column == Disk ? fullnessColour(fullness) : Colour::Text);
    case SecondLine:
        return second(shown, column);
    case SecondColour:
        return int(shown.damage ? Colour::Bad : column == LastUse ? Colour::Accent : Colour::Dim);
    case Share:
        return column == Disk && !shown.damage && shown.session.diskBytes > 0
                   ? QVariant(std::min(1.0, double(now ? now->bytes : 0) / double(shown.session.diskBytes)))
                   : QVariant();
    case ShareColour:
        return int(fullness == Fullness::Roomy ? Colour::Accent : fullnessColour(fullness));
    default:
        return {};
    }
}

QString diskPhrase(const ShownSession &shown)
{
    const Snapshot *now = shown.session.snapshot(shown.session.head);
    const QString disk = sizeWord(shown.session.diskBytes);
    if (fullnessOf(shown.session, false) == Fullness::Full)
        return SessionsModel::tr("▲ Full: %1").arg(disk);
    const QString words = SessionsModel::tr("%1 of %2", "used of the disk").arg(sizeWord(now ? now->bytes : 0), disk);
    return fullnessOf(shown.session, shown.wasFull) == Fullness::Roomy ? words : u"▲ "_s + words;
}

QString usePhrase(const ShownSession &shown)
{
    if (!shown.isBusy)
        return {};
    return shown.user.isEmpty()
               ? SessionsModel::tr("A run uses the session, or its files are being changed.")
               : SessionsModel::tr("A run %1 has used the session since %2. Your next run waits.", "by Codex, time")
                     .arg(shown.user, momentWord(shown.busySince));
}

} // namespace glovebox
