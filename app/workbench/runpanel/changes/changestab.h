// SPDX-License-Identifier: Apache-2.0
// What a run changed in copies of folders: the list, what is different in each file, and the person's decision.
#pragma once

#include "app/workbench/runpanel/runtab.h"
#include "app/workbench/shell/context.h"
#include "changesmodel.h"
#include "linediff.h"

#include <expected>

class QLabel;
class QPushButton;
class QSplitter;
class QTreeView;

namespace glovebox {

class DiffView;

class ChangesTab : public RunTab
{
    Q_OBJECT
public:
    explicit ChangesTab(WorkbenchContext &context, QWidget *parent = nullptr);

    QString id() const override { return QStringLiteral("changes"); }
    QString title() const override; // with the number of what waits
    void setRun(ShownRun *run) override;

    bool canDecide() const { return m_waiting > 0 && !m_busy; }
    void apply();
    void discard(); // asks first, here

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    using Diff = std::expected<QList<DiffLine>, QString>;

    void makeBar();
    void load(const QString &sentence, Colour colour);
    void take(const Result<PendingChanges> &pending);
    void say(const QString &sentence, Colour colour);
    void ask(bool question);
    void reallyDiscard();
    void setBusy(bool busy);
    void showFile(int row);
    void showDiff();

    WorkbenchContext &m_context;
    ChangesModel m_model;
    QLabel *m_summary;
    QPushButton *m_apply;
    QPushButton *m_discard;
    QPushButton *m_yes; // throw away
    QPushButton *m_no;
    QSplitter *m_splitter;
    QTreeView *m_list;
    DiffView *m_diff;
    Diff m_shown;
    QString m_run; // whose changes are here; empty: none
    QString m_sentence; // about what was decided, in front of what waits
    qsizetype m_waiting = 0;
    bool m_asks = false;
    bool m_busy = false;
    int m_generation = 0; // of what is loaded: late answers are dropped
};

} // namespace glovebox
