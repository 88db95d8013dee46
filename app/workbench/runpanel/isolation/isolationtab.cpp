// SPDX-License-Identifier: Apache-2.0
#include "isolationtab.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"

#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

IsolationTab::IsolationTab(Theme &theme, QWidget *parent)
    : RunTab(parent)
    , m_model(theme)
    , m_summary(makeLabel({}, this, FontRole::Base, Colour::Dim))
    , m_view(new QTreeView(this))
{
    setBackground(this, Colour::Panel);
    auto *layout = columnIn(this, Space::s, {Space::xs, Space::m, 0, 0});
    m_summary->setContentsMargins(Space::m, 0, Space::m, 0);
    layout->addWidget(m_summary);
    layout->addWidget(m_view, 1);
    showRows(m_view, &m_model);
    setNames(m_view, u"bench.run.controls"_s, tr("Controls of this run"));
    setFocusProxy(m_view);
    IsolationTab::setRun(nullptr);
}

void IsolationTab::setRun(ShownRun *run)
{
    if (run && run->result())
        setControls(run->result()->controls, tr("Nothing ran, so there is nothing to show."));
    else
        setControls(run ? run->run()->controls() : QList<Control>(),
                    run ? tr("Protections are listed here as soon as they are verified, before the first instruction.")
                        : tr("Run something, and each control that sealed it is listed here with what was read back."));
    const QString sealed =
        run && run->result() && !run->result()->controls.isEmpty() ? sealedPhrase(*run->result()) : QString();
    if (!sealed.isEmpty())
        m_summary->setText(m_summary->text() + u" · "_s + sealed);
}

void IsolationTab::setControls(const QList<Control> &controls, const QString &whenEmpty)
{
    m_model.setRows(controls);
    m_view->setVisible(!controls.isEmpty());
    m_summary->setText(controls.isEmpty() ? whenEmpty : countsSentence(countControls(controls)));
    static_cast<QVBoxLayout *>(layout())->setAlignment(m_summary, controls.isEmpty() ? Qt::AlignTop : Qt::Alignment());
    for (int column = 0; column < m_model.columnCount(); ++column)
        m_view->resizeColumnToContents(column);
}

QString countsSentence(const ControlCounts &counts)
{
    QStringList parts{IsolationTab::tr("%1 of %2 verified").arg(counts.verified).arg(counts.all())};
    if (counts.enforced > 0)
        parts << IsolationTab::tr("%1 enforced").arg(counts.enforced);
    if (counts.degraded > 0)
        parts << IsolationTab::tr("%1 degraded").arg(counts.degraded);
    if (counts.missing > 0)
        parts << IsolationTab::tr("%1 missing").arg(counts.missing);
    return parts.join(u", "_s);
}

} // namespace glovebox
