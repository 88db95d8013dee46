// SPDX-License-Identifier: Apache-2.0
// Calls as rows, newest first: rows that are there stay the same rows, so that a selected one stays selected.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"
#include "livecalls.h"

#include <QHash>

namespace glovebox {

struct CallRow
{
    LiveCall call;
    bool isWaiting = false; // for the person

    bool operator==(const CallRow &) const = default;
};

class CallsModel : public TableModel<CallRow>
{
    Q_OBJECT
public:
    enum Column { Time, Agent, Tool, What, Result, Took };

    explicit CallsModel(const Theme &theme);

    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    // agents: names of the paired ones, by id; sessions: names, by id.
    void setNames(const QHash<QString, QString> &agents, const QHash<QString, QString> &sessions);
    // Brings the rows up to date.
    void take(const QList<CallRow> &calls);
    // Of calls that are going on: they take longer now.
    void tick();
    bool hasOpen() const; // a call is going on

private:
    QVariant cell(const CallRow &row, int column, int role) const override;
    QString text(const CallRow &row, int column) const;
    QString endWords(const mcp::EndedCall &end) const;
    QString aboutWords(const LiveCall &call) const;

    QHash<QString, QString> m_agents, m_sessions;
};

} // namespace glovebox
