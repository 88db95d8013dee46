// SPDX-License-Identifier: Apache-2.0
// The history: every run on record, of all programs, newest first, and each of them in full.
//
// navigate() knows {"run": id}: shows that run; {"secret": name}: lists the runs that asked for that secret;
// {"caller": "mcp"}: those of callers of that kind. The record is read
// without the engine, so that it can be read where nothing can run.
#pragma once

#include "details/record.h"
#include "list/logthread.h"

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <QPointer>
#include <QTimer>

class QPushButton;
class QSplitter;
class QStackedWidget;

namespace glovebox {

class DetailsPane;
class FilterBar;
class MessagePane;
class RunsModel;
class RunsTable;

class HistoryPage : public Page
{
    Q_OBJECT
public:
    explicit HistoryPage(WorkbenchContext &context);
    ~HistoryPage() override;

    QString id() const override { return QStringLiteral("history"); }
    QString title() const override { return tr("History"); }
    Icon icon() const override { return Icon::History; }
    QWidget *widget() override;
    void activate() override;
    void deactivate() override;
    void engineReady() override;
    void engineClosing() override;
    QString closingEnds() const override;
    QList<StatusItem> status() const override;
    void navigate(const QJsonObject &request) override;
    QJsonObject saveState() const override { return m_sizes; }
    void restoreState(const QJsonObject &state) override { m_sizes = state; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    enum class Place { Beside, Below, Instead }; // where the details are, as the window has room

    // actions (historyactions.cpp)
    void addActions();
    bool canRunAgain() const;
    void open(bool run, const QString &host = {}); // host: that the person may allow it there
    void copyCommand();

    void build(); // when it is looked at first
    void follow();
    void takeState();
    void takeSelection();
    void showRun(const QString &run);
    void takeRecord(const Result<RunRecord> &record);
    void countWaiting();
    void showNextWaiting();
    void closeDetails();
    void arrange();
    void placeNewer();
    void keepSizes();
    bool hasDetails() const { return m_detailsOpen && !m_run.isEmpty(); }

    WorkbenchContext &m_context;
    QPointer<QWidget> m_widget;
    bool m_shown = false;
    bool m_closing = false;
    // What goes with m_widget; null until build().
    FilterBar *m_filter = nullptr;
    QStackedWidget *m_stack = nullptr;
    MessagePane *m_message = nullptr;
    QSplitter *m_splitter = nullptr;
    QPointer<RunsTable> m_table;
    QPointer<QPushButton> m_newer;
    DetailsPane *m_details = nullptr;
    // The threads outlive the model, which asks them.
    std::unique_ptr<LogThread> m_listLog; // may be busy with a long search
    std::unique_ptr<LogThread> m_recordLog;
    std::unique_ptr<RunsModel> m_model;

    QString m_run; // whose details are shown
    std::optional<RunRecord> m_record; // of m_run, once it was read
    int m_recordGeneration = 0; // late answers for another run are dropped
    Place m_place = Place::Beside;
    bool m_detailsOpen = false;
    QStringList m_waiting; // runs whose changes can be decided about, newest first
    QString m_showsChangesOf; // once it was read
    int m_newerCount = 0; // runs that came in while the person looks at others
    QTimer m_poll;
    bool m_polling = false;
    std::optional<Result<qint64>> m_version; // of the log, as it was read last
    QTimer m_readingTimer; // a reading that takes long is said
    bool m_sayReading = false;
    QJsonObject m_sizes; // of the panes, by place
};

} // namespace glovebox
