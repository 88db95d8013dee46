// SPDX-License-Identifier: Apache-2.0
#include "filterbar.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"
#include "runsmodel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using namespace std::chrono_literals;

constexpr auto pauseInTyping = 250ms;
constexpr int narrowestText = 220;
constexpr int narrowestChoice = 90;

} // namespace

FilterBar::FilterBar(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_layout(new QGridLayout(this))
    , m_text(new QLineEdit(this))
    , m_outcome(makeChoice(u"history.filter.outcome"_s, tr("Show runs with this outcome"), tr("Any outcome")))
    , m_language(makeChoice(u"history.filter.language"_s, tr("Show runs in this language"), tr("Any language")))
    , m_caller(makeChoice(u"history.filter.caller"_s, tr("Show runs of this caller"), tr("Any caller")))
    , m_origin(new QPushButton(this))
    , m_clear(makeButton(tr("Clear"), u"history.filter.clear"_s, this, tr("Show all runs")))
{
    setObjectName(u"history.filter"_s);
    setBackground(this, Colour::Panel);
    m_layout->setContentsMargins(Space::l, Space::s, Space::l, Space::s);
    m_layout->setHorizontalSpacing(Space::s);
    m_layout->setVerticalSpacing(Space::xs);
    m_text->setPlaceholderText(tr("Text in code or output"));
    m_text->addAction(theme.icon(Icon::Search, Colour::Dim), QLineEdit::LeadingPosition);
    m_text->setClearButtonEnabled(true);
    m_text->installEventFilter(this);
    setNames(m_text, u"history.filter.text"_s, tr("Show runs whose code or output contains"));
    for (const Outcome outcome : {Outcome::Completed, Outcome::Failed, Outcome::Signalled, Outcome::TimedOut,
                                  Outcome::CpuLimit, Outcome::OutOfMemory, Outcome::DiskLimit, Outcome::Cancelled,
                                  Outcome::Rejected, Outcome::Denied, Outcome::SetupFailed, Outcome::Interrupted})
        m_outcome->addItem(theme.icon(Icon::Dot, outcomeColour(outcome)), outcomeWord(outcome), int(outcome));
    for (const Caller::Kind kind : {Caller::Kind::Workbench, Caller::Kind::Cli, Caller::Kind::Mcp})
        m_caller->addItem(callerWord(kind), int(kind));
    m_caller->addItem(tr("Self-test"), true);
    m_caller->addItem(tr("All but self-tests"), false);
    m_origin->setIcon(theme.icon(Icon::Close, Colour::Dim));
    m_origin->hide();
    connect(m_origin, &QPushButton::clicked, this, [this] {
        m_secretName.clear();
        forgetAgent();
        tell();
    });
    setLook(m_clear, ButtonLook::Link);
    m_clear->hide();
    connect(m_clear, &QPushButton::clicked, this, [this] { showAll(); });

    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseInTyping);
    connect(&m_pause, &QTimer::timeout, this, &FilterBar::tell);
    connect(m_text, &QLineEdit::textChanged, this, [this] { m_pause.start(); });
    for (QComboBox *choice : {m_outcome, m_language, m_caller})
        connect(choice, &QComboBox::currentIndexChanged, this, &FilterBar::tell);
    arrange();
}

QComboBox *FilterBar::makeChoice(const QString &name, const QString &title, const QString &all)
{
    auto *choice = new QComboBox(this);
    choice->addItem(all);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    choice->setMaxVisibleItems(16);
    setNames(choice, name, title);
    return choice;
}

RunFilter FilterBar::filter() const
{
    RunFilter filter;
    filter.contains = m_text->text().trimmed();
    filter.secret = m_secretName;
    filter.pairing = m_pairing;
    filter.program = m_program;
    filter.language = m_language->currentData().toString();
    if (const QVariant outcome = m_outcome->currentData(); outcome.isValid())
        filter.outcome = Outcome(outcome.toInt());
    const QVariant caller = m_caller->currentData();
    if (caller.typeId() == QMetaType::Bool)
        filter.selfTest = caller.toBool();
    else if (caller.isValid())
        filter.callerKind = Caller::Kind(caller.toInt());
    return filter;
}

void FilterBar::showAll(const QString &secret)
{
    {
        const QSignalBlocker quietOutcome(m_outcome), quietLanguage(m_language), quietCaller(m_caller);
        for (QComboBox *choice : {m_outcome, m_language, m_caller})
            choice->setCurrentIndex(0);
        m_text->clear();
    }
    m_secretName = secret;
    forgetAgent();
    tell();
}

void FilterBar::forgetAgent()
{
    m_pairing.clear();
    m_program.clear();
    m_agentName.clear();
}

void FilterBar::showAgent(const QString &pairing, const QString &program, const QString &name)
{
    {
        const QSignalBlocker quiet(this);
        showCaller(Caller::Kind::Mcp);
    }
    m_pairing = pairing;
    m_program = pairing.isEmpty() ? program : QString();
    m_agentName = shownLine(name);
    tell();
}

void FilterBar::showCaller(Caller::Kind kind)
{
    showAll();
    m_caller->setCurrentIndex(m_caller->findData(int(kind)));
}

void FilterBar::addLanguage(const QString &id, const QString &name)
{
    if (!id.isEmpty() && m_language->findData(id) < 0)
        m_language->addItem(name, id);
}

void FilterBar::focusText()
{
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

void FilterBar::tell()
{
    m_pause.stop();
    const RunFilter now = filter();
    if (now == m_told)
        return;
    m_told = now;
    const bool hadFocus = m_clear->hasFocus() || m_origin->hasFocus();
    m_clear->setVisible(now != RunFilter());
    const bool isOfAgent = !m_pairing.isEmpty() || !m_program.isEmpty();
    m_origin->setText(isOfAgent ? m_agentName : now.secret);
    m_origin->setVisible(isOfAgent || !now.secret.isEmpty());
    if (isOfAgent)
        setNames(m_origin, u"history.filter.agent"_s, tr("Clear the filter: agent %1").arg(m_agentName),
                 tr("Runs of the agent %1; click to show others too").arg(m_agentName));
    else
        setNames(m_origin, u"history.filter.secret"_s, tr("Clear the filter: secret %1").arg(now.secret),
                 tr("Runs that asked for the secret %1; click to show others too").arg(now.secret));
    if (hadFocus && (m_clear->isHidden() || m_origin->isHidden()))
        m_text->setFocus();
    arrange();
    Q_EMIT changed();
}

// In one line as long as there is room for words to search for; the choices in two where one would cut off their words.
void FilterBar::arrange()
{
    setMinimumHeight(m_theme.size(Size::PolicyBar));
    int taken = 2 * Space::l + 5 * Space::s + m_clear->sizeHint().width();
    if (!m_origin->isHidden())
        taken += m_origin->sizeHint().width();
    for (QComboBox *choice : {m_outcome, m_language, m_caller}) {
        choice->setMinimumWidth(m_theme.scaled(narrowestChoice));
        taken += choice->sizeHint().width();
    }
    const bool oneLine = width() - taken >= m_theme.scaled(narrowestText);
    const bool threeLines = width() < taken;
    const auto put = [this](QWidget *widget, int row, int column, int columns = 1) {
        if (const int at = m_layout->indexOf(widget); at >= 0) {
            int oldRow = 0, oldColumn = 0, rows = 0, oldColumns = 0;
            m_layout->getItemPosition(at, &oldRow, &oldColumn, &rows, &oldColumns);
            if (oldRow == row && oldColumn == column && oldColumns == columns)
                return;
            m_layout->removeWidget(widget);
        }
        m_layout->addWidget(widget, row, column, 1, columns);
    };
    put(m_text, 0, 0, oneLine ? 1 : 6);
    put(m_outcome, oneLine ? 0 : 1, oneLine ? 1 : 0);
    put(m_language, oneLine ? 0 : 1, oneLine ? 2 : 1);
    put(m_caller, oneLine ? 0 : threeLines ? 2 : 1, oneLine ? 3 : threeLines ? 0 : 2);
    put(m_origin, oneLine ? 0 : threeLines ? 2 : 1, oneLine ? 4 : threeLines ? 1 : 3);
    put(m_clear, oneLine ? 0 : threeLines ? 2 : 1, oneLine ? 5 : threeLines ? 2 : 4);
    m_layout->setColumnStretch(0, oneLine ? 1 : 0);
    m_layout->setColumnStretch(5, oneLine ? 0 : 1);
}

void FilterBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        arrange();
}

bool FilterBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_text || event->type() != QEvent::KeyPress)
        return false;
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        tell();
        return true;
    case Qt::Key_Escape:
    case Qt::Key_Down:
        tell();
        Q_EMIT left();
        return true;
    default:
        return false;
    }
}

} // namespace glovebox
