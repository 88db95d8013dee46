// SPDX-License-Identifier: Apache-2.0
#include "networktab.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"

#include "engine/network/network.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTreeView>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int pollMilliseconds = 500;

} // namespace

NetworkTab::NetworkTab(const Theme &theme, const QString &pageId, QWidget *parent)
    : RunTab(parent)
    , m_model(theme)
    , m_prefix(pageId + u".network."_s)
    , m_summary(makeLabel({}, this, FontRole::Base, Colour::Dim))
    , m_allow(new QPushButton(this))
    , m_view(new QTreeView(this))
{
    setBackground(this, Colour::Panel);
    auto *layout = columnIn(this, 0);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(Space::l, Space::s, Space::m, Space::s);
    bar->setSpacing(Space::s);
    m_summary->setObjectName(m_prefix + u"summary"_s);
    bar->addWidget(m_summary, 1);
    bar->addWidget(m_allow, 0, Qt::AlignTop);
    layout->addLayout(bar);
    showRows(m_view, &m_model);
    setNames(m_view, m_prefix + u"list"_s, tr("Network attempts of the run"));
    setFocusProxy(m_view);
    layout->addWidget(m_view, 1000);
    layout->addStretch(1);

    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &NetworkTab::showButton);
    connect(m_allow, &QPushButton::clicked, this, [this] {
        if (const QString rule = ruleOfSelected(); !rule.isEmpty())
            Q_EMIT allowWanted(m_run, rule, m_allow);
    });
    m_poll.setInterval(pollMilliseconds);
    connect(&m_poll, &QTimer::timeout, this, &NetworkTab::showRun);
    NetworkTab::setRun(nullptr);
}

QString NetworkTab::title() const
{
    const qsizetype blocked = m_model.blocked();
    return blocked > 0 ? tr("Network · %L1 blocked").arg(blocked) : tr("Network");
}

void NetworkTab::setRun(ShownRun *run)
{
    if (run != m_run) // rows, selection and widths are of the other run
        setAttempts({}, {});
    m_run = run;
    showRun();
}

void NetworkTab::showRun()
{
    const auto result = m_run ? m_run->result() : nullptr;
    const bool isLive = m_run && !result;
    if (isLive != m_poll.isActive())
        isLive ? m_poll.start() : m_poll.stop();
    const QString whenEmpty =
        !m_run ? tr("Network attempts of a run are listed here, allowed or not.")
        : m_run->policy().allow.isEmpty()
            ? tr("The run has no network. Name hosts in the sentence above to let the next run reach them.")
        : isLive ? tr("The run has not tried to use the network so far.")
                 : tr("The run did not try to use the network.");
    setAttempts(result  ? result->egress
                : m_run ? m_run->run()->egress()
                        : QList<EgressAttempt>(),
                whenEmpty, result ? placesInside(result->events) : QList<Destination>());
}

QString NetworkTab::summary(const QString &whenEmpty) const
{
    const int all = m_model.rowCount(), inside = int(m_model.inside());
    if (all == 0)
        return whenEmpty;
    const QString within = tr("%Ln place(s) inside of itself", "that the run connected to", inside);
    if (inside == all)
        return tr("The run connected to %1 and tried no other.").arg(within);
    const QString tried = tr("%Ln attempt(s) to use the network", "", all - inside);
    return inside > 0 ? tr("%1, and %2", "attempts, places inside").arg(tried, within) : tried;
}

void NetworkTab::setAttempts(const QList<EgressAttempt> &attempts, const QString &whenEmpty,
                             const QList<Destination> &inside)
{
    const QString before = NetworkTab::title();
    if (m_model.rowCount() == 0)
        m_hasWidths = false;
    const bool isChanged = m_model.setAttempts(attempts, inside);
    const int all = m_model.rowCount();
    m_summary->setText(summary(whenEmpty));
    m_view->setVisible(all > 0);
    if (isChanged && all > 0)
        fitColumns();
    if (all > 0 && !m_view->currentIndex().isValid()) {
        for (int row = 0; row < all; ++row) {
            if (m_model.row(row).isInside || m_model.row(row).attempt.verdict == EgressAttempt::Verdict::Denied) {
                m_view->setCurrentIndex(m_model.index(row, 0));
                break;
            }
        }
    }
    showButton();
    if (NetworkTab::title() != before)
        Q_EMIT titleChanged();
}

// Rows that come later make a column wider, and never narrower than a person made it.
void NetworkTab::fitColumns()
{
    for (int column = 0; column < m_model.columnCount(); ++column) {
        const int before = m_view->columnWidth(column);
        m_view->resizeColumnToContents(column);
        if (m_hasWidths && m_view->columnWidth(column) < before)
            m_view->setColumnWidth(column, before);
    }
    m_hasWidths = true;
}

void NetworkTab::setCanRunAgain(bool canRunAgain)
{
    m_canRunAgain = canRunAgain;
    showButton();
}

QString NetworkTab::ruleOfSelected() const
{
    const QModelIndex current = m_view->currentIndex();
    if (!current.isValid())
        return {};
    const NetworkRow &row = m_model.row(current.row());
    if (row.isInside) // of this machine, and whatever address of its own the run named
        return u"127.0.0.1:%1"_s.arg(row.attempt.port);
    const auto rule = ruleThatHelps(row.attempt);
    return rule ? QString::fromStdString(network::toText(*rule)) : QString();
}

void NetworkTab::showButton()
{
    const QString rule = ruleOfSelected();
    m_allow->setVisible(!rule.isEmpty() && (m_run || m_canRunAgain));
    m_allow->setText(tr("Allow and run again…"));
    setNames(m_allow, m_prefix + u"allow"_s, tr("Allow %1 and run again").arg(rule), rule);
}

} // namespace glovebox
