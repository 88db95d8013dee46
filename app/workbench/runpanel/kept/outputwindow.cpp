// SPDX-License-Identifier: Apache-2.0
#include "outputwindow.h"

#include "keptreader.h"

#include "app/workbench/editor/findbar.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/runpanel/shownrun.h"
#include "app/workbench/shell/look.h"

#include <QLabel>
#include <QShortcut>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

OutputWindow::OutputWindow(WorkbenchContext &context, ShownRun *run, const QString &title, QWidget *parent)
    : QWidget(parent, Qt::Window)
    , m_context(context)
    , m_run(run)
    , m_state(makeLabel({}, this, FontRole::Small, Colour::Dim))
    , m_earlier(makeToolButton(tr("Earlier"), u"output.earlier"_s, tr("Show earlier lines that were kept"), this))
    , m_later(makeToolButton(tr("Later"), u"output.later"_s, tr("Show the lines after these"), this))
    , m_find(new FindBar(context.theme(), FindBar::Simple, u"output"_s, this))
    , m_output(new OutputView(context.theme(), this))
    , m_kept(new KeptReader(context, m_output, m_find))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"output.window"_s);
    setWindowTitle(title);
    setBackground(this, Colour::Panel);
    resize(m_context.theme().scaled(900), m_context.theme().scaled(600));
    auto *layout = columnIn(this, 0);
    auto *header = new QWidget(this);
    auto *row = rowIn(header, Space::xs, {Space::m, Space::xs, Space::m, Space::xs});
    row->addWidget(m_state, 1);
    row->addWidget(m_earlier);
    row->addWidget(m_later);
    auto *copy = makeToolButton(tr("Copy"), u"output.copy"_s, tr("Copy the selected text, or all of it"), this);
    row->addWidget(copy);
    layout->addWidget(header);
    layout->addWidget(makeRule(Qt::Horizontal, this));
    layout->addWidget(m_find);
    layout->addWidget(m_output, 1);
    m_find->hide();
    setNames(m_output, u"output.text"_s, title);

    connect(copy, &QToolButton::clicked, m_output, &OutputView::copy);
    connect(m_earlier, &QToolButton::clicked, m_kept, &KeptReader::showEarlier);
    connect(m_later, &QToolButton::clicked, m_kept, &KeptReader::showLater);
    connect(m_kept, &KeptReader::changed, this, &OutputWindow::showKept);
    connect(m_find, &FindBar::changed, m_kept, &KeptReader::find);
    connect(m_find, &FindBar::next, m_kept, &KeptReader::findNext);
    connect(m_find, &FindBar::closed, m_kept, [this] {
        m_kept->clearFind();
        m_output->setFocus();
    });
    connect(run, &ShownRun::finished, m_kept, &KeptReader::runFinished);
    connect(run, &QObject::destroyed, this, &QWidget::close);
    addShortcuts();
    m_kept->setRun(run);
    showKept();
    show();
    m_output->setFocus();
}

OutputWindow::~OutputWindow()
{
    m_output->setLog(nullptr);
}

// The bench's actions are of its own window; their keys mean the same here.
void OutputWindow::addShortcuts()
{
    const auto add = [this](const QString &action, const auto &act) {
        for (const QKeySequence &keys : m_context.actions().shortcuts(action))
            connect(new QShortcut(keys, this), &QShortcut::activated, this, act);
    };
    add(u"bench.find"_s, [this] { m_find->open({}); });
    add(u"bench.find.next"_s, [this] { m_kept->findNext(false); });
    add(u"bench.find.previous"_s, [this] { m_kept->findNext(true); });
    add(u"bench.close"_s, [this] { close(); });
}

void OutputWindow::showKept()
{
    const bool more = m_kept->hasMore() && m_run->isDone();
    m_earlier->setVisible(more);
    m_earlier->setEnabled(m_kept->hasEarlier());
    m_later->setVisible(more);
    m_later->setEnabled(m_kept->hasLater());
    m_state->setText(m_kept->sentence());
}

} // namespace glovebox
