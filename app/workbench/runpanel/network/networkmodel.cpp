// SPDX-License-Identifier: Apache-2.0
#include "networkmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words/words.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Verdict = EgressAttempt::Verdict;

QString verdictWord(const NetworkRow &row)
{
    if (row.isInside)
        return NetworkModel::tr("Inside");
    const EgressAttempt &attempt = row.attempt;
    switch (attempt.verdict) {
    case Verdict::Allowed:
        return attempt.isOpen ? NetworkModel::tr("Open") : NetworkModel::tr("Allowed");
    case Verdict::Denied:
        return NetworkModel::tr("Blocked");
    case Verdict::Failed:
        break;
    }
    return NetworkModel::tr("Not reached");
}

Colour verdictColour(const NetworkRow &row)
{
    if (row.isInside)
        return Colour::Info;
    return row.attempt.verdict == Verdict::Allowed ? Colour::Ok : Colour::Warn;
}

Icon verdictIcon(const NetworkRow &row)
{
    if (row.isInside)
        return Icon::Info;
    return row.attempt.verdict == Verdict::Allowed ? Icon::Check : Icon::Warning;
}

QString reasonOf(const NetworkRow &row)
{
    if (row.isInside)
        return NetworkModel::tr("127.0.0.1 is the run's own, with no server of this machine. To reach that, allow "
                                "127.0.0.1:%1.")
            .arg(row.attempt.port);
    return withHiddenShown(translated(row.attempt.reason));
}

QString wayWord(EgressAttempt::Way way)
{
    switch (way) {
    case EgressAttempt::Way::Http:
        return NetworkModel::tr("HTTP request");
    case EgressAttempt::Way::Connect:
        return NetworkModel::tr("tunnel");
    case EgressAttempt::Way::Socks:
        return NetworkModel::tr("SOCKS proxy");
    case EgressAttempt::Way::Name:
        return NetworkModel::tr("name");
    case EgressAttempt::Way::Direct:
        break;
    }
    return NetworkModel::tr("connection");
}

} // namespace

NetworkModel::NetworkModel(const Theme &theme)
    : TableModel(theme, {tr("Verdict"), tr("Host"), tr("How"), tr("Traffic"), tr("Why")})
{
}

bool NetworkModel::setAttempts(const QList<EgressAttempt> &attempts, const QList<Destination> &inside)
{
    QList<NetworkRow> rows;
    rows.reserve(attempts.size() + inside.size());
    for (const EgressAttempt &attempt : attempts)
        rows.append({.attempt = attempt});
    for (const Destination &place : inside)
        rows.append(
            {.attempt = {.way = EgressAttempt::Way::Direct, .host = place.host, .port = place.port}, .isInside = true});
    if (rows == m_rows)
        return false;
    if (rows.size() < m_rows.size()) {
        setRows(rows);
        return true;
    }
    const int before = int(m_rows.size()), now = int(rows.size());
    if (now > before)
        beginInsertRows({}, before, now - 1);
    m_rows = rows;
    if (now > before)
        endInsertRows();
    if (before > 0) // numbers of connections that are open
        Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
    return true;
}

qsizetype NetworkModel::blocked() const
{
    return std::ranges::count_if(m_rows, [](const NetworkRow &row) {
        return !row.isInside && row.attempt.verdict == EgressAttempt::Verdict::Denied;
    });
}

qsizetype NetworkModel::inside() const
{
    return std::ranges::count(m_rows, true, &NetworkRow::isInside);
}

QVariant NetworkModel::cell(const NetworkRow &row, int column, int role) const
{
    const EgressAttempt &attempt = row.attempt;
    const auto text = [&]() -> QString {
        switch (column) {
        case State:
            return verdictWord(row);
        case Place:
            return placeOf(attempt);
        case How:
            return wayWord(attempt.way);
        case Traffic:
            return attempt.sent + attempt.received == 0
                       ? QString()
                       : tr("%1 sent, %2 received").arg(sizeWord(attempt.sent), sizeWord(attempt.received));
        default:
            return reasonOf(row);
        }
    };
    switch (role) {
    case Qt::DisplayRole:
        return text();
    case Qt::FontRole:
        return column == Place ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    case Qt::DecorationRole:
        return column == State ? QVariant(m_theme.icon(verdictIcon(row), verdictColour(row))) : QVariant();
    case Qt::ForegroundRole:
        if (column == State)
            return m_theme.colour(verdictColour(row));
        return m_theme.colour(column == Place ? Colour::Text : Colour::Dim);
    default:
        return {};
    }
}

QList<Destination> placesInside(const QList<RunEvent> &events)
{
    QList<Destination> places;
    for (const RunEvent &event : events) {
        if (event.type == EventType::NetworkConnect && event.own && !places.contains(*event.own))
            places.append(*event.own);
    }
    return places;
}

QString placeOf(const EgressAttempt &attempt)
{
    QString host = attempt.host.isEmpty() ? NetworkModel::tr("not readable") : withHiddenShown(attempt.host);
    if (attempt.port == 0)
        return host;
    return (host.contains(u':') ? u"[%1]:%2"_s : u"%1:%2"_s).arg(host).arg(attempt.port);
}

} // namespace glovebox
