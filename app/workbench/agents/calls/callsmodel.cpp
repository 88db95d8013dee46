// SPDX-License-Identifier: Apache-2.0
#include "callsmodel.h"

#include "app/workbench/agents/approval/askwords.h"
#include "app/workbench/shell/words/words.h"

#include <QDateTime>
#include <QJsonArray>
#include <QLocale>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shownOfId = 13; // of a UUID: its time to the millisecond

Colour resultColour(const CallRow &row)
{
    const auto &end = row.call.end;
    if (!end)
        return row.isWaiting ? Colour::Warn : Colour::Accent;
    if (end->outcome)
        return outcomeColour(*end->outcome);
    switch (end->how) {
    case mcp::EndedCall::How::Answered:
        return Colour::Ok;
    case mcp::EndedCall::How::Refused:
        return Colour::Warn;
    case mcp::EndedCall::How::Cancelled:
    case mcp::EndedCall::How::AskedBack:
        break;
    }
    return Colour::Dim;
}

// Of one that goes on by the second; empty in the first one.
QString tookWord(const LiveCall &call)
{
    if (call.end)
        return durationWord(call.took);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - call.began);
    return seconds.count() == 0 ? QString() : durationWord(seconds);
}

} // namespace

CallsModel::CallsModel(const Theme &theme)
    : TableModel(theme, {tr("Time"), tr("Agent"), tr("Tool"), tr("What"), tr("Result"), tr("Took")})
{
}

QVariant CallsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (section == Took && role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignTrailing | Qt::AlignVCenter);
    return TableModel::headerData(section, orientation, role);
}

void CallsModel::setNames(const QHash<QString, QString> &agents, const QHash<QString, QString> &sessions)
{
    if (m_agents == agents && m_sessions == sessions)
        return;
    m_agents = agents;
    m_sessions = sessions;
    if (!m_rows.isEmpty())
        Q_EMIT dataChanged(index(0, 0), index(int(m_rows.size()) - 1, Took));
}

void CallsModel::take(const QList<CallRow> &calls)
{
    const auto isIn = [&calls](quint64 number) {
        return std::ranges::any_of(calls, [number](const CallRow &row) { return row.call.number == number; });
    };
    for (int row = int(m_rows.size()) - 1; row >= 0; --row) {
        if (isIn(m_rows[row].call.number))
            continue;
        beginRemoveRows({}, row, row);
        m_rows.removeAt(row);
        endRemoveRows();
    }
    const qsizetype added = calls.size() - m_rows.size(); // all of them newer than those that are there
    if (added > 0) {
        beginInsertRows({}, 0, int(added) - 1);
        m_rows = calls.first(added) + m_rows;
        endInsertRows();
    }
    for (int row = int(added); row < m_rows.size(); ++row) {
        if (m_rows[row] == calls[row])
            continue;
        m_rows[row] = calls[row];
        Q_EMIT dataChanged(index(row, 0), index(row, Took));
    }
}

void CallsModel::tick()
{
    for (int row = 0; row < m_rows.size(); ++row) {
        if (!m_rows[row].call.end)
            Q_EMIT dataChanged(index(row, Took), index(row, Took));
    }
}

bool CallsModel::hasOpen() const
{
    return std::ranges::any_of(m_rows, [](const CallRow &row) { return !row.call.end; });
}

QVariant CallsModel::cell(const CallRow &row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::FontRole:
        return column == Tool ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    case Qt::ForegroundRole:
        return m_theme.colour(column == Result                   ? resultColour(row)
                              : column == Time || column == What ? Colour::Dim
                                                                 : Colour::Text);
    case Qt::TextAlignmentRole:
        return column == Took ? QVariant(Qt::AlignTrailing | Qt::AlignVCenter) : QVariant();
    default:
        return {};
    }
}

QString CallsModel::text(const CallRow &row, int column) const
{
    const LiveCall &call = row.call;
    switch (column) {
    case Time:
        return QLocale().toString(QDateTime::fromMSecsSinceEpoch(call.beganMicroseconds / 1000).time(), u"HH:mm:ss"_s);
    case Agent:
        return callerName(call.call.caller, m_agents.value(call.call.caller.pairing));
    case Tool:
        return call.call.tool;
    case What:
        return aboutWords(call);
    case Result:
        if (!call.end)
            return row.isWaiting ? tr("Waits for you") : tr("Going on");
        if (call.end->outcome)
            return outcomeWord(*call.end->outcome);
        return endWords(*call.end);
    case Took:
        return tookWord(call);
    default:
        return {};
    }
}

QString CallsModel::endWords(const mcp::EndedCall &end) const
{
    switch (end.how) {
    case mcp::EndedCall::How::Answered:
        return end.runGoesOn ? tr("Answered; its run goes on") : tr("Answered");
    case mcp::EndedCall::How::Refused:
        return end.why.isEmpty() ? tr("Refused") : tr("Refused: %1").arg(plainWord(end.why));
    case mcp::EndedCall::How::Cancelled:
        return tr("Cancelled");
    case mcp::EndedCall::How::AskedBack:
        return tr("Asks you in the agent");
    }
    return {};
}

// "list data in shop"; what the client wrote is cut and made visible.
QString CallsModel::aboutWords(const LiveCall &call) const
{
    const QJsonObject &about = call.call.about;
    QStringList parts;
    for (const auto key : {"action"_L1, "path"_L1, "name"_L1}) {
        if (const QString value = about[key].toString(); !value.isEmpty())
            parts.append(plainWord(value));
    }
    if (const QString id = about["language"_L1].toString(); !id.isEmpty()) {
        const auto language = Languages::byId(id);
        parts.append(language ? (*language)->name() : plainWord(id));
    }
    for (const auto package : about["packages"_L1].toArray())
        parts.append(plainWord(package.toString()));
    if (const QString run = about["run"_L1].toString(); !run.isEmpty())
        parts.append(tr("run %1").arg(plainWord(run.left(shownOfId))));
    if (const QString id = about["session"_L1].toString(); !id.isEmpty())
        parts.append(tr("in session %1").arg(plainWord(m_sessions.value(id, id.left(shownOfId)))));
    return parts.join(u' ');
}

} // namespace glovebox
