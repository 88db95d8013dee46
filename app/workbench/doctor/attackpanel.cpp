// SPDX-License-Identifier: Apache-2.0
#include "attackpanel.h"

#include "factsheet.h"

#include "app/workbench/shell/look.h"

#include <QHBoxLayout>
#include <QPointer>
#include <QPushButton>

#include <algorithm>

namespace glovebox {
namespace {

qsizetype count(const QList<AttackResult> &results, AttackResult::Verdict verdict)
{
    return std::ranges::count(results, verdict, &AttackResult::verdict);
}

Colour colourOf(const QList<AttackResult> &results)
{
    if (count(results, AttackResult::Verdict::Escaped) > 0)
        return Colour::Bad;
    return count(results, AttackResult::Verdict::NoEvidence) > 0 ? Colour::Warn : Colour::Ok;
}

} // namespace

AttackPanel::AttackPanel(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_outcome(makeLabel({}, this))
    , m_start(new QPushButton(this))
    , m_stop(new QPushButton(this))
    , m_sheet(new FactSheet(context.theme(), this))
{
    auto *layout = columnIn(this, Space::s);
    layout->addWidget(makeLabel(tr("Attack it yourself"), this, FontRole::Strong));
    layout->addWidget(
        makeLabel(tr("Ten attacks really try to get out. Only this machine's view of them counts: a "
                     "file, a connection, a process. The harmless ones also run without Glovebox, to "
                     "show that they get through there. The runs are in the log, marked as self-tests, which the "
                     "history can leave out."),
                  this, FontRole::Base, Colour::Dim));
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    const auto add = [&](QPushButton *button, const QString &id) {
        QAction *action = context.actions().action(QStringLiteral("doctor.") + id);
        button->setText(action->text());
        setNames(button, QStringLiteral("doctor.%1-button").arg(id), action->text());
        context.actions().keepToolTip(button, QStringLiteral("doctor.") + id);
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        row->addWidget(button);
    };
    add(m_start, QStringLiteral("attack"));
    add(m_stop, QStringLiteral("attack-stop"));
    row->addStretch();
    layout->addLayout(row);
    m_outcome->setObjectName(QStringLiteral("doctor.attack-outcome"));
    layout->addWidget(m_outcome);
    layout->addWidget(m_sheet);
    connect(&context, &WorkbenchContext::engineChanged, this, &AttackPanel::showState);
    showState();
}

AttackPanel::~AttackPanel()
{
    m_stopper.request_stop();
}

void AttackPanel::start()
{
    Engine *engine = m_context.engine();
    if (!engine || m_running)
        return;
    m_running = true;
    m_results.clear();
    m_sheet->clear();
    m_stopper = {};
    const int generation = ++m_generation;
    showState();
    inBackground(
        m_context.pool(), this,
        [engine, generation, guard = QPointer(this), stop = m_stopper.get_token()] {
            const auto progress = [guard, generation](const AttackResult &result) {
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(),
                    [guard, generation, result] {
                        if (guard && guard->m_generation == generation)
                            guard->take(result);
                    },
                    Qt::QueuedConnection);
            };
            engine->attackItself(progress, stop);
        },
        [this, generation] {
            if (m_generation != generation)
                return;
            m_running = false;
            showState();
        });
}

void AttackPanel::stop()
{
    m_stopper.request_stop();
    showState();
}

void AttackPanel::take(const AttackResult &result)
{
    m_results.append(result);
    QString detail = translated(result.attack.tried) + QLatin1Char(' ') + translated(result.detail);
    if (result.controlled)
        detail += QLatin1Char(' ') + tr("Without Glovebox it gets through.");
    const QString name = translated(result.attack.title);
    switch (result.verdict) {
    case AttackResult::Verdict::Held:
        m_sheet->addFact({Icon::Check, Colour::Ok, name, tr("Refused"), detail});
        break;
    case AttackResult::Verdict::Escaped:
        m_sheet->addFact({Icon::Failed, Colour::Bad, name, tr("Got through"), detail});
        break;
    case AttackResult::Verdict::NoEvidence:
        m_sheet->addFact({Icon::Warning, Colour::Warn, name, tr("Not known"), detail});
        break;
    }
    showState();
}

void AttackPanel::showState()
{
    const qsizetype all = allAttacks().size();
    m_start->setVisible(!m_running);
    m_start->setEnabled(m_context.engine() != nullptr);
    m_stop->setVisible(m_running);
    m_stop->setEnabled(!m_stopper.stop_requested());
    m_outcome->setVisible(m_running || !m_results.isEmpty());
    if (m_running) {
        m_outcome->setText(m_stopper.stop_requested()
                               ? tr("Stopping after this attack.")
                               : tr("Running attack %1 of %2.").arg(std::min(m_results.size() + 1, all)).arg(all));
        setTextColour(m_outcome, Colour::Dim);
    } else {
        m_outcome->setText(outcomeOf(m_results, all));
        setTextColour(m_outcome, colourOf(m_results));
    }
    m_context.actions().refresh();
}

QString outcomeOf(const QList<AttackResult> &results, qsizetype all)
{
    const qsizetype held = count(results, AttackResult::Verdict::Held);
    const qsizetype escaped = count(results, AttackResult::Verdict::Escaped);
    if (escaped > 0)
        return AttackPanel::tr(
                   "%1 of %2 attacks got through. Don't run untrusted code on this machine until this is fixed.")
            .arg(escaped)
            .arg(results.size());
    if (held == all)
        return AttackPanel::tr("All %1 attacks were refused.").arg(held);
    if (results.size() < all)
        return AttackPanel::tr("Stopped. %1 of %2 attacks were made, and %3 of them refused.")
            .arg(results.size())
            .arg(all)
            .arg(held);
    return AttackPanel::tr("%1 of %2 attacks were refused; nothing is known of %Ln other(s).", "", int(all - held))
        .arg(held)
        .arg(all);
}

} // namespace glovebox
