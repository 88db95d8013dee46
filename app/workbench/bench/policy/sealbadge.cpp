// SPDX-License-Identifier: Apache-2.0
#include "sealbadge.h"

#include "editors/popover.h"

#include "app/workbench/runpanel/isolation/controlsmodel.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int sheetWidth = 440; // px at 13 px text

} // namespace

SealBadge::SealBadge(Theme &theme, QWidget *parent)
    : QToolButton(parent)
    , m_theme(theme)
{
    setLook(this, ButtonLook::Badge);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setObjectName(u"bench.seal"_s);
    connect(this, &QToolButton::clicked, this, &SealBadge::openDetails);
    QSizePolicy kept = sizePolicy();
    kept.setRetainSizeWhenHidden(true);
    setSizePolicy(kept);
    hide();
}

QSize SealBadge::sizeHint() const
{
    constexpr int aroundWords = 44; // px: the icon and what is between
    const QSize own = QToolButton::sizeHint();
    if (!m_waits)
        return own;
    const int usual =
        fontMetrics().horizontalAdvance(tr("Sealed · %1 of %2 verified").arg(14).arg(14)) + m_theme.scaled(aroundWords);
    return {std::max(own.width(), usual), own.height()};
}

void SealBadge::setRun(const ShownRun *run, const Part *obstacle)
{
    m_controls.clear();
    const bool isLive = run && !run->isDone();
    m_obstacle = obstacle && !isLive ? std::optional(*obstacle) : std::nullopt;
    const std::shared_ptr<const RunResult> result = run ? run->result() : nullptr;
    QString text;
    Colour tone = Colour::Accent;
    if (m_obstacle) {
        text = tr("Can't run here");
        tone = Colour::Bad;
    } else if (result && !result->controls.isEmpty() && !nothingRan(result->outcome)) {
        m_controls = result->controls;
        const ControlCounts counts = countControls(m_controls);
        text = tr("Sealed · %1 of %2 verified").arg(counts.verified).arg(counts.all());
        if (counts.degraded + counts.missing > 0)
            tone = Colour::Warn;
    } else if (result && nothingRan(result->outcome)) {
        m_controls = result->controls;
        text = tr("Nothing ran");
        tone = Colour::Bad;
    } else if (isLive && run->state() >= RunState::Running) {
        text = tr("Sealed"); // it started, so everything that must be verified was
    }
    m_waits = !m_obstacle && !(result && nothingRan(result->outcome));
    setText(text);
    setIcon(m_theme.icon(tone == Colour::Warn  ? Icon::Warning
                         : tone == Colour::Bad ? Icon::Failed
                                               : Icon::Shield,
                         tone));
    setTextColour(this, tone);
    setNames(this, objectName(), text,
             m_obstacle             ? translated(m_obstacle->why.message)
             : m_controls.isEmpty() ? QString()
                                    : tr("Show each control"));
    setVisible(!text.isEmpty());
    updateGeometry();
}

void SealBadge::openObstacle()
{
    if (!m_obstacle)
        return;
    auto *sheet = new Popover(m_theme, this, u"bench.obstacle"_s, tr("Can't run here"), sheetWidth);
    sheet->content()->addWidget(makeLabel(tr("Can't run here"), sheet, FontRole::Strong));
    for (const Text &text : {m_obstacle->why.message, m_obstacle->why.detail, m_obstacle->remedy}) {
        if (!text.isEmpty())
            sheet->content()->addWidget(makeLabel(translated(text), sheet));
    }
    const auto addLink = [&](const QString &name, const QString &text, auto wanted) {
        auto *link = new QToolButton(sheet);
        link->setText(text);
        setLook(link, ButtonLook::Link);
        setNames(link, name, text);
        connect(link, &QToolButton::clicked, this, [this, sheet, wanted] {
            sheet->close(true);
            Q_EMIT(this->*wanted)();
        });
        sheet->content()->addWidget(link);
        return link;
    };
    QToolButton *again = addLink(u"bench.obstacle.look"_s, tr("Check again"), &SealBadge::lookWanted);
    addLink(u"bench.obstacle.doctor"_s, tr("Open the doctor"), &SealBadge::doctorWanted);
    sheet->open(again);
}

void SealBadge::openDetails()
{
    if (m_obstacle)
        return openObstacle();
    if (m_controls.isEmpty())
        return;
    auto *sheet = new Popover(m_theme, this, u"bench.seal.details"_s, tr("Isolation of this run"), sheetWidth);
    sheet->content()->addWidget(makeLabel(tr("Isolation of this run"), sheet, FontRole::Strong));
    sheet->content()->addWidget(makeLabel(tr("Verified protections were read back before the first instruction."),
                                          sheet, FontRole::Base, Colour::Dim));
    auto *list = new QWidget(sheet);
    setBackground(list, Colour::Raised);
    auto *grid = new QGridLayout(list);
    grid->setContentsMargins(0, 0, Space::m, 0);
    grid->setHorizontalSpacing(Space::s);
    grid->setVerticalSpacing(Space::xs);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(2, 1);
    int row = 0;
    for (const ControlLine &line : controlLines(m_controls)) {
        grid->addWidget(makeRule(Qt::Horizontal, list), row++, 0, 1, 3);
        grid->addWidget(new IconView(m_theme, stateIcon(line.state), stateColour(line.state), list), row, 0,
                        Qt::AlignTop);
        grid->addWidget(makeLabel(line.name, list, FontRole::Base, stateColour(line.state)), row, 1, Qt::AlignTop);
        auto *fact = makeLabel(line.fact, list, FontRole::Base, Colour::Dim);
        fact->setAlignment(Qt::AlignTrailing | Qt::AlignTop);
        grid->addWidget(fact, row++, 2);
    }
    auto *area = new QScrollArea(sheet);
    scrollDownOnly(area, Colour::Raised);
    setNames(area, u"bench.seal.list"_s, tr("Controls"));
    area->setWidget(list);
    const int width = m_theme.scaled(sheetWidth) - 2 * (Space::m + Space::l);
    const int wanted = grid->hasHeightForWidth() ? grid->heightForWidth(width) : list->sizeHint().height();
    area->setFixedHeight(std::min(wanted + Space::s, std::max(120, window()->height() - m_theme.scaled(260))));
    sheet->content()->addWidget(area);
    auto *all = new QToolButton(sheet);
    all->setText(tr("Show all with what was asked for"));
    setLook(all, ButtonLook::Link);
    setNames(all, u"bench.seal.all"_s, all->text());
    connect(all, &QToolButton::clicked, this, [this, sheet] {
        sheet->close(false);
        Q_EMIT detailsWanted();
    });
    sheet->content()->addWidget(all);
    sheet->open(all);
}

QList<ControlLine> controlLines(const QList<Control> &controls)
{
    const auto worse = [](Control::State a, Control::State b) { return std::max(a, b); }; // in the order of the enum
    QList<ControlLine> lines;
    int namespaces = 0, verified = 0;
    Control::State state = Control::State::Verified;
    for (const Control &control : controls) {
        if (isNamespace(control.id)) {
            ++namespaces;
            verified += control.state == Control::State::Verified ? 1 : 0;
            state = worse(state, control.state);
            continue;
        }
        QString fact = translated(control.detail);
        if (control.state == Control::State::Degraded || control.state == Control::State::Missing)
            fact = stateWord(control.state) + u": "_s + fact;
        lines.append({controlName(control.id), control.state, fact});
    }
    if (namespaces > 0)
        lines.prepend(
            {SealBadge::tr("Namespaces of its own"), state, SealBadge::tr("%1 of %2").arg(verified).arg(namespaces)});
    // What needs a look comes first.
    std::ranges::stable_sort(lines, [](const ControlLine &a, const ControlLine &b) {
        const auto bad = [](const ControlLine &line) {
            return line.state == Control::State::Degraded || line.state == Control::State::Missing;
        };
        return bad(a) && !bad(b);
    });
    return lines;
}

} // namespace glovebox
