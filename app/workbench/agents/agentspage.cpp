// SPDX-License-Identifier: Apache-2.0
#include "agentspage.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/roles.h"
#include "approval/approvalsheet.h"
#include "approval/askwords.h"
#include "calls/calllist.h"
#include "clientlist.h"
#include "serverlist.h"

#include <QDateTime>
#include <QLocale>
#include <QScrollArea>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostCalls = 12;
constexpr int refreshMilliseconds = 2000; // other programs write the record, too

QString dayWord(qint64 microseconds)
{
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(microseconds / 1000).date(), QLocale::ShortFormat);
}

QString timeWord(qint64 microseconds)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(microseconds / 1000);
    return time.date() == QDate::currentDate() ? QLocale().toString(time.time(), u"HH:mm:ss"_s)
                                               : QLocale().toString(time, QLocale::ShortFormat);
}

AgentsPage::Known knownOf(Engine &engine)
{
    AgentsPage::Known known;
    const auto clients = engine.approvals().clients();
    if (!clients) {
        known.trouble = clients.error().message;
        return known;
    }
    for (const PairedClient &client : *clients) {
        const auto grants = engine.approvals().grantsOf(client.id);
        if (!grants)
            known.trouble = grants.error().message;
        known.clients.append({client, grants.value_or(QList<StoredGrant>())});
    }
    if (const auto reader = engine.auditReader()) {
        RunFilter filter;
        filter.callerKind = Caller::Kind::Mcp;
        filter.limit = mostCalls;
        known.calls = (*reader)->runs(filter).value_or(QList<RunRow>());
    }
    for (const Session &session : engine.sessions().list().value_or(QList<Session>())) {
        if (!session.name.isEmpty())
            known.sessions.insert(session.id, session.name);
    }
    return known;
}

} // namespace

AgentsPage::AgentsPage(WorkbenchContext &context)
    : m_context(context)
    , m_endpoint(context)
    , m_sheet(new ApprovalSheet(context))
{
    context.inbox().onChange([this] { QMetaObject::invokeMethod(this, &AgentsPage::take, Qt::QueuedConnection); });
    m_refresh.setInterval(refreshMilliseconds);
    connect(&m_refresh, &QTimer::timeout, this, &AgentsPage::read);
    connect(&context, &WorkbenchContext::settingsChanged, this, &AgentsPage::show);
    connect(&m_endpoint, &Endpoint::changed, this, &AgentsPage::show);
}

AgentsPage::~AgentsPage()
{
    m_context.inbox().onChange({});
    if (m_sheet && !m_sheet->parent())
        delete m_sheet;
}

QWidget *AgentsPage::widget()
{
    if (m_scroll)
        return m_scroll;
    m_scroll = new QScrollArea;
    setNames(m_scroll, u"agents"_s, title());
    scrollDownOnly(m_scroll, Colour::Panel);
    auto *content = new QWidget;
    setBackground(content, Colour::Panel);
    auto *body = new QWidget(content);
    keepReadable(body, m_context.theme());
    auto *column = columnIn(body, Space::m, {Space::xl, Space::xl, Space::xl, Space::xl});
    column->addWidget(makeLabel(tr("Programs that run code here"), body, FontRole::Title));
    m_summary = makeLabel({}, body, FontRole::Base, Colour::Dim);
    column->addWidget(m_summary);
    const auto part = [&](QPointer<QWidget> &widget) {
        widget = new QWidget(body);
        columnIn(widget, Space::s);
        column->addWidget(widget);
    };
    part(m_waiting); // on top: what waits is why somebody comes here
    m_rules = new AgentRules(m_context, m_endpoint, body);
    column->addWidget(m_rules);
    m_live = new CallList(m_context, m_endpoint.calls(), body);
    column->addWidget(m_live);
    part(m_connected);
    part(m_clients);
    part(m_calls);
    m_add = new ClientList(m_context, body);
    column->addWidget(m_add);
    m_servers = new ServerList(m_context, body);
    column->addWidget(m_servers);
    for (QWidget *headed : std::initializer_list<QWidget *>{m_live, m_connected, m_clients, m_calls, m_add, m_servers})
        headed->setContentsMargins(0, Space::xl, 0, 0);
    column->addStretch();
    auto *row = rowIn(content, Space::s);
    row->addWidget(body, 100);
    row->addStretch(1);
    m_scroll->setWidget(content);
    show();
    return m_scroll;
}

void AgentsPage::activate()
{
    if (m_scroll)
        m_scroll->setFocus(Qt::OtherFocusReason);
    m_refresh.start();
    read();
    if (m_add)
        m_add->look();
    if (m_servers)
        m_servers->look();
}

QList<StatusItem> AgentsPage::status() const
{
    if (waiting() == 0)
        return {};
    return {{.id = u"agents"_s,
             .text = tr("%Ln wait(s) for you", nullptr, waiting()),
             .colour = Colour::Warn,
             .action = m_asks.isEmpty() ? QString() : u"agents.answer"_s,
             .description = {}}};
}

QString AgentsPage::closingEnds() const
{
    QStringList ends;
    const int asks = int(m_asks.size());
    if (asks > 0)
        ends << tr("%Ln question(s) of agents wait; closing denies them.", nullptr, asks);
    // Those that ask are among the runs; tools ask without one.
    const auto waiting =
        std::ranges::count_if(m_asks, [](const Inbox::Ask &ask) { return ask.request.tool.isEmpty(); });
    const int runs = m_context.engine() ? m_context.engine()->countRuns(Caller::Kind::Mcp) - int(waiting) : 0;
    if (runs > 0)
        ends << tr("%Ln run(s) of agents are going on in this window; closing stops them.", nullptr, runs);
    return ends.join(u'\n');
}

QHash<QString, QString> AgentsPage::names() const
{
    QHash<QString, QString> names;
    for (const Known::Client &known : m_known.clients)
        names.insert(known.client.id, known.client.name);
    return names;
}

void AgentsPage::take()
{
    m_asks = m_context.inbox().contents().asks;
    const QHash<QString, QString> names = this->names();
    if (m_live)
        m_live->setAsks(m_asks);
    if (m_sheet && m_scroll) {
        m_sheet->setWindow(m_scroll->window());
        m_sheet->setAsks(m_asks, names);
    }
    m_notice.take(m_asks, names, m_scroll ? m_scroll->window() : nullptr);
    showWaiting();
    m_context.actions().refresh();
    Q_EMIT waitingChanged();
    Q_EMIT statusChanged();
    read();
}

void AgentsPage::read()
{
    if (m_isReading || !m_context.engine())
        return;
    m_isReading = true;
    m_context.withEngine(this, knownOf, [this](Known known) {
        m_isReading = false;
        known.connected = m_endpoint.connected();
        if (known == m_known)
            return;
        const bool hasNewClients = known.clients != m_known.clients;
        m_known = known;
        show();
        if (hasNewClients && !m_asks.isEmpty())
            take(); // the sheet knows them by name now
    });
}

void AgentsPage::show()
{
    if (!m_scroll)
        return;
    m_summary->setText(
        m_known.trouble ? translated(*m_known.trouble)
        : m_known.clients.isEmpty() && m_known.calls.isEmpty()
            ? tr("No program has run code here yet. Add one below; it starts \"glovebox mcp\" by itself.")
        : m_rules->arePaused() ? tr("Agents are paused: nothing of theirs starts until you resume them below.")
        : m_rules->areUsual()
            ? tr("Code within the usual limits runs without a question. Whatever wants more needs your answer.")
            : tr("The switches below say what agents may do without a question."));
    setTextColour(m_summary, m_known.trouble ? Colour::Bad : Colour::Dim);
    m_rules->show();
    m_live->setNames(names(), m_known.sessions);
    m_live->setOpen(m_endpoint.isOpen());
    showWaiting();
    showConnected();
    showClients();
    showCalls();
}

void AgentsPage::showWaiting()
{
    if (!m_waiting)
        return;
    auto *column = qobject_cast<QVBoxLayout *>(m_waiting->layout());
    clearLayout(column);
    m_waiting->setVisible(!m_asks.isEmpty());
    if (m_asks.isEmpty())
        return;
    auto *line = new QWidget(m_waiting);
    auto *row = rowIn(line, Space::m);
    row->addWidget(new IconView(m_context.theme(), Icon::Warning, Colour::Warn, line));
    row->addWidget(makeLabel(tr("%Ln question(s) of agents wait for your answer.", nullptr, int(m_asks.size())), line),
                   1);
    row->addWidget(m_context.actions().makeButton(u"agents.answer"_s, u"agents.answer-button"_s, line));
    column->addWidget(line);
}

void AgentsPage::showConnected()
{
    auto *column = qobject_cast<QVBoxLayout *>(m_connected->layout());
    clearLayout(column);
    m_connected->setVisible(!m_known.connected.isEmpty());
    if (m_known.connected.isEmpty())
        return;
    column->addWidget(makeLabel(tr("Connected to this window"), m_connected, FontRole::Strong));
    for (const Caller &caller : std::as_const(m_known.connected)) {
        auto *name = makeLabel(callerName(caller, {}), m_connected);
        markAsData(name);
        column->addWidget(name);
        column->addWidget(makeLabel(askOrigin(caller, {}), m_connected, FontRole::Small, Colour::Dim));
    }
}

void AgentsPage::showClients()
{
    auto *column = qobject_cast<QVBoxLayout *>(m_clients->layout());
    clearLayout(column);
    m_clients->setVisible(!m_known.clients.isEmpty()); // an empty part would move the others apart
    if (m_known.clients.isEmpty())
        return;
    column->addWidget(makeLabel(tr("Paired agents"), m_clients, FontRole::Strong));
    int number = 0;
    for (const Known::Client &known : std::as_const(m_known.clients)) {
        const PairedClient &client = known.client;
        ++number;
        int grantNumber = 0;
        const QString name = plainWord(client.name);
        auto *head = new QWidget(m_clients);
        auto *row = rowIn(head, Space::m);
        auto *words = new QVBoxLayout;
        words->setSpacing(0);
        auto *title = makeLabel(name, head, FontRole::Strong);
        markAsData(title);
        words->addWidget(title);
        words->addWidget(
            makeLabel(client.program.isEmpty()
                          ? tr("paired %1").arg(dayWord(client.pairedMicroseconds))
                          : tr("paired %1, %2").arg(dayWord(client.pairedMicroseconds), plainWord(client.program)),
                      head, FontRole::Small, Colour::Dim));
        row->addLayout(words, 1);
        auto *runs = makeButton(tr("Show runs"), u"agents.runs.%1"_s.arg(number), head, tr("Runs of %1").arg(name));
        connect(runs, &QPushButton::clicked, this, [this, client] { showRunsOf(client.id, {}, client.name); });
        row->addWidget(runs, 0, Qt::AlignTop);
        const bool isAsked = m_removing == client.id;
        auto *removing =
            makeButton(isAsked ? tr("Remove and end its runs") : tr("Remove"), u"agents.remove.%1"_s.arg(number), head,
                       isAsked ? tr("Remove %1 and end its runs").arg(name) : tr("Remove %1").arg(name));
        connect(removing, &QPushButton::clicked, this, [this, client] { remove(client); });
        row->addWidget(removing, 0, Qt::AlignTop);
        if (isAsked) {
            auto *keep = makeButton(tr("Keep"), u"agents.keep"_s, head, tr("Keep %1").arg(name));
            connect(keep, &QPushButton::clicked, this, [this] {
                m_removing.clear();
                showClients();
            });
            row->addWidget(keep, 0, Qt::AlignTop);
        }
        column->addWidget(head);
        if (known.grants.isEmpty())
            column->addWidget(
                makeLabel(tr("Nothing was granted to it alone."), m_clients, FontRole::Base, Colour::Dim));
        for (const StoredGrant &grant : known.grants) {
            const QString words2 = wantWords(grant.want);
            auto *line = new QWidget(m_clients);
            auto *parts = rowIn(line, Space::m);
            parts->addWidget(new IconView(m_context.theme(), grant.allowed ? Icon::Warning : Icon::Stop,
                                          grant.allowed ? Colour::Warn : Colour::Dim, line));
            parts->addWidget(
                makeLabel(grant.allowed ? tr("May use %1").arg(words2) : tr("Never: %1").arg(words2), line), 1);
            auto *since =
                makeLabel(tr("since %1").arg(dayWord(grant.sinceMicroseconds)), line, FontRole::Small, Colour::Dim);
            since->setWordWrap(false);
            parts->addWidget(since);
            auto *back = makeButton(tr("Take back"), u"agents.takeback.%1-%2"_s.arg(number).arg(++grantNumber), line,
                                    tr("Take back %1 from %2").arg(words2, name));
            setLook(back, ButtonLook::Link);
            connect(back, &QPushButton::clicked, this, [this, id = client.id, want = grant.want] {
                m_context.withEngine(
                    this, [id, want](Engine &engine) { return engine.approvals().takeBack(id, want, engine.caller()); },
                    [this](const Status &status) {
                        tell(status);
                        read();
                    });
            });
            parts->addWidget(back);
            column->addWidget(line);
        }
        column->addWidget(makeRule(Qt::Horizontal, m_clients));
    }
}

void AgentsPage::remove(const PairedClient &client)
{
    if (m_removing != client.id) { // the first click asks
        m_removing = client.id;
        showClients();
        return;
    }
    m_removing.clear();
    struct Removed
    {
        Status status;
        int runs = 0;
    };
    m_context.withEngine(
        this,
        [id = client.id](Engine &engine) {
            // First the grants, so that nothing starts after its runs are ended.
            Removed removed{engine.approvals().remove(id, engine.caller()), 0};
            if (removed.status)
                removed.runs = engine.cancelRunsOf(
                    id, Text(QT_TRANSLATE_NOOP("engine", "The person removed the agent that started this run.")));
            return removed;
        },
        [this, name = plainWord(client.name)](const Removed &removed) {
            tell(removed.status);
            if (removed.status)
                m_context.notifications().show(
                    {.id = u"agents-removed"_s,
                     .tone = Tone::Ok,
                     .text = removed.runs == 0
                                 ? tr("%1 is removed.").arg(name)
                                 : tr("%1 is removed; %Ln run(s) of it ended.", nullptr, removed.runs).arg(name)});
            read();
        });
}

void AgentsPage::showCalls()
{
    auto *column = qobject_cast<QVBoxLayout *>(m_calls->layout());
    clearLayout(column);
    m_calls->setVisible(!m_known.calls.isEmpty());
    if (m_known.calls.isEmpty())
        return;
    auto *head = new QWidget(m_calls);
    auto *above = rowIn(head, Space::m);
    above->addWidget(makeLabel(tr("Latest runs"), head, FontRole::Strong), 1);
    auto *all = makeButton(tr("All of them in the history"), u"agents.history"_s, head);
    setLook(all, ButtonLook::Link);
    connect(all, &QPushButton::clicked, this,
            [this] { m_context.navigateTo(u"history"_s, {{u"caller"_s, toString(Caller::Kind::Mcp)}}); });
    above->addWidget(all);
    column->addWidget(head);
    int number = 0;
    for (const RunRow &call : std::as_const(m_known.calls)) {
        auto *line = new QWidget(m_calls);
        auto *row = rowIn(line, Space::m);
        const QString program = plainWord(call.callerName.section(u'/', -1));
        const QString time = timeWord(call.timeMicroseconds);
        auto *open = makeButton(time, u"agents.call.%1"_s.arg(++number), line,
                                tr("Show the run of %1 by %2").arg(time, program));
        open->setProperty(roles::data, true); // a time
        setLook(open, ButtonLook::Link);
        connect(open, &QPushButton::clicked, this,
                [this, run = call.run] { m_context.navigateTo(u"history"_s, {{u"run"_s, run}}); });
        row->addWidget(open);
        auto *who = makeButton(program, u"agents.of.%1"_s.arg(number), line, tr("Runs of %1").arg(program));
        who->setProperty(roles::data, true); // a program's name
        setLook(who, ButtonLook::Link);
        connect(who, &QPushButton::clicked, this, [this, call, program] { showRunsOf({}, call.callerName, program); });
        who->setMinimumWidth(m_context.theme().scaled(90));
        row->addWidget(who);
        auto *what = makeLabel(plainWord(call.firstLine.left(80)), line, FontRole::Code, Colour::Dim);
        what->setMinimumWidth(1);
        markAsData(what);
        row->addWidget(what, 1);
        row->addWidget(call.outcome
                           ? makeLabel(outcomeWord(*call.outcome), line, FontRole::Base, outcomeColour(*call.outcome))
                           : makeLabel(tr("Going on or waiting"), line, FontRole::Base, Colour::Accent));
        column->addWidget(line);
    }
}

void AgentsPage::showRunsOf(const QString &pairing, const QString &program, const QString &name)
{
    m_context.navigateTo(
        u"history"_s, {{u"agent"_s, QJsonObject{{u"pairing"_s, pairing}, {u"program"_s, program}, {u"name"_s, name}}}});
}

void AgentsPage::tell(const Status &status)
{
    if (!status)
        m_context.notifications().show({.id = u"agents"_s,
                                        .tone = Tone::Warn,
                                        .text = translated(status.error().message),
                                        .detail = translated(status.error().detail)});
}

} // namespace glovebox
