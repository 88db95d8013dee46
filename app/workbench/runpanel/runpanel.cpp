// SPDX-License-Identifier: Apache-2.0
#include "runpanel.h"

#include "isolation/isolationtab.h"
#include "kept/keptreader.h"
#include "output/outputview.h"
#include "output/terminal/terminalkeys.h"
#include "output/terminal/terminalmouse.h"
#include "runstrip.h"
#include "stdinline.h"
#include "story/storyplace.h"

#include "app/workbench/editor/findbar.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

RunPanel::RunPanel(WorkbenchContext &context, const std::vector<RunTabFactory> &tabs, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_theme(context.theme())
    , m_strip(new RunStrip(m_theme, this))
    , m_input(new StdinLine(m_theme, this))
    , m_blocked(new BlockedLine(m_theme, this))
{
    installOutputAccessibility();
    auto *layout = columnIn(this, 0);
    layout->addWidget(m_strip);
    m_pages = new QStackedWidget(this);
    makeOutputPage();
    makeHeader(tabs);
    layout->addWidget(makeRule(Qt::Horizontal, this));
    m_find = new FindBar(m_theme, FindBar::Simple, u"bench.output"_s, this);
    m_find->hide();
    layout->addWidget(m_find);
    layout->addWidget(m_pages, 1);
    m_inputRule = makeRule(Qt::Horizontal, this);
    layout->addWidget(m_inputRule);
    layout->addWidget(m_input);
    layout->addWidget(m_blocked);
    connect(m_blocked, &BlockedLine::allowed, this, &RunPanel::hostAllowed);
    connect(m_blocked, &BlockedLine::reasonWanted, this, [this] { showTab(u"network"_s); });

    connect(m_strip, &RunStrip::chosen, this, &RunPanel::showRun);
    connect(m_input, &StdinLine::sent, m_output, &OutputView::scrollToBottom);
    setFocusProxy(m_outputPage);
    m_kept = new KeptReader(m_context, m_output, m_find);
    m_keys = new TerminalKeys(m_output, [this] { return m_context.actions().shortcuts(u"frame.focus"_s); });
    new TerminalMouse(m_output, *m_keys);
    connect(m_keys, &TerminalKeys::typingChanged, this, [this] {
        m_input->setTypedInView(m_keys->isTyping() ? m_context.actions().keys(u"frame.focus"_s) : QString());
    });
    connect(m_kept, &KeptReader::changed, this, &RunPanel::showKept);
    connect(m_earlier, &QToolButton::clicked, m_kept, &KeptReader::showEarlier);
    connect(m_later, &QToolButton::clicked, m_kept, &KeptReader::showLater);
    connect(m_output, &OutputView::copiedAll, this, &RunPanel::tellCopied);
    connect(m_find, &FindBar::changed, m_kept, &KeptReader::find);
    connect(m_find, &FindBar::next, this, &RunPanel::findNext);
    connect(m_find, &FindBar::closed, this, [this] {
        m_kept->clearFind();
        m_output->setFocus();
    });
    setTabOrder(m_saveButton, m_maximiseButton); // as they are read
    setTabOrder(m_maximiseButton, m_output);
    m_clock.setInterval(1000);
    connect(&m_clock, &QTimer::timeout, this, &RunPanel::showState);
    show(nullptr);
}

RunPanel::~RunPanel()
{
    m_output->setLog(nullptr);
}

void RunPanel::makeHeader(const std::vector<RunTabFactory> &tabs)
{
    auto *header = new QWidget(this);
    setBackground(header, Colour::Panel);
    auto *layout = rowIn(header, Space::xs, {Space::m, 0, Space::m, 0});
    m_tabs = new QTabBar(header);
    setLook(m_tabs, TabLook::Pill);
    setNames(m_tabs, u"bench.runtabs"_s, tr("Findings of the run"));
    m_tabs->addTab(tr("Output"));
    std::vector<RunTabFactory> factories{[](Theme &theme, QWidget *page) { return new IsolationTab(theme, page); }};
    factories.insert(factories.end(), tabs.begin(), tabs.end());
    for (const RunTabFactory &factory : factories) {
        RunTab *tab = factory(m_theme, m_pages);
        tab->setObjectName(u"bench.run."_s + tab->id());
        m_runTabs.push_back(tab);
        const int index = m_tabs->addTab(tab->title());
        connect(tab, &RunTab::titleChanged, this, [this, tab, index] {
            m_tabs->setTabText(index, tab->title());
            showTabColours();
            showTools();
            m_blocked->setRun(m_current);
        });
        connect(tab, &RunTab::roomWanted, this, &RunPanel::roomWanted);
        connect(tab, &RunTab::wentOn, this, &RunPanel::wentOn);
        m_pages->addWidget(tab);
    }
    layout->addWidget(m_tabs);
    m_state = makeLabel({}, header, FontRole::Small, Colour::Dim);
    m_state->setWordWrap(false);
    m_state->setObjectName(u"bench.run.state"_s);
    layout->addWidget(m_state, 1, Qt::AlignVCenter);
    m_earlier =
        makeToolButton(tr("Earlier"), u"bench.output.earlier"_s, tr("Show earlier lines that were kept"), header);
    m_later = makeToolButton(tr("Later"), u"bench.output.later"_s, tr("Show the lines after these"), header);
    for (QToolButton *button : {m_earlier, m_later}) {
        button->hide();
        layout->addWidget(button);
    }

    m_tools = new QWidget(header);
    auto *tools = rowIn(m_tools, 0);
    m_filter = new QLineEdit(m_tools);
    m_filter->setPlaceholderText(tr("Lines that contain"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(220);
    m_filter->installEventFilter(this);
    m_filter->hide();
    setNames(m_filter, u"bench.output.filtertext"_s, tr("Show only lines that contain"));
    m_filterButton = makeToolButton(tr("Filter"), u"bench.output.filter"_s, tr("Show only some lines"), m_tools);
    m_filterButton->setCheckable(true);
    m_wrapButton = makeToolButton(tr("Wrap"), u"bench.output.wrap"_s, tr("Wrap long lines"), m_tools);
    m_wrapButton->setCheckable(true);
    m_wrapButton->setChecked(m_output->wraps());
    m_copyButton =
        makeToolButton(tr("Copy"), u"bench.output.copy"_s, tr("Copy the selected text, or all of it"), m_tools);
    m_saveButton = makeToolButton(tr("Save"), u"bench.output.save"_s, tr("Save the output to a file"), m_tools);
    for (QWidget *tool : std::initializer_list<QWidget *>{m_outputPage->button(), m_filter, m_filterButton,
                                                          m_wrapButton, m_copyButton, m_saveButton})
        tools->addWidget(tool);
    layout->addWidget(m_tools);
    m_maximiseButton = makeIconButton(m_theme.icon(Icon::ChevronUp), u"bench.output.maximise"_s,
                                      tr("Findings over the whole tab, or back"), header);
    connect(m_maximiseButton, &QToolButton::clicked, this, &RunPanel::maximiseWanted);
    layout->addWidget(m_maximiseButton);
    static_cast<QVBoxLayout *>(this->layout())->addWidget(header);
    header->setFixedHeight(m_theme.size(Size::TabStrip));
    connect(&m_theme, &Theme::changed, header, [this, header] {
        header->setFixedHeight(m_theme.size(Size::TabStrip));
        showTabColours();
        QTimer::singleShot(0, this, &RunPanel::showTools); // fonts follow
    });

    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_pages->setCurrentIndex(index);
        setFocusProxy(m_pages->currentWidget()); // F6 comes to what is read
        m_tools->setVisible(index == 0);
    });
    connect(m_filter, &QLineEdit::textChanged, m_output, &OutputView::setFilter);
    connect(m_filterButton, &QToolButton::toggled, this, [this](bool on) {
        m_filter->setVisible(on);
        m_output->setFilter(on ? m_filter->text() : QString());
        if (on)
            m_filter->setFocus();
    });
    connect(m_wrapButton, &QToolButton::toggled, this, [this](bool on) {
        m_output->setWrap(on);
        Q_EMIT choiceChanged();
    });
    connect(m_copyButton, &QToolButton::clicked, m_output, &OutputView::copy);
    connect(m_saveButton, &QToolButton::clicked, this, &RunPanel::save);
}

void RunPanel::makeOutputPage()
{
    m_outputPage = new StoryPlace(m_theme, m_pages);
    m_output = new OutputView(m_theme, m_outputPage);
    setNames(m_output, u"bench.output"_s, tr("Output of the run"));
    const auto sayKeys = [this] {
        const QString keys = m_context.actions().keys(u"bench.run"_s);
        m_output->setPlaceholder(
            tr("Output of your code appears here. Run it with %1: the code reaches nothing of yours but what the "
               "sentence above grants.")
                .arg(keys.isEmpty() ? tr("Run") : keys));
    };
    connect(&m_context.actions(), &ActionRegistry::shortcutsChanged, this, sayKeys);
    sayKeys();
    m_outputPage->setOutput(m_output);
    m_pages->addWidget(m_outputPage);
    connect(m_outputPage, &StoryPlace::wayWanted, this, [this](StoryWay way) {
        if (way == StoryWay::Doctor)
            m_context.navigateTo(u"doctor"_s);
        else if (m_current)
            Q_EMIT sessionWanted(m_current->request().session, way == StoryWay::Undo ? m_current->id() : QString());
    });
    connect(m_outputPage, &StoryPlace::closed, this, &RunPanel::choiceChanged);
    connect(m_outputPage->button(), &QToolButton::clicked, this, [this](bool isInstead) {
        if (isInstead)
            Q_EMIT roomWanted();
    });
    connect(m_outputPage, &StoryPlace::buttonChanged, this, &RunPanel::showTools);
    connect(m_output, &OutputView::placeActivated, this, [this](const SourcePlace &place) {
        if (m_current)
            Q_EMIT placeActivated(place.line + m_current->title().firstLine - 1, place.column);
    });
    connect(m_output, &OutputView::contextMenuWanted, this, &RunPanel::showMenu);
    connect(m_output, &OutputView::cellsChanged, this, [this] {
        if (m_current)
            m_current->resizeTerminal(m_output->cells());
    });
}

void RunPanel::addRun(std::unique_ptr<ShownRun> run)
{
    ShownRun *added = run.get();
    m_runs.push_back(std::move(run));
    connect(added, &ShownRun::stateChanged, this, [this, added] {
        if (added == m_current)
            showState();
        // What sealed it is known from here on.
        if (added == m_current && added->state() == RunState::Running) {
            for (RunTab *tab : m_runTabs)
                tab->setRun(added);
        }
        m_strip->setRuns(runs(), m_current);
        Q_EMIT runsChanged();
    });
    connect(added, &ShownRun::finished, this, [this, added] {
        if (added != m_current)
            return;
        for (RunTab *tab : m_runTabs)
            tab->setRun(added);
        m_blocked->setRun(added);
        m_kept->runFinished();
        m_outputPage->setRun(added);
    });
    forgetOldRuns();
    show(added);
}

std::vector<ShownRun *> RunPanel::runs() const
{
    std::vector<ShownRun *> all;
    all.reserve(m_runs.size());
    for (const auto &run : m_runs)
        all.push_back(run.get());
    return all;
}

int RunPanel::liveRuns() const
{
    return int(std::ranges::count_if(m_runs, [](const auto &run) { return !run->isDone(); }));
}

QStringList RunPanel::closingEnds() const
{
    QStringList ends;
    for (const RunTab *tab : m_runTabs) {
        if (const QString sentence = tab->closingEnds(); !sentence.isEmpty())
            ends.append(sentence);
    }
    return ends;
}

QStringList RunPanel::goesOn() const
{
    QStringList all;
    for (const RunTab *tab : m_runTabs)
        all.append(tab->goesOn());
    all.removeAll(QString());
    return all;
}

void RunPanel::leave()
{
    for (RunTab *tab : m_runTabs)
        tab->setRun(nullptr);
}

void RunPanel::showRun(int number)
{
    const auto found =
        std::ranges::find_if(m_runs, [number](const auto &run) { return run->title().number == number; });
    if (found != m_runs.end())
        show(found->get());
}

void RunPanel::setNextWaits(bool waits)
{
    m_nextWaits = waits;
    showState();
}

void RunPanel::addBelow(QWidget *note)
{
    layout()->addWidget(note);
}

void RunPanel::letGo()
{
    show(nullptr);
    m_runs.clear();
}

void RunPanel::show(ShownRun *run)
{
    m_current = run;
    m_kept->setRun(run);
    m_input->setRun(run);
    m_keys->setRun(run);
    if (run)
        run->resizeTerminal(m_output->cells());
    for (RunTab *tab : m_runTabs)
        tab->setRun(run);
    m_blocked->setRun(run);
    m_strip->setRuns(runs(), m_current);
    m_outputPage->setRun(run);
    showState();
    Q_EMIT runsChanged();
}

void RunPanel::showState()
{
    m_state->setText(stateSentence());
    if (m_current && !m_current->isDone())
        m_clock.start();
    else
        m_clock.stop();
    showInput();
}

void RunPanel::setCardHidden(bool hidden)
{
    m_outputPage->setCardHidden(hidden);
}

bool RunPanel::isCardHidden() const
{
    return m_outputPage->isCardHidden();
}

void RunPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    showInput();
    showTools();
}

// Where width is scarce, the tabs go first: the output's menu and the palette have what these do, too.
void RunPanel::showTools()
{
    const bool isCramped = !m_outputPage->button()->isHidden();
    m_filterButton->setVisible(!isCramped || m_filterButton->isChecked());
    int needed = m_tabs->sizeHint().width() + m_filterButton->sizeHint().width() + 2 * Space::m + 2 * Space::xs;
    for (QToolButton *tool : {m_wrapButton, m_copyButton, m_saveButton})
        needed += tool->sizeHint().width();
    for (QToolButton *tool : {m_wrapButton, m_copyButton, m_saveButton})
        tool->setVisible(needed <= width() && !isCramped);
}

void RunPanel::showTabColours()
{
    for (size_t i = 0; i < m_runTabs.size(); ++i)
        m_tabs->setTabTextColor(int(i) + 1, m_runTabs[i]->needsLook() ? m_theme.colour(Colour::Warn) : QColor());
}

// Where height is scarce, the line for input is there only while something may answer.
void RunPanel::showInput()
{
    const bool isShort = height() < 8 * m_theme.size(Size::Row);
    const bool live = m_current && !m_current->isDone();
    m_input->setVisible(live || !isShort);
    m_inputRule->setVisible(live || !isShort);
}

void RunPanel::showTab(const QString &id)
{
    for (size_t i = 0; i < m_runTabs.size(); ++i) {
        if (m_runTabs[i]->id() == id) {
            m_tabs->setCurrentIndex(int(i) + 1);
            return;
        }
    }
    m_tabs->setCurrentIndex(0);
}

RunTab *RunPanel::tab(const QString &id) const
{
    const auto found = std::ranges::find_if(m_runTabs, [&](const RunTab *tab) { return tab->id() == id; });
    return found == m_runTabs.end() ? nullptr : *found;
}

void RunPanel::showFind()
{
    m_tabs->setCurrentIndex(0);
    m_find->open(m_output->hasSelection() ? m_output->selectedText().section(u'\n', 0, 0) : QString());
}

void RunPanel::findNext(bool backward)
{
    m_kept->findNext(backward);
}

void RunPanel::showKept()
{
    m_earlier->setVisible(m_kept->hasMore() && m_current->isDone());
    m_earlier->setEnabled(m_kept->hasEarlier());
    m_later->setVisible(m_kept->hasMore() && m_current->isDone());
    m_later->setEnabled(m_kept->hasLater());
    showState();
}

void RunPanel::showFilter()
{
    m_tabs->setCurrentIndex(0);
    m_filterButton->setChecked(true);
    m_filter->setFocus();
}

bool RunPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_filter && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        m_filterButton->setChecked(false);
        m_output->setFocus();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void RunPanel::setWrap(bool wrap)
{
    m_wrapButton->setChecked(wrap);
}

bool RunPanel::wraps() const
{
    return m_output->wraps();
}

void RunPanel::showMenu(const QPoint &position)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(m_theme.icon(Icon::Copy), tr("Copy"), m_output, &OutputView::copy)
        ->setEnabled(m_output->hasSelection());
    menu->addAction(tr("Select all"), m_output, &OutputView::selectAll);
    menu->addAction(tr("In a window of its own"), this, &RunPanel::openWindow)->setEnabled(m_current != nullptr);
    menu->addAction(m_theme.icon(Icon::Search), tr("Find…"), this, &RunPanel::showFind);
    menu->addSeparator();
    menu->addAction(m_theme.icon(Icon::Save), tr("Save output…"), this, &RunPanel::save)
        ->setEnabled(m_current != nullptr);
    if (m_current && m_current->result())
        menu->addAction(tr("Show what it tried"), this, [this] {
            m_outputPage->showStory();
            Q_EMIT choiceChanged();
        });
    menu->popup(position);
}

} // namespace glovebox
