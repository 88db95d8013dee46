// SPDX-License-Identifier: Apache-2.0
#include "welcomebar.h"

#include "app/workbench/shell/look.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

WelcomeBar::WelcomeBar(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
{
    setNames(this, u"bench.welcome"_s, tr("Three examples to run"));
    setBackground(this, Colour::Raised);
    auto *column = columnIn(this, Space::s);
    const auto addLabel = [this](QBoxLayout *layout, QLabel *label) {
        layout->addWidget(label, layout == m_head ? 1 : 0);
        m_words.append(label);
    };
    m_head = new QHBoxLayout;
    addLabel(m_head, makeLabel(tr("Three examples to run"), this, FontRole::Strong));
    m_close =
        makeIconButton(context.theme().icon(Icon::Close), u"bench.welcome.close"_s, tr("Close the examples"), this);
    column->addLayout(m_head);
    m_row = new QHBoxLayout;
    m_row->setSpacing(Space::xl);
    column->addLayout(m_row);
    for (const Example &example : firstExamples()) {
        auto *words = new QVBoxLayout;
        words->setSpacing(Space::xs);
        auto *about = makeLabel(example.about, this, FontRole::Small, Colour::Dim);
        for (QLabel *label : {makeLabel(example.title, this), about})
            addLabel(words, label);
        words->addStretch(1);
        auto *run = makeButton(tr("Run it"), u"bench.welcome."_s + example.file.section(u'.', 0, 0), this,
                               tr("Run it: %1").arg(example.title));
        run->setIcon(context.theme().icon(Icon::Run));
        connect(run, &QPushButton::clicked, this, [this, example] { Q_EMIT chosen(example); });
        words->addWidget(run, 0, Qt::AlignLeft);
        m_row->addLayout(words, 1);
        m_offers.append({example, about, run});
    }
    connect(m_close, &QToolButton::clicked, this, &WelcomeBar::closed);
    connect(&context, &WorkbenchContext::readinessChanged, this, &WelcomeBar::take);
    connect(&context, &WorkbenchContext::engineChanged, this, &WelcomeBar::take);
    connect(&context.theme(), &Theme::changed, this, &WelcomeBar::fit);
    parent->installEventFilter(this);
    take();
    arrange(false);
    fit();
}

bool WelcomeBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        fit();
    return QWidget::eventFilter(watched, event);
}

void WelcomeBar::setRun(bool isThere)
{
    m_hasRun = isThere;
    fit();
}

void WelcomeBar::fit()
{
    constexpr QSize roomForWords(700, 900);
    const QSize room = parentWidget()->size();
    const bool isNarrow = room.width() < m_context.theme().scaled(roomForWords.width());
    const bool isLow = room.height() < m_context.theme().scaled(roomForWords.height());
    if (const bool isBrief = isNarrow || (isLow && m_hasRun); isBrief != m_isBrief)
        arrange(isBrief);
    if (std::exchange(m_isNarrow, isNarrow) != isNarrow && isNarrow)
        Q_EMIT becameNarrow();
}

void WelcomeBar::arrange(bool isBrief)
{
    m_isBrief = isBrief;
    const int above = isBrief ? Space::s : Space::m;
    layout()->setContentsMargins(Space::l, above, Space::l, above);
    m_row->setSpacing(isBrief ? Space::s : Space::xl);
    for (int i = 0; i < m_offers.size(); ++i) // a line begins where it is read from
        m_row->setStretch(i, !isBrief || i == m_offers.size() - 1 ? 1 : 0);
    for (QLabel *label : std::as_const(m_words))
        label->setVisible(!isBrief);
    for (const Offer &offer : std::as_const(m_offers))
        offer.button->setText(isBrief ? offer.example.brief : tr("Run it"));
    (isBrief ? m_row : m_head)->addWidget(m_close);
}

void WelcomeBar::take()
{
    // Nothing is promised before the first look has ended.
    const bool areLooksTold = std::ranges::any_of(m_context.readiness().sandbox.controls, [](const Control &control) {
        return control.id == ControlId::DenialEvents && control.state == Control::State::Verified;
    });
    for (const auto &[example, about, button] : std::as_const(m_offers)) {
        const Part *obstacle = m_context.readiness().obstacle(example.language);
        about->setText(areLooksTold && !example.aboutWatched.isEmpty() ? example.aboutWatched : example.about);
        button->setEnabled(m_context.engine() && !obstacle);
        button->setToolTip(obstacle ? translated(obstacle->why.message) : QString());
    }
}

} // namespace glovebox
