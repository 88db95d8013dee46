// SPDX-License-Identifier: Apache-2.0
#include "calllist.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"

#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <climits>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int showEveryMilliseconds = 150; // at most
constexpr int mostRowsHigh = 10; // then the list scrolls
constexpr int leastCharacters = 70; // in a row, for all columns

} // namespace

CallList::CallList(WorkbenchContext &context, std::shared_ptr<LiveCalls> calls, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_calls(std::move(calls))
    , m_model(context.theme())
{
    auto *column = columnIn(this, Space::s);
    auto *head = new QWidget(this);
    auto *row = rowIn(head, Space::m);
    row->addWidget(makeLabel(tr("Calls to this window"), head, FontRole::Strong), 1);
    m_show = makeButton(tr("Show its run"), u"agents.calls.run"_s, head, tr("Show the run of the chosen call"));
    setLook(m_show, ButtonLook::Link);
    row->addWidget(m_show);
    column->addWidget(head);
    m_remark = makeLabel({}, this, FontRole::Base, Colour::Dim);
    m_remark->setObjectName(u"agents.calls.remark"_s);
    column->addWidget(m_remark);
    m_view = new QTreeView(this);
    showRows(m_view, &m_model);
    m_view->header()->setStretchLastSection(false);
    for (int section = 0; section < m_model.columnCount(); ++section)
        m_view->header()->setSectionResizeMode(section, section == CallsModel::What || section == CallsModel::Result
                                                            ? QHeaderView::Stretch
                                                            : QHeaderView::Fixed);
    ::glovebox::setNames(m_view, u"agents.calls"_s, tr("Calls to this window, newest first"));
    m_view->setAccessibleDescription(tr("Enter shows the run of a call, or the question that it waits for."));
    column->addWidget(m_view);
    connect(m_view, &QTreeView::activated, this, &CallList::openChosen);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CallList::showButton);
    connect(m_show, &QPushButton::clicked, this, &CallList::openChosen);
    connect(&context.theme(), &Theme::changed, this, &CallList::fit);
    m_soon.setSingleShot(true);
    m_soon.setInterval(showEveryMilliseconds);
    connect(&m_soon, &QTimer::timeout, this, &CallList::show);
    m_tick.setInterval(1000);
    connect(&m_tick, &QTimer::timeout, &m_model, &CallsModel::tick);
    m_calls->onChange([this] {
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (!m_soon.isActive())
                    m_soon.start();
            },
            Qt::QueuedConnection);
    });
    show();
}

CallList::~CallList()
{
    m_calls->onChange({});
}

void CallList::setNames(const QHash<QString, QString> &agents, const QHash<QString, QString> &sessions)
{
    m_model.setNames(agents, sessions);
}

void CallList::setAsks(const QList<Inbox::Ask> &asks)
{
    m_asks = asks;
    show();
}

void CallList::setOpen(bool isOpen)
{
    m_isOpen = isOpen;
    show();
}

void CallList::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    fit();
}

void CallList::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitColumns();
}

void CallList::show()
{
    const LiveCalls::Contents contents = m_calls->contents();
    QList<CallRow> rows;
    for (const LiveCall &call : contents.calls)
        rows.append({call, !call.end && isWaiting(call)});
    const qsizetype before = m_model.rows().size();
    m_model.take(rows);
    const int total = int(std::min<quint64>(contents.total, INT_MAX));
    m_remark->setText(
        total == 0 ? tr("Each call that an agent makes to this window will be listed here.")
        : std::size_t(total) > LiveCalls::most
            ? tr("%Ln call(s) since this window opened; the latest are listed. The log has the runs.", nullptr, total)
            : tr("%Ln call(s) since this window opened. The log has the runs.", nullptr, total));
    m_view->setVisible(contents.total > 0);
    setVisible(m_isOpen || contents.total > 0);
    if (rows.size() != before)
        fit();
    else
        fitColumns();
    if (m_model.hasOpen() != m_tick.isActive())
        m_model.hasOpen() ? m_tick.start() : m_tick.stop();
    showButton();
}

void CallList::fit()
{
    const int rows = std::clamp(m_model.rowCount(), 1, mostRowsHigh);
    const int height = std::max(m_view->sizeHintForRow(0), m_view->fontMetrics().height());
    m_view->setFixedHeight(m_view->header()->sizeHint().height() + rows * height + 2 * m_view->frameWidth());
    fitColumns();
}

// As wide as what is in them; but a name may be long, which the client chose. Where there is little room, who, what and the result stay.
void CallList::fitColumns()
{
    const int room = m_view->viewport()->width();
    const bool isNarrow = room < leastCharacters * m_view->fontMetrics().averageCharWidth();
    m_view->setColumnHidden(CallsModel::Time, isNarrow);
    m_view->setColumnHidden(CallsModel::Took, isNarrow);
    const int most = room / 5;
    for (const int column : {CallsModel::Time, CallsModel::Agent, CallsModel::Tool, CallsModel::Took}) {
        m_view->resizeColumnToContents(column);
        m_view->setColumnWidth(column, std::min(m_view->columnWidth(column), most));
    }
}

void CallList::showButton()
{
    const int row = m_view->currentIndex().row();
    m_show->setEnabled(row >= 0 && row < m_model.rowCount() && !m_model.row(row).call.run.isEmpty());
}

void CallList::openChosen()
{
    const int row = m_view->currentIndex().row();
    if (row < 0 || row >= m_model.rowCount())
        return;
    const CallRow &chosen = m_model.row(row);
    if (chosen.isWaiting)
        m_context.actions().trigger(u"agents.answer"_s);
    else if (!chosen.call.run.isEmpty())
        m_context.navigateTo(u"history"_s, {{u"run"_s, chosen.call.run}});
}

// A run that is asked about is known by its id; a question about a call itself, by its client and tool.
bool CallList::isWaiting(const LiveCall &call) const
{
    return std::ranges::any_of(m_asks, [&call](const Inbox::Ask &ask) {
        const ApprovalRequest &request = ask.request;
        return request.tool.isEmpty()
                   ? request.run == call.run
                   : request.tool == call.call.tool && request.caller.connection == call.call.caller.connection;
    });
}

} // namespace glovebox
