// SPDX-License-Identifier: Apache-2.0
#include "runstrip.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLocale>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

enum class ChipWords { All, OfTheShown, None }; // on the chips

Icon iconOf(const ShownRun &run)
{
    if (!run.isDone())
        return Icon::Run;
    return run.result()->outcome == Outcome::Completed ? Icon::Check : Icon::Failed;
}

Colour colourOf(const ShownRun &run)
{
    return run.isDone() ? outcomeColour(run.result()->outcome) : Colour::Accent;
}

} // namespace

RunStrip::RunStrip(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_group(new QButtonGroup(this))
    , m_layout(rowIn(this, Space::xs, {Space::m, Space::xs, Space::m, Space::xs}))
{
    setBackground(this, Colour::Window);
    m_layout->addStretch(1);
    setAccessibleName(tr("Runs of this tab"));
    connect(m_group, &QButtonGroup::idClicked, this, &RunStrip::chosen);
    hide();
}

void RunStrip::setRuns(const std::vector<ShownRun *> &runs, const ShownRun *current)
{
    const QList<QAbstractButton *> old = m_group->buttons();
    // Chips are kept where they are, so that one under the pointer or with the focus stays.
    for (QAbstractButton *chip : old) {
        const int number = m_group->id(chip);
        if (std::ranges::none_of(runs, [number](const ShownRun *run) { return run->title().number == number; })) {
            m_group->removeButton(chip);
            chip->hide();
            chip->deleteLater();
        }
    }
    for (const ShownRun *run : runs) {
        const int number = run->title().number;
        QAbstractButton *chip = m_group->button(number);
        if (!chip) {
            auto *button = new QToolButton(this);
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            button->setCheckable(true);
            setLook(button, ButtonLook::Quiet);
            chip = button;
            m_group->addButton(chip, number);
            m_layout->insertWidget(m_layout->count() - 1, chip);
        }
        chip->setIcon(m_theme.icon(iconOf(*run), colourOf(*run)));
        setNames(chip, u"bench.run.chip%1"_s.arg(number), chipText(*run), chipText(*run));
        chip->setChecked(run == current);
    }
    fit();
    setVisible(runs.size() > 1);
}

// Where not all words fit, those of the run that is shown do, and the others have their numbers; their tips and names say the rest.
void RunStrip::fit()
{
    const QList<QAbstractButton *> chips = m_group->buttons();
    for (const ChipWords words : {ChipWords::All, ChipWords::OfTheShown, ChipWords::None}) {
        for (QAbstractButton *chip : chips) {
            const bool isWhole = words == ChipWords::All || (words == ChipWords::OfTheShown && chip->isChecked());
            chip->setText(isWhole ? chip->accessibleName() : QLocale().toString(m_group->id(chip)));
        }
        if (m_layout->sizeHint().width() <= width())
            return;
    }
}

void RunStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

void RunStrip::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fit();
}

QString chipText(const ShownRun &run)
{
    QString state;
    switch (run.state()) {
    case RunState::Done:
        if (const auto result = run.result()) {
            const std::optional<int> code = result->exitCode;
            state = code ? RunStrip::tr("exit %1").arg(*code) : outcomeWord(result->outcome).toLower();
        }
        break;
    case RunState::Queued:
    case RunState::Waiting:
    case RunState::Submitted:
    case RunState::Accepted:
        state = RunStrip::tr("waiting");
        break;
    default:
        state = run.stopping() ? RunStrip::tr("stopping") : RunStrip::tr("running");
    }
    return RunStrip::tr("Run %1 · %2").arg(run.title().number).arg(state);
}

} // namespace glovebox
