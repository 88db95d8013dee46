// SPDX-License-Identifier: Apache-2.0
#include "networkmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words/words.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Verdict = EgressAttempt::Verdict;

QString verdictWord(const EgressAttempt &attempt)
{
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

Colour verdictColour(Verdict verdict)
{
    return verdict == Verdict::Allowed ? Colour::Ok : Colour::Warn;
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

bool NetworkModel::setAttempts(const QList<EgressAttempt> &attempts)
{
    if (attempts == m_rows)
        return false;
    if (attempts.size() < m_rows.size()) {
        setRows(attempts);
        return true;
    }
    const int before = int(m_rows.size()), now = int(attempts.size());
    if (now > before)
        beginInsertRows({}, before, now - 1);
    m_rows = attempts;
    if (now > before)
        endInsertRows();
    if (before > 0) // numbers of connections that are open
        Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
    return true;
}

qsizetype NetworkModel::blocked() const
{
    return std::ranges::count(m_rows, EgressAttempt::Verdict::Denied, &EgressAttempt::verdict);
}

QVariant NetworkModel::cell(const EgressAttempt &attempt, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case State:
            return verdictWord(attempt);
        case Place:
            return placeOf(attempt);
        case How:
            return wayWord(attempt.way);
        case Traffic:
            return attempt.sent + attempt.received == 0
                       ? QString()
                       : tr("%1 sent, %2 received").arg(sizeWord(attempt.sent), sizeWord(attempt.received));
        default:
            return withHiddenShown(translated(attempt.reason));
        }
    };
    switch (role) {
    case Qt::DisplayRole:
        return text();
    case Qt::FontRole:
        return column == Place ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    case Qt::DecorationRole:
        return column == State ? QVariant(m_theme.icon(
                                     attempt.verdict == EgressAttempt::Verdict::Allowed ? Icon::Check : Icon::Warning,
                                     verdictColour(attempt.verdict)))
                               : QVariant();
    case Qt::ForegroundRole:
        if (column == State)
            return m_theme.colour(verdictColour(attempt.verdict));
        return m_theme.colour(column == Place ? Colour::Text : Colour::Dim);
    default:
        return {};
    }
}

QString placeOf(const EgressAttempt &attempt)
{
    QString host = attempt.host.isEmpty() ? NetworkModel::tr("not readable") : withHiddenShown(attempt.host);
    if (attempt.port == 0)
        return host;
    return (host.contains(u':') ? u"[%1]:%2"_s : u"%1:%2"_s).arg(host).arg(attempt.port);
}

} // namespace glovebox
