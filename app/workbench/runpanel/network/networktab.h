// SPDX-License-Identifier: Apache-2.0
// What a run wanted of the network while it goes on and afterwards, and the way to allow the next run what was blocked.
#pragma once

#include "app/workbench/runpanel/runtab.h"
#include "networkmodel.h"

#include <QPointer>
#include <QTimer>

class QLabel;
class QPushButton;
class QTreeView;

namespace glovebox {

class NetworkTab : public RunTab
{
    Q_OBJECT
public:
    explicit NetworkTab(const Theme &theme, QWidget *parent = nullptr);

    QString id() const override;
    QString title() const override;
    void setRun(ShownRun *run) override;

Q_SIGNALS:
    void allowWanted(const QString &host); // a rule in its canonical text

private:
    void showAttempts();
    void showButton();
    // The rule that would allow what is selected; empty: nothing is, or none would.
    QString ruleOfSelected() const;

    QPointer<ShownRun> m_run;
    NetworkModel m_model;
    QLabel *m_summary;
    QPushButton *m_allow;
    QTreeView *m_view;
    QTimer m_poll; // while it goes on
};

} // namespace glovebox
