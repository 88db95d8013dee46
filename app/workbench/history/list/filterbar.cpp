// SPDX-License-Identifier: Apache-2.0
#include "filterbar.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"
#include "dayfield.h"
#include "runsmodel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
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
    , m_day(new DayField(theme, this))
    , m_mistake(makeLabel({}, this, FontRole::Base, Colour::Bad))
    , m_packages(new QCheckBox(this))
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
    m_mistake->setObjectName(u"history.filter.day.mistake"_s);
    m_mistake->hide();
    m_packages->hide();
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
    connect(m_day, &DayField::changed, this, &FilterBar::tell);
    connect(m_day, &DayField::left, this, &FilterBar::left);
    connect(m_day, &DayField::mistaken, this, [this](const QString &sentence) {
        m_mistake->setText(sentence);
        m_mistake->setVisible(!sentence.isEmpty());
    });
    connect(m_packages, &QCheckBox::toggled, this, [this] {
        sayFolded();
        tell();
    });
    sayFolded();
    m_told = filter();
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
    filter.foldsPackages = !m_packages->isChecked();
    if (const auto days = m_day->days()) {
        constexpr qint64 microseconds = 1000;
        if (days->first.isValid())
            filter.sinceMicroseconds = days->first.startOfDay().toMSecsSinceEpoch() * microseconds;
        if (days->last.isValid())
            filter.untilMicroseconds = days->last.addDays(1).startOfDay().toMSecsSinceEpoch() * microseconds;
    }
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
        m_day->forget();
    }
    m_mistake->hide();
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

void FilterBar::setFolded(int runs)
{
    if (std::exchange(m_folded, runs) == runs)
        return;
    sayFolded();
    arrange();
}

void FilterBar::unfold()
{
    m_packages->setChecked(true);
}

void FilterBar::lookAtDay()
{
    if (!m_pause.isActive() && m_day->days())
        tell();
}

void FilterBar::sayFolded()
{
    const bool areShown = m_packages->isChecked();
    const QString text =
        areShown ? tr("With package runs") : tr("With %Ln package run(s)", "that are hidden now", m_folded);
    m_packages->setText(text);
    setNames(m_packages, u"history.filter.packages"_s, text,
             tr("Runs of Glovebox's own code that fetched, built or installed packages"));
    const bool hadFocus = m_packages->hasFocus();
    m_packages->setVisible(areShown || m_folded > 0);
    if (hadFocus && m_packages->isHidden())
        m_text->setFocus();
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
    m_clear->setVisible(now != RunFilter{.foldsPackages = now.foldsPackages});
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

// In one line as long as there is room for words to search for; the choices in as many as it takes to cut off none of their words.
void FilterBar::arrange()
{
    setMinimumHeight(m_theme.size(Size::PolicyBar));
    QList<QWidget *> choices{m_outcome, m_language, m_caller, m_day};
    for (QWidget *choice : choices)
        choice->setMinimumWidth(m_theme.scaled(narrowestChoice));
    for (QWidget *other : {static_cast<QWidget *>(m_packages), static_cast<QWidget *>(m_origin)}) {
        if (!other->isHidden())
            choices.append(other);
    }
    choices.append(m_clear); // has its place also while it is hidden
    const int count = int(choices.size());
    const auto widthIn = [&](int columns) {
        int taken = 2 * Space::l + (columns - 1) * Space::s;
        for (int column = 0; column < columns; ++column) {
            int widest = 0;
            for (int i = column; i < count; i += columns)
                widest = std::max(widest, choices[i]->sizeHint().width());
            taken += widest;
        }
        return taken;
    };
    const bool oneLine = width() - widthIn(count) - Space::s >= m_theme.scaled(narrowestText);
    int columns = count;
    while (!oneLine && columns > 1 && widthIn(columns) > width())
        --columns;
    const auto put = [this](QWidget *widget, int row, int column, int columnSpan = 1) {
        if (const int at = m_layout->indexOf(widget); at >= 0) {
            int oldRow = 0, oldColumn = 0, rows = 0, oldColumns = 0;
            m_layout->getItemPosition(at, &oldRow, &oldColumn, &rows, &oldColumns);
            if (oldRow == row && oldColumn == column && oldColumns == columnSpan)
                return;
            m_layout->removeWidget(widget);
        }
        m_layout->addWidget(widget, row, column, 1, columnSpan);
    };
    constexpr int lastColumn = 8; // takes what room is left
    put(m_text, 0, 0, oneLine ? 1 : lastColumn + 1);
    for (int i = 0; i < count; ++i)
        put(choices[i], oneLine ? 0 : 1 + i / columns, oneLine ? 1 + i : i % columns);
    for (QWidget *other : {static_cast<QWidget *>(m_packages), static_cast<QWidget *>(m_origin)}) {
        if (other->isHidden())
            m_layout->removeWidget(other);
    }
    put(m_mistake, lastColumn, 0, lastColumn + 1);
    m_layout->setColumnStretch(0, oneLine ? 1 : 0);
    m_layout->setColumnStretch(lastColumn, oneLine ? 0 : 1);
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
