// SPDX-License-Identifier: Apache-2.0
// What a run changed in copies of folders: the list, what is different in each file, and the person's decision about each.
#pragma once

#include "app/workbench/runpanel/runtab.h"
#include "app/workbench/shell/context.h"
#include "changesmodel.h"
#include "linediff.h"

#include <expected>
#include <functional>

class QCheckBox;
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
    QString closingEnds() const override;

    bool canDecide() const { return m_waiting > 0 && !m_busy; }
    bool canUndo() const { return m_canUndo && !m_busy; }
    void apply(); // asks first, here
    void discard(); // the same
    void undo();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    using Diff = std::expected<QList<DiffLine>, QString>;

    enum class Question { None, Apply, Discard };

    void makeBar();
    void load(const QString &sentence, Colour colour);
    void take(const Result<PendingChanges> &pending);
    void say(const QString &sentence, Colour colour);
    void ask(Question question);
    void showChoice();
    void answer(); // yes
    void decide(const std::function<Result<ApplyReport>(Engine &engine)> &doIt,
                const std::function<QString(int)> &done);
    void reallyDiscard();
    void releaseFocus(); // no button gets the keyboard because another one went
    void setBusy(bool busy);
    void showFile(int row);
    void showDiff();
    void placeColumns();

    WorkbenchContext &m_context;
    ChangesModel m_model;
    QLabel *m_summary;
    QCheckBox *m_all;
    QPushButton *m_undo;
    QPushButton *m_apply;
    QPushButton *m_discard;
    QPushButton *m_yes; // the answers to a question
    QPushButton *m_no;
    QSplitter *m_splitter;
    QTreeView *m_list;
    DiffView *m_diff;
    Diff m_shown;
    QString m_run; // whose changes are here; empty: none
    QString m_sentence; // about what was decided, in front of what waits
    qsizetype m_waiting = 0;
    Question m_question = Question::None;
    bool m_canUndo = false;
    bool m_busy = false;
    int m_generation = 0; // of what is loaded: late answers are dropped
};

} // namespace glovebox
