// SPDX-License-Identifier: Apache-2.0
// What holds for all agents: whether they ask in this window, whether they are paused, what they may do, and how many runs each
// may have.
#pragma once

#include "app/workbench/shell/context.h"

#include <QWidget>

class QCheckBox;
class QLabel;

namespace glovebox {

class Endpoint;
class SwitchTable;

class AgentRules : public QWidget
{
    Q_OBJECT
public:
    AgentRules(WorkbenchContext &context, const Endpoint &endpoint, QWidget *parent);

    void show(); // as settings and endpoint are now
    bool arePaused() const { return isOn(QStringLiteral("mcp.paused")); }
    bool areUsual() const; // agents may do what the defaults let them

private:
    void store(const QString &key, const QVariant &value);
    bool isOn(const QString &key) const;

    WorkbenchContext &m_context;
    const Endpoint &m_endpoint;
    QCheckBox *m_asks, *m_pause;
    SwitchTable *m_switches;
    QLabel *m_asksWords, *m_pauseWords, *m_limits;
};

} // namespace glovebox
