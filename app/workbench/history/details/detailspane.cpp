// SPDX-License-Identifier: Apache-2.0
#include "detailspane.h"

#include "bodyviews.h"
#include "facts.h"

#include "app/workbench/runpanel/artifacts/artifactstab.h"
#include "app/workbench/runpanel/changes/changestab.h"
#include "app/workbench/runpanel/isolation/isolationtab.h"
#include "app/workbench/runpanel/network/networktab.h"
#include "app/workbench/shell/look.h"

#include <QKeyEvent>
#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostLinesBeside = 2; // of words, where the buttons stand beside them
constexpr int networkTab = 4;
constexpr int widestTabs = 620; // px: less than the pane has beside the list
constexpr int artifactsTab = 5;
constexpr int changesTab = 6;

} // namespace

DetailsPane::DetailsPane(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
{
    setObjectName(u"history.details"_s);
    setBackground(this, Colour::Raised);
    auto *layout = columnIn(this, 0);
    layout->addWidget(makeHead());

    m_trouble = makeLabel({}, this);
    m_trouble->setObjectName(u"history.details.trouble"_s);
    m_trouble->setContentsMargins(Space::l, Space::s, Space::l, Space::s);
    layout->addWidget(m_trouble);
    m_tabs = new QTabBar(this);
    setLook(m_tabs, TabLook::Pill);
    setNames(m_tabs, u"history.details.tabs"_s, tr("The log about this run"));
    for (const QString &title :
         {tr("Summary"), tr("Code"), tr("Output"), tr("Isolation"), tr("Network"), tr("Files"), tr("Changes")})
        m_tabs->addTab(title);
    auto *tabRow = new QHBoxLayout;
    tabRow->setContentsMargins(Space::m, 0, Space::m, Space::xs);
    tabRow->addWidget(m_tabs, 1);
    layout->addLayout(tabRow);

    Theme &theme = context.theme();
    m_pages = new QStackedWidget(this);
    m_summary = new SummaryView(m_pages);
    setNames(m_summary, u"history.summary"_s, tr("Summary of this run"));
    m_code = new CodeBodyView(theme, m_pages);
    m_output = new OutputBodyView(theme, m_pages);
    m_isolation = new IsolationTab(theme, m_pages);
    m_isolation->setObjectName(u"history.isolation"_s);
    if (auto *view = m_isolation->findChild<QTreeView *>())
        view->setObjectName(u"history.isolation.controls"_s);
    m_network = new NetworkTab(theme, u"history"_s, m_pages);
    m_network->setObjectName(u"history.network"_s);
    m_artifacts = new ArtifactsTab(context, u"history"_s, m_pages);
    m_artifacts->setObjectName(u"history.artifacts"_s);
    m_changes = new ChangesTab(context, u"history"_s, m_pages);
    m_changes->setObjectName(u"history.changes"_s);
    connect(m_network, &RunTab::titleChanged, this, &DetailsPane::showTitles);
    connect(m_network, &NetworkTab::allowWanted, this,
            [this](ShownRun *, const QString &host) { Q_EMIT allowWanted(host); });
    connect(m_artifacts, &RunTab::titleChanged, this, &DetailsPane::showTitles);
    connect(m_changes, &RunTab::titleChanged, this, &DetailsPane::showTitles);
    connect(m_changes, &RunTab::titleChanged, this, &DetailsPane::showWaiting);
    connect(m_summary, &SummaryView::changesWanted, this, &DetailsPane::showChanges);
    connect(&theme, &Theme::changed, this, &DetailsPane::showTitles);
    for (QWidget *page :
         std::initializer_list<QWidget *>{m_summary, m_code, m_output, m_isolation, m_network, m_artifacts, m_changes})
        m_pages->addWidget(page);
    layout->addWidget(m_pages, 1);
    connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
    clear();
}

void DetailsPane::showTitles()
{
    for (const auto &[index, tab] :
         {std::pair<int, RunTab *>(networkTab, m_network), {artifactsTab, m_artifacts}, {changesTab, m_changes}}) {
        m_tabs->setTabText(index, tab->title());
        m_tabs->setTabTextColor(index, tab->needsLook() ? m_context.theme().colour(Colour::Warn) : QColor());
    }
    // Beside the list the pane is as wide as they need; below it they have the window's width, and scroll where that is small.
    m_tabs->setMinimumWidth(m_isBeside ? std::min(m_tabs->sizeHint().width(), widestTabs) : 0);
}

// What can be decided about isn't in the log.
void DetailsPane::showWaiting()
{
    const qint64 waiting = m_changes->canDecide() ? m_changes->waiting() : 0;
    const bool isHalfUndone = m_changes->isHalfUndone();
    const bool isOther = m_record.waiting != waiting || m_record.isHalfUndone != isHalfUndone;
    m_record.waiting = waiting;
    m_record.isHalfUndone = isHalfUndone;
    if (isOther)
        m_summary->setFacts(factsOf(m_record));
}

void DetailsPane::showChanges()
{
    if (!m_tabs->isTabVisible(changesTab))
        return;
    m_tabs->setCurrentIndex(changesTab);
    m_changes->setFocus();
}

QWidget *DetailsPane::makeHead()
{
    auto *head = new QWidget(this);
    m_head = new QBoxLayout(QBoxLayout::TopToBottom, head);
    m_head->setContentsMargins(Space::l, 0, Space::l, Space::s);
    m_head->setSpacing(Space::m);
    auto *words = new QVBoxLayout;
    words->setSpacing(Space::xs);
    m_heading = makeLabel({}, head, FontRole::Title);
    m_heading->setObjectName(u"history.details.heading"_s);
    m_origin = makeLabel({}, head, FontRole::Base, Colour::Dim);
    m_origin->setObjectName(u"history.details.origin"_s);
    words->addWidget(m_heading);
    words->addWidget(m_origin);

    auto *close = makeIconButton(m_context.theme().icon(Icon::Close, Colour::Dim), u"history.details.close"_s,
                                 tr("Close the details"), head, tr("Close the details (Esc)"));
    close->setFocusPolicy(Qt::StrongFocus);
    connect(close, &QToolButton::clicked, this, &DetailsPane::dismissed);

    m_buttons = new QHBoxLayout;
    m_buttons->setSpacing(Space::s);
    const std::pair<QString, ButtonLook> offered[] = {
        {u"open"_s, ButtonLook::Primary}, {u"rerun"_s, ButtonLook::Normal}, {u"copycommand"_s, ButtonLook::Normal}};
    for (const auto &[name, look] : offered) {
        auto *button = m_context.actions().makeButton(u"history."_s + name, u"history.details."_s + name, head);
        setLook(button, look);
        m_buttons->addWidget(button);
    }
    m_buttons->addStretch();
    m_head->addLayout(words, 1);
    m_head->addLayout(m_buttons);
    auto *row = new QHBoxLayout;
    auto *whole = new QWidget(this);
    row->setContentsMargins(0, Space::m, Space::m, 0); // the close mark stands where other pages have it
    row->setSpacing(0);
    row->addWidget(head, 1);
    row->addWidget(close, 0, Qt::AlignTop);
    auto *column = columnIn(whole, Space::s);
    column->addLayout(row);
    return whole;
}

void DetailsPane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    placeButtons();
}

// Beside the words, unless a long reason would become a narrow column.
void DetailsPane::placeButtons()
{
    const int close = m_context.theme().size(Size::Control) + Space::s;
    const int room = width() - close - 2 * Space::l - Space::m - m_buttons->sizeHint().width();
    const auto fits = [room](const QLabel *label) {
        const QFontMetrics metrics(label->font());
        const QRect words = metrics.boundingRect(QRect(0, 0, std::max(room, 1), 0), Qt::TextWordWrap, label->text());
        return words.width() <= room && words.height() <= mostLinesBeside * metrics.lineSpacing();
    };
    const bool isBeside = fits(m_heading) && fits(m_origin);
    m_head->setDirection(isBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void DetailsPane::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT dismissed();
    else
        QWidget::keyPressEvent(event);
}

void DetailsPane::setRecord(const RunRecord &record)
{
    const bool same = record.row.run == m_record.row.run && record.isFinished();
    const RunRecord before = std::exchange(m_record, record);
    m_record.waiting = same ? before.waiting : 0;
    m_record.isHalfUndone = same && before.isHalfUndone;
    m_heading->setText(headingOf(record));
    setTextColour(m_heading, headingColour(record) == Colour::Ok ? Colour::Text : headingColour(record));
    m_origin->setText(originOf(record, QDateTime::currentDateTime()));
    placeButtons();
    const auto code = codeToRun(record);
    showText(m_trouble, code ? QString() : tr("The code can't be opened or run again. %1").arg(code.error()));
    setTextColour(m_trouble, Colour::Dim);
    m_summary->setFacts(factsOf(m_record));
    m_code->setRecord(record);
    m_output->setRecord(record);
    m_isolation->setControls(record.result.controls,
                             !record.isFinished() ? tr("The log has the protections when the run has finished.")
                             : nothingRan(record.result.outcome)
                                 ? tr("The log has no protections of this run, as nothing was started.")
                                 : tr("The log has no protections of this run, as Glovebox ended before it."));
    const bool hadNetwork = record.policy && !record.policy->allow.isEmpty();
    m_network->setAttempts({}, {}); // another run's columns are as wide as it needs
    m_network->setAttempts(record.result.egress, !record.isFinished()
                                                     ? tr("Network attempts are in the log when the run has finished.")
                                                 : record.isBroken ? tr("Glovebox ended before the run did, so what it "
                                                                        "tried of the network isn't known.")
                                                 : hadNetwork      ? tr("The run did not try to use the network.")
                                                                   : tr("The run had no network."));
    m_artifacts->setArtifacts(
        record.row.run, record.result.artifacts, whyNotKept(record.result.events),
        !record.isFinished() ? tr("Files that the run leaves are in the log when it has finished.")
        : record.isBroken    ? tr("Glovebox ended before the run did, so none of its files were kept.")
                             : tr("The run left no files in /work that are kept."));
    m_changes->setChanges(record.hasCopies() && record.isFinished() ? record.row.run : QString(),
                          record.isFinished() ? tr("No changes of this run wait.")
                                              : tr("Changes are listed here when the run has ended."));
    m_tabs->setTabVisible(changesTab, record.hasCopies());
    showTitles();
    m_tabs->show();
    m_pages->show();
    if (!same)
        m_summary->ensureVisible(0, 0);
}

QString DetailsPane::closingEnds() const
{
    return m_artifacts->closingEnds();
}

void DetailsPane::setBesideList(bool isBeside)
{
    if (std::exchange(m_isBeside, isBeside) != isBeside)
        showTitles();
}

void DetailsPane::setCanRunAgain(bool canRunAgain)
{
    m_network->setCanRunAgain(canRunAgain);
}

void DetailsPane::setError(const Error &error)
{
    clear();
    m_heading->setText(tr("This run can't be read"));
    setTextColour(m_heading, Colour::Bad);
    QString text = translated(error.message);
    if (!error.detail.isEmpty())
        text += u'\n' + translated(error.detail);
    m_trouble->setText(text);
    setTextColour(m_trouble, Colour::Text);
    m_trouble->show();
}

void DetailsPane::clear()
{
    m_record = {};
    m_changes->setChanges({}, {});
    m_heading->setText({});
    m_origin->setText({});
    m_trouble->hide();
    m_tabs->hide();
    m_pages->hide();
}

} // namespace glovebox
