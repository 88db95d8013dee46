// SPDX-License-Identifier: Apache-2.0
#include "noticebar.h"

#include "app/workbench/shell/look.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

NoticeBar::NoticeBar(Theme &theme, const QString &objectName, QWidget *parent)
    : QFrame(parent)
    , m_sign(new IconView(theme, Icon::Info, Colour::Info, this))
    , m_sentence(makeLabel({}, this))
    , m_ways(new QWidget(this))
    , m_remedies(rowIn(m_ways, Space::s))
    , m_lines(columnIn(this, Space::xs, {Space::m, Space::xs, Space::m, Space::xs}))
    , m_words(new QHBoxLayout)
{
    setObjectName(objectName);
    setBackground(this, Colour::Raised);
    m_lines->addLayout(m_words);
    m_words->setSpacing(Space::s);
    m_words->addWidget(m_sign);
    m_words->addWidget(m_sentence, 1);
    m_words->addWidget(m_ways);
    auto *close =
        makeIconButton(theme.icon(Icon::Close, Colour::Dim), objectName + u".close"_s, tr("Close this notice"), this);
    connect(close, &QToolButton::clicked, this, &NoticeBar::dismiss);
    m_words->addWidget(close);
    hide();
    m_ticks.setInterval(1000);
    connect(&m_ticks, &QTimer::timeout, this, &NoticeBar::tick);
}

void NoticeBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    arrange();
}

// The ways out stand below the sentence where they would leave too little of its line.
void NoticeBar::arrange()
{
    const bool isBelow = m_ways->sizeHint().width() > width() / 2;
    QLayout *now = isBelow ? static_cast<QLayout *>(m_lines) : m_words;
    if (now->indexOf(m_ways) >= 0)
        return;
    if (isBelow)
        m_lines->addWidget(m_ways, 0, Qt::AlignLeft);
    else
        m_words->insertWidget(m_words->indexOf(m_sentence) + 1, m_ways);
}

void NoticeBar::show(Tone tone, const QString &sentence, const QList<Remedy> &remedies)
{
    dismiss();
    m_sign->set(tone == Tone::Ok     ? Icon::Check
                : tone == Tone::Info ? Icon::Info
                                     : Icon::Warning,
                tone == Tone::Ok     ? Colour::Ok
                : tone == Tone::Info ? Colour::Info
                : tone == Tone::Bad  ? Colour::Bad
                                     : Colour::Warn);
    m_sentence->setText(sentence);
    setAccessibleName(sentence);
    int number = 0;
    for (const Remedy &remedy : remedies) {
        auto *button = new QToolButton(this);
        button->setText(remedy.text);
        setLook(button, ButtonLook::Link);
        setNames(button, u"%1.remedy%2"_s.arg(objectName()).arg(++number), remedy.text);
        connect(button, &QToolButton::clicked, this, [this, run = remedy.run] {
            dismiss();
            if (run)
                run();
        });
        m_remedies->addWidget(button);
    }
    m_ways->setVisible(number > 0);
    setVisible(true);
    arrange();
}

void NoticeBar::showForAWhile(Tone tone, const QString &sentence)
{
    show(tone, sentence);
    m_ticksLeft = 8;
    m_ticks.start();
}

void NoticeBar::tick()
{
    if (!isVisible() || underMouse() || isAncestorOf(QApplication::focusWidget()) || !window()->isActiveWindow())
        return;
    if (--m_ticksLeft <= 0)
        dismiss();
}

QString NoticeBar::sentence() const
{
    return isHidden() ? QString() : m_sentence->text();
}

void NoticeBar::dismiss()
{
    hide();
    m_ticks.stop();
    clearLayout(m_remedies);
}

} // namespace glovebox
