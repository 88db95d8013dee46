// SPDX-License-Identifier: Apache-2.0
// The bench's part of the window's menu, and the files that were open last.
#include "benchpage.h"

#include "tabs/tabstrip.h"
#include "welcome/welcomebar.h"

#include "app/workbench/runpanel/runstrip.h"
#include "app/workbench/shell/menu/mainmenu.h"

#include <QActionGroup>
#include <QFileInfo>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype recentFiles = 10;

// A "&" in a name is no mnemonic.
QString menuText(const QString &name)
{
    return QString(name).replace(u'&', u"&&"_s);
}

// A menu that is gone when it closes.
QMenu *newMenu(const QString &name, QWidget *parent)
{
    auto *menu = new QMenu(parent);
    menu->setObjectName(name);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    return menu;
}

// A line for one of several choices, of which one holds: drawn and read as a radio button.
QAction *addChoice(QMenu &menu, const QString &text, bool isChecked)
{
    auto *choices = menu.findChild<QActionGroup *>(QString(), Qt::FindDirectChildrenOnly);
    if (!choices)
        choices = new QActionGroup(&menu);
    QAction *line = menu.addAction(text);
    line->setCheckable(true);
    choices->addAction(line);
    line->setChecked(isChecked);
    return line;
}

} // namespace

void BenchPage::fillMenu(QMenu &menu)
{
    addToMenu(menu, m_context, u"bench.new"_s);
    addToMenu(menu, m_context, u"bench.open"_s);
    addRecent(*menu.addMenu(tr("Open recent")));
    addExamples(*menu.addMenu(tr("Examples")));
    menu.addSeparator();
    addToMenu(menu, m_context, u"bench.save"_s);
    addToMenu(menu, m_context, u"bench.saveas"_s);
}

void BenchPage::addRecent(QMenu &menu)
{
    menu.setEnabled(!m_recent.isEmpty());
    for (const QString &path : std::as_const(m_recent)) {
        const QFileInfo info(path);
        QAction *line =
            menu.addAction(menuText(tr("%1 in %2", "a file, its folder").arg(info.fileName(), info.path())));
        connect(line, &QAction::triggered, this, [this, path] { m_context.navigateTo(id(), {{u"path"_s, path}}); });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Forget these files")), &QAction::triggered, this, [this] {
        m_recent.clear();
        Q_EMIT statusChanged();
    });
}

void BenchPage::addExamples(QMenu &menu)
{
    for (const Example &example : allExamples())
        connect(menu.addAction(menuText(example.title)), &QAction::triggered, this,
                [this, example] { openExample(example, false); });
    menu.addSeparator();
    addToMenu(menu, m_context, u"bench.welcome"_s);
}

void BenchPage::openExample(const Example &example, bool run)
{
    m_context.navigateTo(id(), {{u"code"_s, example.code()}, {u"language"_s, example.language}, {u"run"_s, run}});
}

void BenchPage::showWelcome(bool shown)
{
    if (shown && !m_welcome) {
        m_welcome = new WelcomeBar(m_context, m_widget);
        static_cast<QVBoxLayout *>(m_widget->layout())->insertWidget(m_widget->layout()->indexOf(m_stack), m_welcome);
        m_welcome->show();
        connect(m_welcome, &WelcomeBar::chosen, this, [this](const Example &example) { openExample(example, true); });
        connect(
            m_welcome, &WelcomeBar::becameNarrow, this,
            [this] {
                if (current() && !current()->runs().runs().empty())
                    showWelcome(false);
            },
            Qt::QueuedConnection); // the layout is under way
        takeWelcome();
        connect(m_welcome, &WelcomeBar::closed, this, [this] {
            showWelcome(false);
            activate();
        });
    } else if (!shown && m_welcome) {
        m_welcome->hide();
        m_welcome->deleteLater();
        m_welcome = nullptr;
    }
}

void BenchPage::takeWelcome()
{
    if (m_welcome && current())
        m_welcome->setRun(!current()->runs().runs().empty());
}

void BenchPage::noteRecent(const QString &path)
{
    if (path.isEmpty())
        return;
    m_recent.removeAll(path);
    m_recent.prepend(path);
    m_recent.resize(std::min(m_recent.size(), recentFiles));
}

// The runs that go on: an entry leads to each, and one stops them all.
void BenchPage::showRunning()
{
    auto *menu = newMenu(u"bench.running.menu"_s, m_widget);
    for (BenchTab *tab : tabs()) {
        for (const ShownRun *run : tab->runs().runs()) {
            if (run->isDone())
                continue;
            const int number = run->title().number;
            const QAction *line = menu->addAction(menuText(u"%1 · %2"_s.arg(tab->name(), chipText(*run))));
            connect(line, &QAction::triggered, tab, [this, tab, number] {
                showTab(m_stack->indexOf(tab));
                tab->runs().showRun(number);
            });
        }
    }
    menu->addSeparator();
    addToMenu(*menu, m_context, u"bench.stopall"_s);
    popUp(*menu, u"status.runs"_s);
}

void BenchPage::popUp(QMenu &menu, const QString &statusItem)
{
    const auto *item = m_widget->window()->findChild<QWidget *>(statusItem);
    const QWidget *anchor = item ? item : m_strip;
    QPoint at = anchor->mapToGlobal(QPoint());
    at.ry() -= item ? menu.sizeHint().height() : 0;
    menu.popup(at);
}

// How the text is saved; and, where nothing would be lost, how its file is read.
void BenchPage::showEncodings()
{
    BenchTab *tab = current();
    auto *menu = newMenu(u"bench.encoding.menu"_s, m_widget);
    const bool hasFile = !tab->editor().path().isEmpty();
    for (const Encoding encoding : allEncodings) {
        QAction *line =
            addChoice(*menu, tr("Save as %1").arg(encodingName(encoding)), tab->editor().encoding() == encoding);
        line->setEnabled(!tab->editor().isReadOnly());
        connect(line, &QAction::triggered, tab, [tab, encoding] { tab->editor().setEncoding(encoding); });
    }
    menu->addSeparator();
    for (const Encoding encoding : allEncodings) {
        QAction *line = menu->addAction(tr("Read the file again as %1").arg(encodingName(encoding)));
        line->setEnabled(hasFile && !tab->editor().isModified());
        connect(line, &QAction::triggered, tab, [tab, encoding] { tab->editor().reload(encoding); });
    }
    popUp(*menu, u"status.encoding"_s);
}

void BenchPage::showLineEnds()
{
    BenchTab *tab = current();
    auto *menu = newMenu(u"bench.lineends.menu"_s, m_widget);
    for (const bool crlf : {false, true}) {
        QAction *line =
            addChoice(*menu, crlf ? tr("CRLF, as in Windows") : tr("LF, as in Unix"), tab->editor().usesCrlf() == crlf);
        line->setEnabled(!tab->editor().isReadOnly());
        connect(line, &QAction::triggered, tab, [tab, crlf] { tab->editor().setCrlf(crlf); });
    }
    popUp(*menu, u"status.lineends"_s);
}

// The indentation of text typed from now on, and the width at which a tab is shown.
void BenchPage::showIndentations()
{
    BenchTab *tab = current();
    auto *menu = newMenu(u"bench.indentation.menu"_s, m_widget);
    const auto add = [&](const QString &text, const std::optional<Indentation> &indentation) {
        const QAction *line = addChoice(*menu, text, tab->editor().chosenIndentation() == indentation);
        connect(line, &QAction::triggered, tab, [tab, indentation] {
            tab->editor().setIndentation(indentation);
            Q_EMIT tab->stashNeeded();
        });
    };
    add(tr("As in the text"), std::nullopt);
    menu->addSeparator();
    for (const int width : {2, 4, 8})
        add(tr("Spaces, %1 at a time").arg(width), Indentation{false, width});
    menu->addSeparator();
    for (const int width : {2, 4, 8})
        add(tr("Tabs, %1 columns wide").arg(width), Indentation{true, width});
    popUp(*menu, u"status.indentation"_s);
}

void BenchPage::showTabList()
{
    auto *menu = newMenu(u"bench.tabs.menu"_s, m_widget);
    for (BenchTab *tab : tabs()) {
        QAction *line = addChoice(*menu, menuText(tab->name()), tab == current());
        connect(line, &QAction::triggered, tab, [this, tab] { showTab(m_stack->indexOf(tab)); });
        if (tab == current())
            menu->setActiveAction(line);
    }
    const QToolButton *button = m_strip->listButton();
    QPoint at = button->mapToGlobal(QPoint(0, button->height()));
    if (!m_widget->isRightToLeft())
        at.rx() += button->width() - menu->sizeHint().width();
    menu->popup(at);
}

QStringList BenchPage::runningNames() const
{
    QStringList names;
    for (BenchTab *tab : tabs()) {
        const std::vector<ShownRun *> runs = tab->runs().runs();
        if (std::ranges::any_of(
                runs, [](const ShownRun *run) { return !run->isDone() && run->state() >= RunState::Preparing; }))
            names.append(tab->name());
    }
    return names;
}

// Other words by which the palette finds what the bench does.
void BenchPage::addWords()
{
    ActionRegistry &actions = m_context.actions();
    const auto add = [&actions](const char *id, const QString &words) {
        actions.addWords(u"bench."_s + QString::fromLatin1(id), words);
    };
    add("new", tr("tab add create", "other words for new code"));
    add("open", tr("load file", "other words for opening"));
    add("save", tr("write store file", "other words for saving"));
    add("run", tr("start execute go", "other words for running"));
    add("stop", tr("end kill cancel abort", "other words for stopping"));
    add("stopall", tr("end kill cancel abort clear", "other words for stopping"));
    add("runbeside", tr("parallel again second", "other words for running beside"));
    add("running", tr("list live", "other words for runs that go on"));
    add("limit.wall", tr("timeout seconds default", "other words for the time limit"));
    add("limit.memory", tr("ram mb default", "other words for the memory limit"));
    add("limit.cputime", tr("cpu default", "other words for the limit of processor time"));
    add("limit.cpushare", tr("cpu cores percent default", "other words for the share of the processors"));
    add("limit.processes", tr("threads fork default", "other words for the limit of processes"));
    add("limit.output", tr("log bytes default", "other words for how much output is kept"));
    add("limit.disk", tr("files space default", "other words for the disk limit"));
    add("hosts", tr("network internet allow domain", "other words for hosts"));
    add("tools", tr("mcp server function call", "other words for tools"));
    add("secrets", tr("keys vault token password give", "other words for secrets"));
    add("folders", tr("files mount directory", "other words for folders"));
    add("terminal", tr("tty pty console", "other words for a terminal"));
    add("language", tr("python node javascript bash shell interpreter version", "other words for the language"));
    add("output.filter", tr("search grep lines clear", "other words for filtering"));
    add("output.maximise", tr("maximize full screen larger zoom", "other words for giving the findings the whole tab"));
    add("output.window", tr("detach log separate", "other words for a window of the output"));
    add("output.times", tr("timestamps clock", "other words for the times of output"));
    add("isolation", tr("sandbox seal controls", "other words for isolation"));
    add("comment", tr("toggle", "other words for commenting"));
    add("lineends", tr("crlf newline windows unix", "other words for line ends"));
    add("indentation", tr("tab width spaces", "other words for the indentation"));
    add("lines.sort", tr("order alphabet", "other words for sorting"));
    add("lines.trim", tr("strip clean trailing", "other words for removing white space"));
    add("lines.duplicate", tr("copy double", "other words for duplicating"));
    add("cursors.next", tr("multi multiple select occurrence", "other words for adding a cursor"));
    add("cursors.all", tr("multi multiple select occurrences", "other words for adding cursors"));
    add("cursors.above", tr("multi multiple column", "other words for adding a cursor"));
    add("cursors.below", tr("multi multiple column", "other words for adding a cursor"));
    add("complete", tr("autocomplete suggest intellisense", "other words for completing"));
    add("pairs", tr("autoclose quotes", "other words for closing brackets"));
    add("suggest", tr("autocomplete", "other words for suggesting"));
    add("encoding", tr("utf-8 utf-16 latin-1 charset bytes", "other words for the encoding"));
    add("list", tr("switch go documents", "other words for the list of tabs"));
    add("limits", tr("profile preset default reset sentence", "other words for the limits"));
    add("welcome", tr("start help tour introduction", "other words for the examples"));
    add("defaults", tr("reset clear policy sentence", "other words for the defaults"));
    add("arguments", tr("argv parameters options flags", "other words for arguments"));
    add("variables", tr("env environment", "other words for variables"));
    add("fixedinput", tr("stdin", "other words for input"));
    add("find", tr("search", "other words for finding"));
}

} // namespace glovebox
