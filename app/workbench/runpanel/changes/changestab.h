// SPDX-License-Identifier: Apache-2.0
// What a run changed in copies of folders: the list, what is different in each file, and the person's decision about each.
#pragma once

#include "app/workbench/runpanel/runtab.h"
#include "app/workbench/shell/context.h"
#include "changesmodel.h"
#include "decisions.h"

#include <QHash>
#include <QSet>
#include <QTimer>

#include <expected>
#include <functional>
#include <memory>
#include <optional>

class QBoxLayout;
class QCheckBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QTreeView;
class QVBoxLayout;

namespace glovebox {

class DiffView;

class ChangesTab : public RunTab
{
    Q_OBJECT
public:
    // pageId: "bench", "history".
    ChangesTab(WorkbenchContext &context, const QString &pageId, QWidget *parent = nullptr);

    QString id() const override { return QStringLiteral("changes"); }
    QString title() const override; // with the number of what waits
    void setRun(ShownRun *run) override;
    // Of a run on record; empty: of none. The same one again: looks whether they are as they were. whenNone: what to say where none wait.
    void setChanges(const QString &run, const QString &whenNone);
    void lookAgain();
    QString goesOn() const override;

    qsizetype waiting() const { return m_waiting; }
    bool isHalfUndone() const { return m_loaded && m_loaded->isHalfUndone && canUndo(); }
    std::optional<FolderDeed> underWay() const; // that somebody else carries out: another program, or another tab
    bool canDecide() const { return m_waiting > 0 && m_loaded && !isBusy() && !underWay(); }
    bool canDiscard() const { return m_isAnyLeft && m_loaded && !isBusy() && !underWay(); }
    bool canUndo() const { return m_canUndo && m_loaded && !isBusy() && !underWay(); }
    void apply(); // asks first, here
    void discard(); // the same
    void undo();

protected:
    bool event(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void showChangesOf(const QString &run, const QString &whenNone);

    enum class Question { None, Apply, Discard };
    enum class Room { None, List, Both }; // for the list, and what is different beside it or below

    void makeBar(QVBoxLayout *column);
    void arrange();
    void load(const QString &sentence, Colour colour);
    void take(const Result<PendingChanges> &pending);
    void sayWhatWaits(const QList<FolderChanges> &folders, bool isCutShort);
    void takeBack(); // a question
    void say(const QString &sentence, Colour colour);
    void showSummary();
    void ask(Question question);
    void showChoice();
    void answer(); // yes
    void review();
    static QString whyNotUndone();
    void showInstead(bool diff);
    using Deed = std::function<Result<ApplyReport>(Engine &engine, const QString &run, const ApplyProgress &progress)>;
    void decide(FolderDeed deed, const Deed &doIt);
    void decided(const QString &run, const QString &sentence, bool isWhole);
    void releaseFocus(); // no button gets the keyboard because another one went
    bool isBusy() const { return m_deciding.contains(m_run); }
    void showBusy();
    void stopDeed();
    void showProgress();
    void showFile(int row);
    void showDiff();

    WorkbenchContext &m_context;
    const QString m_prefix;
    ChangesModel m_model;
    QScrollArea *m_scroll; // of a low panel, at large text
    QBoxLayout *m_bar = nullptr;
    QLabel *m_summary;
    QCheckBox *m_all;
    QPushButton *m_review; // where there is no room for it
    QPushButton *m_instead; // of the list what is different, or back
    QPushButton *m_undo;
    QPushButton *m_apply;
    QPushButton *m_discard;
    QPushButton *m_yes; // the answers to a question
    QPushButton *m_no;
    QPushButton *m_stop; // while changes are applied or undone
    QSplitter *m_splitter;
    QTreeView *m_list;
    DiffView *m_diff;
    std::expected<QList<DiffLine>, QString> m_shown; // or why not, translated
    QString m_run; // whose changes are here; empty: none
    QString m_whenNone; // is said where none wait
    QString m_said;
    QString m_sentence; // about what was decided, in front of what waits
    qsizetype m_waiting = 0;
    bool m_isAnyLeft = false; // also what can't be compared or read, and only be thrown away
    Question m_question = Question::None;
    Room m_room = Room::Both;
    bool m_isReviewed = false; // also where it has no room, by scrolling
    bool m_showsDiff = false; // instead of the list
    std::optional<WaitingChanges> m_loaded; // what the person sees
    QSet<QString> m_deciding; // runs whose changes are being applied, discarded or undone, shown or not
    QHash<QString, std::shared_ptr<DeedProgress>> m_going; // by run; those that haven't ended
    QTimer m_progress;
    QTimer m_follow; // while somebody else carries something out
    bool m_canUndo = false;
    int m_generation = 0; // of what is loaded: late answers are dropped
};

} // namespace glovebox
