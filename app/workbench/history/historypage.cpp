// SPDX-License-Identifier: Apache-2.0
#include "historypage.h"

#include "details/detailspane.h"
#include "list/filterbar.h"
#include "list/runsmodel.h"
#include "list/runstable.h"

#include "app/workbench/runpanel/changes/changestab.h"
#include "app/workbench/shell/frame/messagepane.h"
#include "app/workbench/shell/look.h"

#include <QEvent>
#include <QHeaderView>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using namespace std::chrono_literals;

constexpr auto betweenPolls = 1s;
constexpr auto longReading = 200ms;
constexpr int roomBeside = 1000; // at the usual size of text
constexpr int roomBelow = 470;

} // namespace

HistoryPage::HistoryPage(WorkbenchContext &context)
    : m_context(context)
{
    addActions();
    m_poll.setInterval(betweenPolls);
    m_poll.setTimerType(Qt::CoarseTimer);
    connect(&m_poll, &QTimer::timeout, this, &HistoryPage::follow);
    m_readingTimer.setSingleShot(true);
    m_readingTimer.setInterval(longReading);
    connect(&m_readingTimer, &QTimer::timeout, this, [this] {
        m_sayReading = true;
        takeState();
    });
}

HistoryPage::~HistoryPage()
{
    m_model.reset();
}

QWidget *HistoryPage::widget()
{
    if (!m_widget) {
        m_widget = new QWidget;
        m_widget->setObjectName(u"history"_s);
        setBackground(m_widget, Colour::Panel);
    }
    return m_widget;
}

void HistoryPage::build()
{
    if (m_table)
        return;
    widget();
    Theme &theme = m_context.theme();
    m_listLog = std::make_unique<LogThread>(m_context.paths().auditFile());
    m_recordLog = std::make_unique<LogThread>(m_context.paths().auditFile());
    m_model = std::make_unique<RunsModel>(theme, *m_listLog, ContentStore(m_context.paths().storeFolder()));
    m_filter = new FilterBar(theme, m_widget);
    m_stack = new QStackedWidget(m_widget);
    m_message = new MessagePane(u"history.message"_s, m_stack);
    m_splitter = new QSplitter(Qt::Horizontal, m_stack);
    m_splitter->setChildrenCollapsible(false);
    m_table = new RunsTable(theme, *m_model, m_splitter);
    setNames(m_table, u"history.runs"_s, tr("Runs, newest first"));
    m_details = new DetailsPane(m_context, m_splitter);
    m_splitter->addWidget(m_table);
    m_splitter->addWidget(m_details);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 0);
    m_details->hide();
    m_newer = new QPushButton(m_table);
    setLook(m_newer, ButtonLook::Badge);
    m_newer->hide();
    m_stack->addWidget(m_splitter);
    m_stack->addWidget(m_message);
    auto *layout = columnIn(m_widget, 0);
    layout->addWidget(m_filter);
    layout->addWidget(makeRule(Qt::Horizontal, m_widget));
    layout->addWidget(m_stack, 1);

    connect(m_filter, &FilterBar::changed, this, [this] { m_model->setFilter(m_filter->filter()); });
    connect(m_filter, &FilterBar::left, this, [this] { activate(); });
    connect(m_model.get(), &RunsModel::stateChanged, this, &HistoryPage::takeState);
    connect(m_model.get(), &RunsModel::runChanged, this, [this](const QString &run) {
        if (run == m_run)
            showRun(run);
    });
    connect(m_model.get(), &RunsModel::arrived, this, [this](int count) {
        m_newerCount += count;
        placeNewer();
    });
    connect(m_model.get(), &QAbstractItemModel::modelReset, this, [this] {
        m_newerCount = 0;
        placeNewer();
        // The run that is shown is still the current one where it is in the new list.
        const int row = m_record ? m_model->rowOf(m_record->row.seq) : -1;
        if (row >= 0)
            m_table->selectRow(row);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &HistoryPage::takeSelection);
    connect(m_table, &QAbstractItemView::clicked, this, [this] {
        m_detailsOpen = true;
        takeSelection();
    });
    connect(m_table, &RunsTable::chosen, this, [this] {
        if (m_details->isVisible()) {
            m_context.actions().trigger(u"history.open"_s);
            return;
        }
        m_detailsOpen = true;
        takeSelection();
    });
    m_table->setDismiss([this] {
        const bool wasOpen = m_detailsOpen;
        closeDetails();
        return wasOpen;
    });
    connect(m_table, &RunsTable::newestChanged, this, &HistoryPage::placeNewer);
    connect(m_details, &DetailsPane::dismissed, this, &HistoryPage::closeDetails);
    connect(m_details, &DetailsPane::allowWanted, this, [this](const QString &host) { open(false, host); });
    connect(&m_context, &WorkbenchContext::readinessChanged, m_details,
            [this] { m_details->setCanRunAgain(canRunAgain()); });
    connect(&m_context, &WorkbenchContext::engineChanged, m_details,
            [this] { m_details->setCanRunAgain(canRunAgain()); });
    connect(m_newer, &QPushButton::clicked, this, [this] {
        m_table->goToNewest();
        m_table->setFocus();
    });
    connect(m_splitter, &QSplitter::splitterMoved, this, &HistoryPage::keepSizes);
    connect(&m_context.theme(), &Theme::changed, this, &HistoryPage::arrange);
    m_stack->installEventFilter(this);
    m_table->viewport()->installEventFilter(this);
    engineReady();
    arrange();
    m_model->setFilter(m_filter->filter());
}

// --- following

void HistoryPage::activate()
{
    if (m_closing)
        return;
    build();
    if (!m_shown) {
        m_shown = true;
        m_model->setActive(true);
        m_poll.start();
        follow();
    }
    if (m_record && m_record->hasCopies()) // about whose changes the bench may have decided
        showRun(m_run);
    countWaiting();
    if (m_stack->currentWidget() == m_message)
        (m_message->mainButton() ? m_message->mainButton() : static_cast<QWidget *>(m_filter))->setFocus();
    else if (m_table->isVisibleTo(m_splitter))
        m_table->setFocus();
    else
        m_details->setFocus();
}

void HistoryPage::deactivate()
{
    m_shown = false;
    m_poll.stop();
    if (m_model)
        m_model->setActive(false);
}

void HistoryPage::engineReady()
{
    m_closing = false;
    if (!m_context.engine() || !m_filter)
        return;
    for (const auto &language : Languages::all())
        m_filter->addLanguage(language->id(), language->name());
}

void HistoryPage::engineClosing()
{
    deactivate();
    m_closing = true;
    m_context.actions().refresh();
    if (!m_model)
        return;
    // Their threads end now, and what is shown stays.
    m_model->stop();
    m_listLog->stop();
    m_recordLog->stop();
}

QString HistoryPage::closingEnds() const
{
    return m_details ? m_details->closingEnds() : QString();
}

// Asks the thread that isn't searching; one question at a time.
void HistoryPage::follow()
{
    if (m_polling || m_closing)
        return;
    m_polling = true;
    m_recordLog->ask(
        this, [](AuditReader &reader) { return reader.dataVersion(); },
        [this](const Result<qint64> &version) {
            m_polling = false;
            m_filter->lookAtDay();
            const auto last = std::exchange(m_version, version);
            if (last && *last == version)
                return;
            m_model->takeChanges(); // the first time: what came between the list and this
            if (m_record && m_record->hasCopies()) // about whose changes somebody may have decided
                showRun(m_run);
            countWaiting();
        });
}

// --- what is shown

void HistoryPage::takeState()
{
    m_filter->setFolded(m_model->folded());
    if (!m_model->isReading()) {
        m_readingTimer.stop();
        m_sayReading = false;
        for (int row = 0; row < std::min(m_model->rowCount(), RunsModel::blockRows); ++row) {
            if (const RunRow *run = m_model->runAt(row))
                m_filter->addLanguage(run->language, run->language);
        }
    } else if (!m_sayReading && !m_readingTimer.isActive()) {
        m_readingTimer.start();
    }
    const bool hadFocus = m_stack->currentWidget()->isAncestorOf(m_widget->window()->focusWidget());
    if (m_model->rowCount() > 0) {
        m_stack->setCurrentWidget(m_splitter);
    } else if (!m_model->isReading() || m_sayReading) {
        const auto step = u"step"_s;
        if (m_model->isReading() && !m_model->filter().contains.isEmpty())
            m_message->show(tr("Searching the log"), {tr("Code and output of every run are searched, newest first.")},
                            {}, {});
        else if (m_model->isReading())
            m_message->show(tr("Reading the log"), {tr("This takes longer than usual.")}, {}, {});
        else if (const auto &error = m_model->error())
            m_message->show(tr("The log can't be read"), {translated(error->message)}, translated(error->detail),
                            {{step, tr("Try again"), [this] { m_context.actions().trigger(u"history.refresh"_s); }}});
        else if (m_model->folded() > 0)
            m_message->show(
                m_model->isFiltered() ? tr("No other run matches") : tr("No other run"),
                {tr("%Ln run(s) of Glovebox's own code are hidden, which got packages.", "", m_model->folded())}, {},
                {{step, tr("Show them"), [this] { m_filter->unfold(); }}});
        else if (m_model->isFiltered())
            m_message->show(tr("No run matches"), {tr("The log has runs, but none of them matches.")}, {},
                            {{step, tr("Show all runs"), [this] { m_filter->showAll(); }}});
        else
            m_message->show(
                tr("Nothing has run yet"),
                {tr("Every run will be here, newest first, whichever program started it: what ran, who asked "
                    "for it, how it ended and what it printed.")},
                {}, {{step, tr("Write something to run"), [this] { m_context.navigateTo(u"bench"_s); }}});
        m_stack->setCurrentWidget(m_message);
    }
    if (hadFocus && m_shown && !m_stack->currentWidget()->isAncestorOf(m_widget->window()->focusWidget()))
        activate();
    m_context.actions().refresh();
    Q_EMIT statusChanged();
}

QList<StatusItem> HistoryPage::status() const
{
    if (!m_model || m_closing)
        return {};
    const auto item = [](const QString &name, const QString &text) {
        return StatusItem{.id = name, .text = text, .colour = Colour::Dim};
    };
    QList<StatusItem> items;
    if (m_sayReading || (!m_model->filter().contains.isEmpty() && !m_model->isComplete() && !m_model->error()))
        items.append(item(u"reading"_s, m_model->isFiltered() ? tr("Searching the log") : tr("Reading the log")));
    else if (const auto error = m_model->error(); error && m_model->rowCount() > 0)
        items.append({.id = u"trouble"_s,
                      .text = tr("The log can't be read further"),
                      .colour = Colour::Bad,
                      .action = u"history.refresh"_s,
                      .description = translated(error->message)});
    else if (m_model->isComplete() && m_model->rowCount() > 0)
        items.append(item(u"count"_s, m_model->isFiltered() ? tr("%Ln run(s) match", "", m_model->rowCount())
                                                            : tr("%Ln run(s)", "", m_model->rowCount())));
    if (!m_waiting.isEmpty() && m_context.engine())
        items.append({.id = u"waiting"_s,
                      .text = tr("Changes of %Ln run(s) wait", "", int(m_waiting.size())),
                      .colour = Colour::Warn,
                      .action = u"history.changes.next"_s,
                      .description = tr("Review what runs changed in copies of folders")});
    if (!m_model->error())
        items.append(item(u"following"_s,
                          m_newerCount > 0 ? tr("%Ln new run(s) above", "", m_newerCount) : tr("Following new runs")));
    return items;
}

void HistoryPage::takeSelection()
{
    const RunRow *run = m_model->runAt(m_table->currentIndex().row());
    if (!run)
        return;
    // Where the details take the place of the list, moving through it by keys doesn't open them.
    if (m_place != Place::Instead)
        m_detailsOpen = true;
    if (run->run != m_run)
        showRun(run->run);
    arrange();
}

void HistoryPage::showRun(const QString &run)
{
    if (m_closing)
        return;
    if (run != m_run)
        m_record.reset();
    m_run = run;
    const int generation = ++m_recordGeneration;
    m_context.actions().refresh();
    m_recordLog->ask(
        this,
        [run, store = ContentStore(m_context.paths().storeFolder())](AuditReader &reader) {
            return readRecord(reader, store, run);
        },
        [this, generation](const Result<RunRecord> &record) {
            if (generation == m_recordGeneration)
                takeRecord(record);
        });
}

void HistoryPage::takeRecord(const Result<RunRecord> &record)
{
    if (record && m_record == *record) {
        m_details->changes().lookAgain();
    } else if (record) {
        m_record = *record;
        m_details->setRecord(*record);
        if (const int row = m_model->rowOf(record->row.seq); row >= 0) // somebody else led here, and not the list
            m_table->selectRow(row);
    } else {
        m_record.reset();
        m_details->setError(record.error());
    }
    if (record && m_showsChangesOf == m_run)
        m_details->showChanges();
    m_showsChangesOf.clear();
    m_details->setCanRunAgain(canRunAgain());
    m_context.actions().refresh();
    arrange();
}

void HistoryPage::closeDetails()
{
    if (!m_detailsOpen)
        return;
    m_detailsOpen = false;
    m_run.clear();
    m_record.reset();
    ++m_recordGeneration;
    if (m_place != Place::Instead)
        m_table->setCurrentIndex({});
    m_details->clear();
    arrange();
    m_context.actions().refresh();
    m_table->setFocus();
}

void HistoryPage::navigate(const QJsonObject &request)
{
    const QString run = request.value(u"run"_s).toString();
    const QString secret = request.value(u"secret"_s).toString();
    const auto caller = fromString<Caller::Kind>(request.value(u"caller"_s).toString());
    const QJsonObject agent = request.value(u"agent"_s).toObject();
    if ((run.isEmpty() && secret.isEmpty() && !caller && agent.isEmpty()) || m_closing)
        return;
    build();
    if (!secret.isEmpty()) {
        closeDetails();
        m_filter->showAll(secret);
    }
    if (caller) {
        closeDetails();
        m_filter->showCaller(*caller);
    }
    if (!agent.isEmpty()) {
        closeDetails();
        m_filter->showAgent(agent.value(u"pairing"_s).toString(), agent.value(u"program"_s).toString(),
                            agent.value(u"name"_s).toString());
    }
    if (run.isEmpty())
        return;
    m_detailsOpen = true;
    showRun(run);
    arrange();
}

// --- the panes

void HistoryPage::arrange()
{
    const Theme &theme = m_context.theme();
    const Place before = m_place;
    // As high as it is beside the filters, also while they are hidden: else hiding them would bring them back.
    const int filters = m_filter->isHidden() ? m_filter->sizeHint().height() : 0;
    m_place = m_stack->width() >= theme.scaled(roomBeside)             ? Place::Beside
              : m_stack->height() - filters >= theme.scaled(roomBelow) ? Place::Below
                                                                       : Place::Instead;
    const bool show = hasDetails();
    const bool wasShown = m_details->isVisibleTo(m_splitter);
    const bool listHadFocus = m_table->hasFocus();
    m_details->setBesideList(m_place == Place::Beside);
    m_splitter->setOrientation(m_place == Place::Beside ? Qt::Horizontal : Qt::Vertical);
    const bool hasList = !show || m_place != Place::Instead;
    m_filter->setVisible(hasList); // there is nothing to filter, and no room
    m_table->setVisible(hasList);
    m_details->setVisible(show);
    if (show && listHadFocus && m_place == Place::Instead)
        m_details->setFocus();
    if (!show || (wasShown && m_place == before) || m_place == Place::Instead)
        return;
    const int room = m_place == Place::Beside ? m_stack->width() : m_stack->height();
    const int usual = m_place == Place::Beside ? theme.scaled(440) : room * 3 / 5;
    const int size = m_sizes.value(m_place == Place::Beside ? u"beside"_s : u"below"_s).toInt(usual);
    m_splitter->setSizes({std::max(1, room - size), std::min(size, room - 1)});
    // What was chosen stays in view where the list became lower.
    if (m_table->currentIndex().isValid())
        m_table->scrollTo(m_table->currentIndex());
}

void HistoryPage::keepSizes()
{
    if (m_place != Place::Instead && hasDetails())
        m_sizes[m_place == Place::Beside ? u"beside"_s : u"below"_s] = m_splitter->sizes().value(1);
    Q_EMIT statusChanged(); // the frame saves what pages remember
}

// "3 new runs", in the widest column's head so that no run is covered, while these are above what is looked at.
void HistoryPage::placeNewer()
{
    if (m_table->isAtNewest())
        m_newerCount = 0;
    if (m_newer->isHidden() != (m_newerCount == 0) || m_newerCount > 0)
        Q_EMIT statusChanged();
    m_newer->setVisible(m_newerCount > 0);
    if (m_newerCount == 0)
        return;
    const QString text = tr("%Ln new run(s)", "", m_newerCount);
    m_newer->setText(text);
    setNames(m_newer, u"history.newer"_s, text, tr("Go to the newest run"));
    m_newer->adjustSize();
    const QHeaderView *head = m_table->horizontalHeader();
    const int left = head->sectionViewportPosition(RunsModel::CodeColumn);
    const int room = head->sectionSize(RunsModel::CodeColumn) - m_newer->width() - Space::s;
    m_newer->move(head->x() + left + (m_table->isRightToLeft() ? Space::s : std::max(room, 0)),
                  head->y() + (head->height() - m_newer->height()) / 2);
    m_newer->raise();
}

bool HistoryPage::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize) {
        if (watched == m_stack)
            arrange();
        else
            placeNewer();
    }
    return false;
}

} // namespace glovebox
