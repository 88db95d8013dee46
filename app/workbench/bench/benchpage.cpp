// SPDX-License-Identifier: Apache-2.0
#include "benchpage.h"

#include "tabs/tabstrip.h"
#include "welcome/welcomebar.h"

#include "app/workbench/runpanel/artifacts/artifactstab.h"
#include "app/workbench/runpanel/changes/changestab.h"
#include "app/workbench/runpanel/network/networktab.h"

#include "app/workbench/editor/file/noticebar.h"
#include "app/workbench/editor/leaks/leakbar.h"
#include "app/workbench/editor/typing/completion.h"
#include "app/workbench/editor/typing/wordindex.h"
#include "app/workbench/shell/look.h"

#include <QJsonArray>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QUuid>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

static constexpr auto waitingToClose = "waiting-to-close"_L1; // what closes a tab when its changes are carried out

BenchPage::BenchPage(WorkbenchContext &context)
    : m_context(context)
    , m_vault(context)
    , m_sessions(context)
    , m_profiles(context.paths())
{
    addRunTab([](Theme &theme, QWidget *parent) { return new NetworkTab(theme, u"bench"_s, parent); });
    addRunTab([&context](Theme &, QWidget *parent) { return new ChangesTab(context, u"bench"_s, parent); });
    addRunTab([&context](Theme &, QWidget *parent) { return new ArtifactsTab(context, u"bench"_s, parent); });
    addActions();
    m_stashTimer.setSingleShot(true);
    connect(&m_stashTimer, &QTimer::timeout, this, &BenchPage::stashSmall);
    m_largeTimer.setSingleShot(true);
    connect(&m_largeTimer, &QTimer::timeout, this, &BenchPage::stashPending);
    m_context.stash().onTrouble(
        [this] { QMetaObject::invokeMethod(this, &BenchPage::tellStashTrouble, Qt::QueuedConnection); });
}

BenchPage::~BenchPage()
{
    m_context.stash().onTrouble({});
}

QWidget *BenchPage::widget()
{
    if (m_widget)
        return m_widget;
    m_widget = new QWidget;
    m_widget->setObjectName(u"bench"_s);
    setBackground(m_widget, Colour::Panel);
    auto *layout = columnIn(m_widget, 0);
    m_strip = new TabStrip(m_context, m_widget);
    m_stack = new QStackedWidget(m_widget);
    layout->addWidget(m_strip);
    layout->addWidget(makeRule(Qt::Horizontal, m_widget));
    layout->addWidget(m_stack, 1);

    connect(m_strip, &TabStrip::newWanted, this, [this] { m_context.actions().trigger(u"bench.new"_s); });
    connect(m_strip, &TabStrip::closeWanted, this, &BenchPage::closeTab);
    connect(m_strip, &TabStrip::menuWanted, this, &BenchPage::showMenu);
    connect(m_strip, &TabStrip::listWanted, this, &BenchPage::showTabList);
    connect(m_strip, &TabStrip::dropped, this, &BenchPage::keepPinnedFirst);
    connect(&m_strip->bar(), &QTabBar::currentChanged, this, &BenchPage::showTab);
    connect(&m_strip->bar(), &QTabBar::tabMoved, this, [this](int from, int to) {
        QWidget *moved = m_stack->widget(from);
        m_stack->removeWidget(moved);
        m_stack->insertWidget(to, moved);
        m_stack->setCurrentIndex(m_strip->bar().currentIndex());
        stashOrder();
    });
    restoreTabs();
    return m_widget;
}

BenchTab *BenchPage::current() const
{
    return m_stack ? static_cast<BenchTab *>(m_stack->currentWidget()) : nullptr;
}

QList<BenchTab *> BenchPage::tabs() const
{
    QList<BenchTab *> tabs;
    for (int i = 0; m_stack && i < m_stack->count(); ++i)
        tabs.append(static_cast<BenchTab *>(m_stack->widget(i)));
    return tabs;
}

QList<QWidget *> BenchPage::areas() const
{
    const BenchTab *tab = current();
    return tab ? QList<QWidget *>{m_strip} + tab->areas() : QList<QWidget *>();
}

void BenchPage::activate()
{
    if (BenchTab *tab = current())
        tab->setFocus();
}

void BenchPage::engineReady()
{
    for (BenchTab *tab : tabs())
        tab->engineReady();
    m_context.actions().refresh();
}

void BenchPage::engineClosing()
{
    m_vault.engineClosing();
    for (BenchTab *tab : tabs())
        tab->engineClosing();
    m_context.actions().refresh();
}

QList<StatusItem> BenchPage::status() const
{
    BenchTab *tab = current();
    if (!tab)
        return {};
    const CodeEditor &editor = tab->editor().editor();
    QList<StatusItem> items;
    if (m_liveRuns > 0)
        items.append({u"runs"_s, tr("%Ln running", "", m_liveRuns), Colour::Accent, false, u"bench.running"_s,
                      tr("%Ln run(s) going on", "", m_liveRuns)});
    if (const QString leak = tab->editor().leaks().marks().sentenceAt(editor.line()); !leak.isEmpty())
        items.append({u"leak"_s, tr("This line may hold a secret"), Colour::Warn, false, u"bench.leak.vault"_s, leak});
    if (const int cursors = editor.cursors().count(); cursors > 1)
        items.append({u"cursors"_s, tr("%Ln cursors", "", cursors), Colour::Accent, false, u"bench.cursors.one"_s,
                      tr("The keys act at %Ln places; a click goes back to one", "", cursors)});
    items.append({u"position"_s, tr("Ln %1, Col %2").arg(editor.line()).arg(editor.column()), Colour::Dim, true,
                  u"bench.goto"_s, tr("Line %1, column %2").arg(editor.line()).arg(editor.column())});
    const Indentation &indentation = editor.indentation();
    items.append({u"indentation"_s,
                  (indentation.tabs ? tr("Tabs: %1", "columns") : tr("Spaces: %1")).arg(indentation.width), Colour::Dim,
                  true, u"bench.indentation"_s,
                  (indentation.tabs ? tr("Lines are indented by tabs that are %1 columns wide; a click changes that")
                                    : tr("Lines are indented by %1 spaces a step; a click changes that"))
                      .arg(indentation.width)});
    const QString encoding = encodingName(tab->editor().encoding());
    items.append({u"encoding"_s, encoding, Colour::Dim, true, u"bench.encoding"_s,
                  tr("The text is encoded as %1; a click changes that").arg(encoding)});
    items.append({u"lineends"_s, tab->editor().usesCrlf() ? u"CRLF"_s : u"LF"_s, Colour::Dim, true, u"bench.lineends"_s,
                  tab->editor().usesCrlf() ? tr("Lines end as in Windows; a click changes that")
                                           : tr("Lines end as in Unix; a click changes that")});
    return items;
}

// --- tabs

// The lowest number that no tab has.
QString BenchPage::freeName() const
{
    QStringList taken;
    for (const BenchTab *tab : tabs())
        taken.append(tab->name());
    for (int number = 1;; ++number) {
        if (const QString name = tr("Untitled %1").arg(number); !taken.contains(name))
            return name;
    }
}

BenchTab *BenchPage::addTab(const QString &stashId, bool show)
{
    widget();
    const QString id = stashId.isEmpty() ? QUuid::createUuid().toString(QUuid::WithoutBraces) : stashId;
    const QString name = stashId.isEmpty() ? freeName() : QString();
    auto *tab = new BenchTab(m_context, m_vault, m_sessions, m_runTabs, id, name, m_stack);
    tab->setFallbackLanguage(m_lastLanguage);
    tab->runs().setWrap(m_wrap);
    tab->runs().setTimesShown(m_times);
    tab->runs().setCardHidden(m_cardHidden);
    tab->splitter().restoreState(m_splitter);
    tab->editor().editor().completion().setSource(
        [this, tab](const QString &prefix) { return wordsFor(*tab, prefix); });
    followTab(tab);
    const int at = m_stack->addWidget(tab);
    takeCodeChoices();
    {
        const QSignalBlocker quiet(m_strip->bar());
        m_strip->bar().insertTab(at, name);
    }
    updateTab(tab);
    if (show || m_stack->count() == 1)
        showTab(at);
    if (!m_restoring)
        stashOrder();
    return tab;
}

void BenchPage::followTab(BenchTab *tab)
{
    connect(tab, &BenchTab::changed, this, [this, tab] { updateTab(tab); });
    tab->runs().setRunningNames([this] { return runningNames(); });
    followProfiles(tab);
    connect(tab, &BenchTab::stashNeeded, this, [this, tab] { stashSoon(tab); });
    connect(tab, &BenchTab::languageChosen, this, [this](const QString &id) {
        if (!id.isEmpty())
            m_lastLanguage = id;
    });
    connect(&tab->editor(), &EditorPane::pathChanged, this, [this, tab] {
        if (!m_restoring)
            noteRecent(tab->editor().path());
    });
    connect(tab, &BenchTab::filesDropped, this, &BenchPage::openFiles);
    connect(&tab->editor().editor(), &CodeEditor::cursorsChanged, this, [this, tab] {
        if (tab == current())
            Q_EMIT statusChanged();
    });
    connect(&tab->editor().leaks().marks(), &LeakMarks::changed, this, [this, tab] {
        m_context.actions().refresh();
        if (tab == current())
            Q_EMIT statusChanged();
    });
    connect(&tab->runs(), &RunPanel::choiceChanged, this, [this, tab] {
        m_wrap = tab->runs().wraps();
        m_cardHidden = tab->runs().isCardHidden();
    });
    connect(&tab->splitter(), &QSplitter::splitterMoved, this,
            [this, tab] { m_splitter = tab->splitter().saveState(); });
}

void BenchPage::updateTab(BenchTab *tab)
{
    if (const int index = m_stack->indexOf(tab); index >= 0)
        m_strip->setTab(index, {.name = tab->name(),
                                .toolTip = tab->editor().path().isEmpty() ? tab->name() : tab->editor().path(),
                                .unsaved = tab->hasUnsavedWork(),
                                .running = tab->runs().liveRuns() > 0,
                                .pinned = tab->isPinned()});
    m_liveRuns = 0;
    for (BenchTab *each : tabs())
        m_liveRuns += each->runs().liveRuns();
    if (m_liveRuns > 0 && m_welcome && m_welcome->isNarrow()) // in a small window the output has no room beside it
        showWelcome(false);
    takeWelcome();
    m_context.actions().refresh();
    Q_EMIT statusChanged();
}

void BenchPage::showTab(int index)
{
    if (index < 0 || index >= m_stack->count())
        return;
    auto *tab = static_cast<BenchTab *>(m_stack->widget(index));
    if (!m_splitter.isEmpty())
        tab->splitter().restoreState(m_splitter);
    m_stack->setCurrentIndex(index);
    if (m_strip->bar().currentIndex() != index)
        m_strip->bar().setCurrentIndex(index);
    if (!m_restoring) {
        tab->setFocus();
        stashOrder();
    }
    takeWelcome();
    m_context.actions().refresh();
    Q_EMIT statusChanged();
    Q_EMIT titleChanged();
}

void BenchPage::step(int by)
{
    const int count = m_stack->count();
    showTab((m_stack->currentIndex() + by + count) % count);
}

void BenchPage::closeTab(int index)
{
    auto *tab = static_cast<BenchTab *>(m_stack->widget(index));
    if (!tab)
        return;
    delete tab->findChild<QObject *>(QString(waitingToClose), Qt::FindDirectChildrenOnly); // asked anew
    if (tab->isPinned()) {
        showTab(index);
        tab->setMaximised(false); // the question is the editor's
        const QPointer<BenchTab> pinned(tab);
        tab->editor().notice().show(Tone::Info, tr("%1 is pinned.").arg(tab->name()),
                                    {{tr("Unpin and close"),
                                      [this, pinned] {
                                          pin(pinned, false);
                                          closeTab(m_stack->indexOf(pinned));
                                      }},
                                     {tr("Keep it open"), [pinned] { pinned->setFocus(); }}});
        return;
    }
    const int live = tab->runs().liveRuns();
    QStringList questions = tab->closingEnds();
    const QStringList goesOn = tab->runs().goesOn();
    if (!tab->hasUnsavedWork() && live == 0 && questions.isEmpty() && goesOn.isEmpty()) {
        removeTab(tab);
        return;
    }
    showTab(index);
    tab->setMaximised(false);
    const bool endsNothing = live == 0 && questions.isEmpty();
    questions.append(goesOn);
    if (live > 0)
        questions.prepend(tr("%Ln run(s) of this tab are going on; closing it stops them.", "", live));
    QString question = questions.join(u' ');
    QList<Remedy> ways;
    const QPointer<BenchTab> guard(tab);
    if (tab->hasUnsavedWork()) {
        question += (question.isEmpty() ? QString() : u" "_s) + tr("%1 isn't saved.").arg(tab->name());
        ways.append({tr("Save and close"), [this, guard] {
                         guard->editor().save([this, guard](bool saved) {
                             if (saved && guard)
                                 removeTab(guard);
                         });
                     }});
    }
    if (!tab->hasUnsavedWork() && endsNothing)
        ways.append({tr("Close when done"), [this, guard] { closeWhenDone(guard); }});
    ways.append({tab->hasUnsavedWork() ? tr("Close without saving")
                 : endsNothing         ? tr("Close now")
                                       : tr("Stop and close"),
                 [this, guard] { removeTab(guard); }});
    ways.append({tr("Keep it open"), [guard] { guard->setFocus(); }});
    tab->editor().notice().show(Tone::Warn, question, ways);
}

// What is left to look at, or to save, keeps the tab.
void BenchPage::closeWhenDone(BenchTab *tab)
{
    if (tab->runs().goesOn().isEmpty())
        return closeTab(m_stack->indexOf(tab));
    auto *wait = new QObject(tab);
    wait->setObjectName(waitingToClose);
    connect(&tab->runs(), &RunPanel::wentOn, wait, [this, tab, wait](const QString &result, bool isWhole) {
        if (isWhole && !result.isEmpty())
            m_context.notifications().show({.tone = Tone::Ok, .text = tr("%1: %2").arg(tab->name(), result)});
        if (isWhole && !tab->runs().goesOn().isEmpty())
            return; // those of another run
        wait->deleteLater();
        tab->editor().notice().dismiss();
        if (isWhole)
            closeTab(m_stack->indexOf(tab));
    });
    tab->editor().notice().show(Tone::Info, tr("The tab closes when the changes are carried out."),
                                {{tr("Keep it open"), [tab = QPointer(tab), wait = QPointer(wait)] {
                                      delete wait;
                                      if (tab)
                                          tab->setFocus();
                                  }}});
}

void BenchPage::removeTab(BenchTab *tab)
{
    tab->stopAll();
    tab->runs().leave();
    if (!tab->isBlank()) {
        constexpr qsizetype remembered = 10;
        m_closed.append(tab->stashed());
        if (m_closed.size() > remembered)
            m_closed.removeFirst();
    }
    const int index = m_stack->indexOf(tab);
    m_stack->removeWidget(tab);
    {
        const QSignalBlocker quiet(m_strip->bar());
        m_strip->bar().removeTab(index);
    }
    m_context.stash().remove(u"bench.tab."_s + tab->id());
    m_unstashed.removeAll(tab);
    tab->hide();
    tab->deleteLater(); // it may have asked for it itself
    if (m_stack->count() == 0)
        addTab();
    else
        showTab(std::min(index, m_stack->count() - 1));
    updateTab(current());
    stashOrder();
}

void BenchPage::reopen()
{
    if (m_closed.isEmpty())
        return;
    BenchTab *tab = addTab();
    tab->restore(m_closed.takeLast());
    stashSoon(tab);
}

void BenchPage::pin(BenchTab *tab, bool pinned)
{
    tab->setPinned(pinned);
    keepPinnedFirst();
}

// Their order is otherwise the person's.
void BenchPage::keepPinnedFirst()
{
    int place = 0;
    for (BenchTab *tab : tabs()) {
        if (!tab->isPinned())
            continue;
        if (const int index = m_stack->indexOf(tab); index != place)
            m_strip->bar().moveTab(index, place);
        ++place;
    }
}

void BenchPage::showMenu(int index, const QPoint &position)
{
    showTab(index);
    auto *menu = new QMenu(m_widget);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const char *id : {"bench.save", "bench.saveas", "", "bench.pin", "bench.close", "bench.reopen", "bench.new"}) {
        if (QAction *action = m_context.actions().action(QString::fromLatin1(id)))
            menu->addAction(action);
        else
            menu->addSeparator();
    }
    menu->popup(position);
}

void BenchPage::takeCodeChoices()
{
    for (BenchTab *tab : tabs()) {
        CodeEditor &editor = tab->editor().editor();
        editor.setWrap(m_wrapsCode);
        editor.setClosesPairs(m_closesPairs);
        editor.completion().setWhileTyping(m_suggests);
    }
}

QSet<QString> BenchPage::wordsFor(const BenchTab &tab, const QString &prefix) const
{
    QSet<QString> words;
    const auto add = [&](const QSet<QString> &from) {
        for (const QString &word : from) {
            if (word.startsWith(prefix, Qt::CaseInsensitive))
                words.insert(word);
        }
    };
    for (BenchTab *each : tabs())
        add(each->editor().editor().words().words());
    add(const_cast<BenchTab &>(tab).editor().editor().keywords());
    return words;
}

QJsonObject BenchPage::saveState() const
{
    QJsonObject state{{u"splitter"_s, QString::fromLatin1(m_splitter.toBase64())},
                      {u"wrap"_s, m_wrap},
                      {u"times"_s, m_times},
                      {u"wrapCode"_s, m_wrapsCode},
                      {u"closePairs"_s, m_closesPairs},
                      {u"suggest"_s, m_suggests},
                      {u"cardHidden"_s, m_cardHidden},
                      {u"recent"_s, QJsonArray::fromStringList(m_recent)},
                      {u"language"_s, m_lastLanguage}};
    if (!m_oldPresets.isEmpty())
        state[u"presets"_s] = m_oldPresets;
    return state;
}

void BenchPage::restoreState(const QJsonObject &state)
{
    m_splitter = QByteArray::fromBase64(state.value(u"splitter"_s).toString().toLatin1());
    m_wrap = state.value(u"wrap"_s).toBool(true);
    m_times = state.value(u"times"_s).toBool();
    m_wrapsCode = state.value(u"wrapCode"_s).toBool();
    m_closesPairs = state.value(u"closePairs"_s).toBool(true);
    m_suggests = state.value(u"suggest"_s).toBool(true);
    takeCodeChoices();
    m_cardHidden = state.value(u"cardHidden"_s).toBool();
    moveOldPresets(state.value(u"presets"_s).toObject());
    m_recent.clear();
    for (const auto path : state.value(u"recent"_s).toArray())
        m_recent.append(path.toString());
    m_lastLanguage = state.value(u"language"_s).toString();
    for (BenchTab *tab : tabs()) {
        tab->splitter().restoreState(m_splitter);
        tab->runs().setWrap(m_wrap);
        tab->runs().setTimesShown(m_times);
        tab->runs().setCardHidden(m_cardHidden);
    }
}

} // namespace glovebox
