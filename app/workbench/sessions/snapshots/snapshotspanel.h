// SPDX-License-Identifier: Apache-2.0
// The snapshots of a session: what is different between them, the way back to one, and the name of the newest.
#pragma once

#include "app/workbench/sessions/sessiondeeds.h"
#include "changelist.h"
#include "snapshotsmodel.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QTreeView;

namespace glovebox {

class DiffView;

class SnapshotsPanel : public QWidget
{
    Q_OBJECT
public:
    SnapshotsPanel(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent = nullptr);

    void setSession(const ShownSession &shown);
    int chosen() const; // number of the one that is current; 0: none
    QString runOfChosen() const; // its id; empty: no run left it
    bool canGoBack() const;
    // Lists what would be different, and asks. number 0: the chosen one.
    void askToGoBack(int number = 0);
    void askToUndo(const QString &run); // back to the state before that run
    void askToName(); // the newest
    bool withdraw(); // a question that is open; false: there is none
    QWidget *view() const;

Q_SIGNALS:
    void asked(); // the person, who has to see it
    void stateChanged(); // chosen(), runOfChosen(), canGoBack()

private:
    enum class Question { None, GoBack, Name };
    struct Pair // snapshots that are compared
    {
        int from = 0;
        int to = 0;
    };
    void makeHead();
    QWidget *makeLower();
    void choose(int number);
    void takeSelection();
    void compare(Pair pair, const QString &title);
    void takeChanges(const Result<QList<FolderChange>> &changes, const QString &title);
    void showContent();
    void ask(Question question);
    void explainNames();
    void answer();
    QString titleOf(Pair pair) const;

    WorkbenchContext &m_context;
    SessionDeeds &m_deeds;
    ShownSession m_shown;
    SnapshotsModel m_model;
    ChangeList m_changes;
    QSplitter *m_splitter;
    QTreeView *m_list;
    QLabel *m_summary;
    QLineEdit *m_name;
    QWidget *m_usual; // buttons
    QWidget *m_answers; // to the question
    QPushButton *m_yes;
    QPushButton *m_no;
    QTreeView *m_changeView;
    DiffView *m_diff;
    Question m_question = Question::None;
    int m_asked = 0; // number of the snapshot that the question is about
    Pair m_pair;
    int m_generation = 0; // late answers are dropped
    int m_contentGeneration = 0;
};

} // namespace glovebox
