// SPDX-License-Identifier: Apache-2.0
// The sessions: workspaces that last from run to run, with their files and the way back to each earlier state.
//
// navigate() knows {"session": id}: shows it, with {"undo": run}: and asks whether to go back to the state before that run;
// {"add": true}: the form of a new one, which then is the bench's. With {"install": names, "language": id} it shows the field of
// packages, with these names, of the session or of the new one.
#pragma once

#include "list/sessionsmodel.h"
#include "sessiondeeds.h"

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <QPointer>
#include <QSortFilterProxyModel>
#include <QTimer>

class QLabel;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTreeView;

namespace glovebox {

class MessagePane;
class SessionForm;
class SessionPane;

class SessionsPage : public Page
{
    Q_OBJECT
public:
    explicit SessionsPage(WorkbenchContext &context);
    ~SessionsPage() override;

    QString id() const override { return QStringLiteral("sessions"); }
    QString title() const override { return tr("Sessions"); }
    Icon icon() const override { return Icon::Sessions; }
    QWidget *widget() override;
    void activate() override;
    void deactivate() override;
    QList<QWidget *> areas() const override;
    void engineReady() override;
    void engineClosing() override { m_refresh.stop(); }
    QList<StatusItem> status() const override;
    void navigate(const QJsonObject &request) override;
    QString closingEnds() const override;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    // sessionactions.cpp
    void addActions();
    QWidget *makeHead();

    void build();
    bool isBeside() const; // there is room for the details beside the list
    void arrange();
    void takeTextSize();
    void showSide(QWidget *side); // null: none
    void closeSide();
    bool isFormOpen() const;
    void takeSelection();
    void read();
    void take(const SessionStock &stock);
    void showList();
    void takeWanted();
    void takeFocus();
    const ShownSession *selected() const; // null: none

    void beginForm(const std::optional<Session> &of = {}, int number = 0);
    void create(const NewSession &wanted);
    void runInIt(const Session &session);

    WorkbenchContext &m_context;
    SessionDeeds m_deeds;
    QPointer<QWidget> m_widget;
    QWidget *m_head = nullptr; // above the list and what is beside it
    QLineEdit *m_search = nullptr;
    QStackedWidget *m_stack = nullptr;
    MessagePane *m_message = nullptr;
    QSplitter *m_splitter = nullptr;
    QWidget *m_left = nullptr;
    QTreeView *m_list = nullptr;
    QLabel *m_foot = nullptr; // under the list: which expire soon
    QStackedWidget *m_sides = nullptr;
    SessionPane *m_pane = nullptr;
    SessionForm *m_form = nullptr;
    std::unique_ptr<SessionsModel> m_model;
    QSortFilterProxyModel m_filtered;
    std::optional<Error> m_error;
    QTimer m_refresh; // runs and other programs change sessions, too
    bool m_isKnown = false; // they were read once
    bool m_isReading = false;
    bool m_readsAgain = false;
    bool m_isForBench = false; // the new session: the bench is to run in it
    QPointer<QWidget> m_focusBefore; // when the page came
    bool m_isFocusWanted = false; // by activate(), where the first thing to do comes into sight
    QString m_wanted; // id; selected when it is in the list
    QString m_undoWanted; // run; asked about then
    std::optional<std::pair<QString, QString>> m_installWanted; // language and names; proposed then
};

} // namespace glovebox
