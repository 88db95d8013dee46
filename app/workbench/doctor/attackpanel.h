// SPDX-License-Identifier: Apache-2.0
// The isolation self-test for a person to watch: ten attacks on this machine's sandbox, each in plain words, as they are made.
#pragma once

#include "app/workbench/shell/context.h"

#include <QWidget>

#include <stop_token>

class QLabel;
class QPushButton;

namespace glovebox {

class FactSheet;

class AttackPanel : public QWidget
{
    Q_OBJECT
public:
    explicit AttackPanel(WorkbenchContext &context, QWidget *parent = nullptr);
    ~AttackPanel() override; // stops

    void start();
    void stop(); // after the attack that is being made
    bool isRunning() const { return m_running; }
    const QList<AttackResult> &results() const { return m_results; }
    void take(const AttackResult &result); // shows it below the others

private:
    void showState();

    WorkbenchContext &m_context;
    QLabel *m_outcome;
    QPushButton *m_start;
    QPushButton *m_stop;
    FactSheet *m_sheet;
    QList<AttackResult> m_results;
    std::stop_source m_stopper;
    bool m_running = false;
    int m_generation = 0; // results of an earlier test are dropped
};

// "All 10 attacks were refused."
QString outcomeOf(const QList<AttackResult> &results, qsizetype all);

} // namespace glovebox
