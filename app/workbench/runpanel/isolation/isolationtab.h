// SPDX-License-Identifier: Apache-2.0
// The controls of a run in full: state, what was found and what was asked for.
#pragma once

#include "app/workbench/runpanel/runtab.h"
#include "controlsmodel.h"

class QLabel;
class QTreeView;

namespace glovebox {

class IsolationTab : public RunTab
{
    Q_OBJECT
public:
    explicit IsolationTab(Theme &theme, QWidget *parent = nullptr);

    QString id() const override { return QStringLiteral("isolation"); }
    QString title() const override { return tr("Isolation"); }
    void setRun(ShownRun *run) override;
    // Also without a live run: for a run of the record.
    void setControls(const QList<Control> &controls, const QString &whenEmpty);

private:
    ControlsModel m_model;
    QLabel *m_summary;
    QTreeView *m_view;
};

// "18 of 21 verified, 2 enforced, 1 degraded"
QString countsSentence(const ControlCounts &counts);

} // namespace glovebox
