// SPDX-License-Identifier: Apache-2.0
// The packages that each run in a session can import: as locked, and the way to more of them with a log of how these come.
#pragma once

#include "app/workbench/packages/packagegetting.h"
#include "app/workbench/runpanel/output/outputlog.h"
#include "app/workbench/sessions/list/sessionstock.h"
#include "app/workbench/sessions/sessiondeeds.h"

#include "installform.h"
#include "packagetable.h"

#include <QTreeView>
#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace glovebox {

class GettingBar;
class OutputView;

class PackagesPanel : public QWidget
{
    Q_OBJECT
public:
    PackagesPanel(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent = nullptr);
    ~PackagesPanel() override;

    void setSession(const ShownSession &shown);
    // Opens the form, with these names for the language; both may be empty.
    void askToInstall(const QString &language = {}, const QString &names = {});
    // Of the package in the list that somebody asked for.
    bool canRemove() const { return !m_getting.isBusy() && m_model.namedAt(m_list->currentIndex()).has_value(); }
    void askToRemove();
    QString installsInto() const { return m_getting.isBusy() ? m_name : QString(); } // name of a session; empty: none
    bool withdraw(); // the question, the form or the log; false: none is shown

Q_SIGNALS:
    void asked();
    void stateChanged(); // of what can be done

private:
    void makeHead();
    void makeList();
    QWidget *makeQuestion();
    void ask(const std::optional<PackageTable::Named> &package);
    void remove();
    bool eventFilter(QObject *watched, QEvent *event) override;
    void read();
    void take(const Result<QList<ShownLock>> &locks);
    QWidget *makeFootOf(const ShownLock &shown);
    void saveLock(const ShownLock &shown);
    void show(QWidget *part);
    bool isOfShown() const { return m_session.id == m_for; } // what goes on, or went on last

    void install(const QList<WantedPackages> &packages);
    void begin(const QList<PackageOrder> &orders);
    void beginNext();
    void build(); // what has only its source
    void follow();
    void end(const Result<GotPackages> &got);
    QString endOf(const Error &error) const;

    WorkbenchContext &m_context;
    SessionDeeds &m_deeds;
    Session m_session;
    int m_generation = 0; // of reading the locks
    PackageGetting m_getting;
    QString m_for, m_name; // of the session that gets some: its id, and what it is called
    QList<PackageOrder> m_orders; // that come after the one that goes on
    QList<PackageOrder> m_after; // the one that failed last
    QStringList m_installed; // languages of those before it
    bool m_hadFocus = false; // the bar, when an order ended
    std::unique_ptr<OutputLog> m_log;
    qint64 m_printed = 0; // bytes
    PackageTable m_model;
    QLabel *m_remark = nullptr;
    QPushButton *m_logLink = nullptr;
    QPushButton *m_ask = nullptr;
    QWidget *m_barRoom;
    GettingBar *m_bar;
    QStackedWidget *m_parts;
    QWidget *m_listPart = nullptr;
    QLabel *m_empty = nullptr;
    QTreeView *m_list = nullptr;
    QWidget *m_question = nullptr;
    QLabel *m_questionWords = nullptr;
    QPushButton *m_keep = nullptr;
    std::optional<PackageTable::Named> m_asked; // about this one
    QWidget *m_foot = nullptr;
    InstallForm *m_form;
    OutputView *m_output;
};

} // namespace glovebox
