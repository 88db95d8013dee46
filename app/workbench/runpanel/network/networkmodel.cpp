// SPDX-License-Identifier: Apache-2.0
#include "networkmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words.h"

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

NetworkModel::NetworkModel(const Theme &theme, QObject *parent)
    : QAbstractTableModel(parent)
    , m_theme(theme)
{
}

void NetworkModel::setAttempts(const QList<EgressAttempt> &attempts)
{
    if (attempts == m_attempts)
        return;
    if (attempts.size() < m_attempts.size()) {
        beginResetModel();
        m_attempts = attempts;
        endResetModel();
        return;
    }
    const int before = int(m_attempts.size()), now = int(attempts.size());
    if (now > before)
        beginInsertRows({}, before, now - 1);
    m_attempts = attempts;
    if (now > before)
        endInsertRows();
    if (before > 0) // numbers of connections that are open
        Q_EMIT dataChanged(index(0, 0), index(before - 1, columns - 1));
}

qsizetype NetworkModel::blocked() const
{
    return std::ranges::count(m_attempts, EgressAttempt::Verdict::Denied, &EgressAttempt::verdict);
}

int NetworkModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_attempts.size());
}

int NetworkModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : columns;
}

QVariant NetworkModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const EgressAttempt &attempt = m_attempts[index.row()];
    const auto text = [&]() -> QString {
        switch (index.column()) {
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
    case Qt::ToolTipRole:
        return text();
    case Qt::FontRole:
        return index.column() == Place ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    case Qt::DecorationRole:
        return index.column() == State
                   ? QVariant(
                         m_theme.icon(attempt.verdict == EgressAttempt::Verdict::Allowed ? Icon::Check : Icon::Warning,
                                      verdictColour(attempt.verdict)))
                   : QVariant();
    case Qt::ForegroundRole:
        if (index.column() == State)
            return m_theme.colour(verdictColour(attempt.verdict));
        return m_theme.colour(index.column() == Place ? Colour::Text : Colour::Dim);
    default:
        return {};
    }
}

QVariant NetworkModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case State:
        return tr("Verdict");
    case Place:
        return tr("Host");
    case How:
        return tr("How");
    case Traffic:
        return tr("Traffic");
    default:
        return tr("Why");
    }
}

QString placeOf(const EgressAttempt &attempt)
{
    const QString host = attempt.host.isEmpty() ? NetworkModel::tr("not readable") : withHiddenShown(attempt.host);
    return attempt.port == 0 ? host : u"%1:%2"_s.arg(host).arg(attempt.port);
}

} // namespace glovebox
