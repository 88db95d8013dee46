// SPDX-License-Identifier: Apache-2.0
// What a run wanted of the network while it goes on and afterwards, and the way to let it have what was blocked.
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
    // pageId: the first part of the names in it.
    explicit NetworkTab(const Theme &theme, const QString &pageId, QWidget *parent = nullptr);

    QString id() const override { return QStringLiteral("network"); }
    QString title() const override;
    bool needsLook() const override { return m_model.blocked() > 0; }
    void setRun(ShownRun *run) override;
    // Of a run on record. whenEmpty: why the list is empty.
    // inside: where it connected to itself.
    void setAttempts(const QList<EgressAttempt> &attempts, const QString &whenEmpty,
                     const QList<Destination> &inside = {});
    // Whether the run on record could run again.
    void setCanRunAgain(bool canRunAgain);

Q_SIGNALS:
    // host: a rule in its canonical text. anchor: what the person pressed. run: null: the one on record.
    void allowWanted(glovebox::ShownRun *run, const QString &host, QWidget *anchor);

private:
    void showRun();
    void fitColumns();
    void showButton();
    QString summary(const QString &whenEmpty) const;
    // The rule that would allow what is selected; empty: nothing is, or none would.
    QString ruleOfSelected() const;

    QPointer<ShownRun> m_run;
    bool m_canRunAgain = false;
    bool m_hasWidths = false; // of these rows' columns
    NetworkModel m_model;
    const QString m_prefix;
    QLabel *m_summary;
    QPushButton *m_allow;
    QTreeView *m_view;
    QTimer m_poll; // while it goes on
};

} // namespace glovebox
