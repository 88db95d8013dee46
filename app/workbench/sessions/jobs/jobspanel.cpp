// SPDX-License-Identifier: Apache-2.0
#include "jobspanel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/sessionwords.h"

#include <QDesktopServices>
#include <QIntValidator>
#include <QLineEdit>
#include <QPainter>
#include <QUrl>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString nameOf(const Job &job)
{
    return job.firstLine.isEmpty() ? job.run.first(8) : withHiddenShown(job.firstLine);
}

// One line, which tells by an ellipsis that there is more of it.
class CodeLine : public QLabel
{
public:
    using QLabel::QLabel;

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(contentsRect(), int(alignment()),
                         fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
    }
};

} // namespace

JobsPanel::JobsPanel(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_deeds(deeds)
    , m_remark(makeLabel({}, this, FontRole::Base, Colour::Dim))
    , m_rows(new QWidget(this))
    , m_asking(makeAsking())
    , m_shown(makeLabel({}, this, FontRole::Small, Colour::Dim))
    , m_output(new OutputView(context.theme(), this))
{
    setBackground(this, Colour::Panel);
    auto *column = columnIn(this, 0);
    auto *head = new QWidget(this);
    auto *row = rowIn(head, Space::m, {Space::l, Space::s, Space::l, Space::s});
    auto *title = makeLabel(tr("Jobs"), head, FontRole::Strong);
    title->setWordWrap(false);
    row->addWidget(title);
    m_remark->setWordWrap(false);
    m_remark->setMinimumWidth(1);
    m_remark->setObjectName(u"sessions.jobs.remark"_s);
    row->addWidget(m_remark, 1);
    column->addWidget(makeRule(Qt::Horizontal, this));
    column->addWidget(head);
    columnIn(m_rows, 0);
    column->addWidget(m_rows);
    column->addWidget(m_asking);
    m_shown->setWordWrap(false);
    m_shown->setMinimumWidth(1);
    m_shown->setObjectName(u"sessions.jobs.shown"_s);
    auto *caption = new QWidget(this);
    rowIn(caption, Space::m, {Space::l, Space::xs, Space::l, Space::xs})->addWidget(m_shown, 1);
    column->addWidget(caption);
    column->addWidget(m_output, 1);
    setNames(m_output, u"sessions.jobs.output"_s, tr("Output of the job"));
    m_output->setPlaceholder(tr("The job has printed nothing yet."));
    m_output->setMinimumHeight(m_context.theme().size(Size::Row));
    setFocusProxy(m_output);
    connect(&m_follower, &JobFollower::begun, this, [this] { m_output->setLog(m_follower.log()); });
    connect(&m_follower, &JobFollower::ended, this, &JobsPanel::contentChanged);
    m_asking->hide();
}

JobsPanel::~JobsPanel()
{
    m_output->setLog(nullptr);
}

QWidget *JobsPanel::makeAsking()
{
    auto *asking = new QWidget(this);
    auto *row = rowIn(asking, Space::s, {Space::l, Space::xs, Space::l, Space::s});
    m_question = makeLabel(tr("Port that a server in the job listens at:"), asking);
    m_question->setWordWrap(false);
    row->addWidget(m_question);
    m_port = new QLineEdit(asking);
    m_port->setValidator(new QIntValidator(1, 65535, m_port));
    m_port->setPlaceholderText(u"8000"_s);
    m_port->setMaximumWidth(m_context.theme().scaled(90));
    setNames(m_port, u"sessions.jobs.port"_s, tr("Port of the job"));
    row->addWidget(m_port);
    auto *open = makeButton(tr("Open in the browser"), u"sessions.jobs.open"_s, asking);
    row->addWidget(open);
    auto *leave = makeButton(tr("Leave it"), u"sessions.jobs.leave"_s, asking, tr("Leave the ports closed"));
    row->addWidget(leave);
    row->addStretch();
    connect(m_port, &QLineEdit::returnPressed, this, &JobsPanel::takePort);
    connect(open, &QPushButton::clicked, this, &JobsPanel::takePort);
    connect(leave, &QPushButton::clicked, this, [this] { withdraw(); });
    return asking;
}

void JobsPanel::setSession(const ShownSession &shown)
{
    if (shown.session.id != m_session) {
        m_session = shown.session.id;
        m_output->setLog(nullptr);
        m_follower.leave();
        m_asking->hide();
        m_jobs.clear();
        showJobs();
    }
    if (shown.jobs == m_jobs)
        return;
    m_jobs = shown.jobs;
    showJobs();
    if (!m_jobs.isEmpty() && isToBeFollowed(m_jobs.last().job))
        follow(m_jobs.last().job);
    if (std::ranges::none_of(m_jobs, [this](const ShownJob &each) { return each.job.run == m_asked.run; }))
        m_asking->hide();
    Q_EMIT contentChanged();
}

// The first, and one that began after another whose output is shown to the end.
bool JobsPanel::isToBeFollowed(const Job &job) const
{
    return m_follower.run().isEmpty()
           || (m_follower.hasEnded() && job.startedMicroseconds > m_followed.startedMicroseconds);
}

bool JobsPanel::hasContent() const
{
    return !m_jobs.isEmpty() || !m_follower.run().isEmpty();
}

bool JobsPanel::withdraw()
{
    if (m_asking->isHidden())
        return false;
    m_asking->hide();
    m_output->setFocus();
    return true;
}

void JobsPanel::showJobs()
{
    clearLayout(m_rows->layout());
    for (const ShownJob &shown : std::as_const(m_jobs))
        m_rows->layout()->addWidget(makeRow(shown));
    m_remark->setText(m_jobs.isEmpty() ? tr("none is running") : tr("%Ln running", "jobs", int(m_jobs.size())));
}

QWidget *JobsPanel::makeRow(const ShownJob &shown)
{
    const Job &job = shown.job;
    const QString name = nameOf(job);
    auto *owner = new QWidget(m_rows);
    auto *row = rowIn(owner, Space::s, {Space::l, Space::xs, Space::l, Space::xs});
    row->addWidget(new IconView(m_context.theme(), Icon::Dot, Colour::Ok, owner));
    auto *code = new CodeLine(name, owner);
    code->setTextFormat(Qt::PlainText);
    setFontRole(code, FontRole::Code);
    setTextColour(code, Colour::Text);
    code->setMinimumWidth(1);
    markAsData(code);
    row->addWidget(code, 1);
    const auto add = [&](const QString &text, const QString &what, const QString &spoken) {
        auto *button = makeButton(text, u"sessions.jobs."_s + what, owner, spoken.arg(name));
        setLook(button, ButtonLook::Link);
        row->addWidget(button);
        return button;
    };
    addPorts(shown, owner);
    connect(add(tr("Log"), u"log"_s, tr("Show the output of %1")), &QPushButton::clicked, this,
            [this, job] { follow(job); });
    connect(add(tr("Open a port…"), u"ask"_s, tr("Open a port of %1 to your browser")), &QPushButton::clicked, this,
            [this, job] { askForPort(job); });
    connect(add(tr("Stop"), u"stop"_s, tr("Stop %1")), &QPushButton::clicked, this,
            [this, job] { m_deeds.stopJob(job); });
    return owner;
}

void JobsPanel::addPorts(const ShownJob &shown, QWidget *owner)
{
    if (!shown.answers) {
        auto *silent = new QLabel(tr("doesn't answer"), owner);
        setNames(silent, u"sessions.jobs.silent"_s, tr("The job's process doesn't answer"));
        silent->setToolTip(tr("The process doesn't answer, so the job's open ports aren't known."));
        setTextColour(silent, Colour::Warn);
        owner->layout()->addWidget(silent);
    }
    for (const JobPort &port : shown.ports) {
        auto *open = makeButton(tr("Port %1").arg(port.port), u"sessions.jobs.page"_s, owner,
                                tr("Open port %1 in the browser").arg(port.port));
        open->setToolTip(port.address);
        auto *close = makeIconButton(m_context.theme().icon(Icon::Close, Colour::Dim), u"sessions.jobs.closeport"_s,
                                     tr("Close port %1").arg(port.port), owner);
        close->setFocusPolicy(Qt::StrongFocus);
        setLook(open, ButtonLook::Link);
        owner->layout()->addWidget(open);
        owner->layout()->addWidget(close);
        connect(open, &QPushButton::clicked, this,
                [this, job = shown.job, number = port.port] { openInBrowser(job, number); });
        connect(close, &QToolButton::clicked, this,
                [this, job = shown.job, number = port.port] { m_deeds.closePort(job, number); });
    }
}

void JobsPanel::follow(const Job &job)
{
    m_followed = job;
    m_shown->setText(tr("Output of %1").arg(nameOf(job)));
    m_follower.follow(Jobs(m_context.engine() ? m_context.engine()->paths().jobsFolder() : QString()), job);
    Q_EMIT contentChanged();
}

void JobsPanel::askForPort(const Job &job)
{
    m_asked = job;
    m_asking->show();
    Q_EMIT asked();
    m_port->setFocus();
    m_port->selectAll();
}

void JobsPanel::takePort()
{
    const quint16 port = m_port->text().toUShort();
    if (port == 0)
        return m_port->setFocus();
    withdraw();
    openInBrowser(m_asked, port);
}

// The link works once, so that nobody who reads it in the browser's command line has any use for it.
void JobsPanel::openInBrowser(const Job &job, quint16 port)
{
    m_deeds.openPort(job, port, [this, port](const QString &link) {
        if (QDesktopServices::openUrl(QUrl(link)))
            return;
        m_context.notifications().show(
            {.id = u"sessions"_s,
             .tone = Tone::Warn,
             .text = tr("No browser could be started. The link for port %1, which works once: "
                        "%2")
                         .arg(port)
                         .arg(link)});
    });
}

} // namespace glovebox
