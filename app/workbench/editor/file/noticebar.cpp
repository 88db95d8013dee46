// SPDX-License-Identifier: Apache-2.0
#include "noticebar.h"

#include "app/workbench/shell/look.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

NoticeBar::NoticeBar(Theme &theme, const QString &objectName, QWidget *parent)
    : QFrame(parent)
    , m_sign(new IconView(theme, Icon::Info, Colour::Info, this))
    , m_sentence(makeLabel({}, this))
    , m_remedies(new QHBoxLayout)
{
    setObjectName(objectName);
    setBackground(this, Colour::Raised);
    auto *layout = rowIn(this, Space::s, {Space::m, Space::xs, Space::m, Space::xs});
    layout->addWidget(m_sign);
    layout->addWidget(m_sentence, 1);
    layout->addLayout(m_remedies);
    auto *close =
        makeIconButton(theme.icon(Icon::Close, Colour::Dim), objectName + u".close"_s, tr("Close this notice"), this);
    connect(close, &QToolButton::clicked, this, &NoticeBar::dismiss);
    layout->addWidget(close);
    hide();
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
    setVisible(true);
}

QString NoticeBar::sentence() const
{
    return isHidden() ? QString() : m_sentence->text();
}

void NoticeBar::dismiss()
{
    hide();
    clearLayout(m_remedies);
}

} // namespace glovebox
