// SPDX-License-Identifier: Apache-2.0
#include "rail.h"

#include "app/workbench/shell/look.h"

#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {

namespace {

// Says its number to those who see it; the button's name says it to the others.
class WaitingNumber : public QWidget
{
public:
    WaitingNumber(const Theme &theme, QWidget *button)
        : QWidget(button)
        , m_theme(theme)
    {
        setObjectName(button->objectName() + QStringLiteral(".waiting"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }
    void set(int count)
    {
        m_text = count > 99 ? QStringLiteral("99+") : QString::number(count);
        const QFontMetrics metrics(m_theme.font(FontRole::Small));
        const int height = metrics.height();
        resize(std::max(height, metrics.horizontalAdvance(m_text) + Space::s), height);
        move(parentWidget()->width() - width(), 0);
        setVisible(count > 0);
        update();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.colour(Colour::Warn));
        painter.drawRoundedRect(rect(), height() / 2.0, height() / 2.0);
        painter.setPen(m_theme.colour(Colour::Panel));
        painter.setFont(m_theme.font(FontRole::Small));
        painter.drawText(rect(), Qt::AlignCenter, m_text);
    }

private:
    const Theme &m_theme;
    QString m_text;
};

} // namespace

Rail::Rail(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_buttons(new QVBoxLayout)
    , m_atEnd(new QVBoxLayout)
{
    setNames(this, QStringLiteral("frame.rail"), tr("Pages"));
    setBackground(this, Colour::Window);
    auto *layout = columnIn(this, Space::s, {Space::s, Space::m, Space::s - Space::line, Space::m});
    m_buttons->setSpacing(Space::xs);
    layout->addLayout(m_buttons);
    layout->addStretch();
    m_atEnd->setSpacing(Space::xs);
    layout->addLayout(m_atEnd);
    connect(&context.theme(), &Theme::changed, this, &Rail::resizeToTheme);
    resizeToTheme();
}

void Rail::add(const QString &pageId, const QString &title, Icon icon, QAction *action, bool atEnd)
{
    auto *button = new QToolButton(this);
    setLook(button, ButtonLook::Rail);
    button->setIcon(m_context.theme().icon(icon, Colour::Dim));
    button->setCheckable(true);
    setNames(button, QStringLiteral("frame.rail.") + pageId, title);
    const auto showKeys = [button, action, title] {
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        button->setToolTip(keys.isEmpty() ? title : tr("%1 (%2)").arg(title, keys));
    };
    connect(action, &QAction::changed, button, showKeys);
    showKeys();
    connect(button, &QToolButton::clicked, action, &QAction::trigger);
    m_all.append(button);
    m_titles.insert(button, title);
    (atEnd ? m_atEnd : m_buttons)->addWidget(button);
    resizeToTheme();
}

QToolButton *Rail::addMenuButton(QAction *action, Icon icon)
{
    auto *button = new QToolButton(this);
    setLook(button, ButtonLook::Rail);
    button->setIcon(m_context.theme().icon(icon, Colour::Dim));
    setNames(button, QStringLiteral("frame.menu.button"), action->text());
    m_context.actions().keepToolTip(button, QStringLiteral("frame.menu"));
    connect(button, &QToolButton::clicked, action, &QAction::trigger);
    m_menu = button;
    m_buttons->insertWidget(0, button);
    resizeToTheme();
    return button;
}

void Rail::setCurrent(const QString &pageId)
{
    for (QToolButton *button : std::as_const(m_all))
        button->setChecked(button->objectName() == QStringLiteral("frame.rail.") + pageId);
}

void Rail::setWaiting(const QString &pageId, int count)
{
    for (QToolButton *button : std::as_const(m_all)) {
        if (button->objectName() != QStringLiteral("frame.rail.") + pageId)
            continue;
        auto *number = static_cast<WaitingNumber *>(
            button->findChild<QWidget *>(button->objectName() + QStringLiteral(".waiting")));
        if (!number)
            number = new WaitingNumber(m_context.theme(), button);
        number->set(count);
        const QString title = m_titles.value(button);
        button->setAccessibleName(count == 0 ? title : tr("%1, %Ln wait(s) for you", nullptr, count).arg(title));
    }
}

QWidget *Rail::currentButton() const
{
    const auto checked = std::ranges::find_if(m_all, &QToolButton::isChecked);
    return checked == m_all.end() ? nullptr : *checked;
}

void Rail::resizeToTheme()
{
    setFixedWidth(m_context.theme().size(Size::Rail) - Space::line); // the line beside it is part of the 56
    const int icon = m_context.theme().size(Size::Icon);
    for (QToolButton *button : std::as_const(m_all))
        button->setIconSize(QSize(icon, icon));
    if (m_menu)
        m_menu->setIconSize(QSize(icon, icon));
}

} // namespace glovebox
