// SPDX-License-Identifier: Apache-2.0
#include "findbar.h"

#include "app/workbench/shell/look.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

// Underlines its text where that is no pattern.
class MistakeField : public QLineEdit
{
public:
    MistakeField(Theme &theme, QWidget *parent)
        : QLineEdit(parent)
        , m_theme(theme)
    {
    }
    void setMistaken(bool mistaken)
    {
        if (std::exchange(m_mistaken, mistaken) != mistaken)
            update();
    }

protected:
    void paintEvent(QPaintEvent *event) override
    {
        QLineEdit::paintEvent(event);
        if (!m_mistaken)
            return;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_theme.colour(Colour::Bad), 1.5));
        QStyleOptionFrame option;
        initStyleOption(&option);
        const QRect inside = style()->subElementRect(QStyle::SE_LineEditContents, &option, this);
        // The cursor says where the text is, also when it is scrolled or mirrored.
        const int begin = cursorRect().center().x() - fontMetrics().horizontalAdvance(text().first(cursorPosition()));
        const int left = std::max(inside.left(), begin);
        const int right = std::min(inside.right(), begin + fontMetrics().horizontalAdvance(text()));
        const int bottom = (height() + fontMetrics().height()) / 2 + 1;
        QPainterPath wave(QPointF(left, bottom));
        for (int x = 2; x <= right - left; x += 2)
            wave.lineTo(left + x, bottom + (x / 2 % 2 == 0 ? 0 : 2));
        painter.drawPath(wave);
    }

private:
    Theme &m_theme;
    bool m_mistaken = false;
};

FindBar::FindBar(Theme &theme, Kind kind, const QString &objectName, QWidget *parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_prefix(objectName + u".find"_s)
    , m_field(new MistakeField(theme, this))
    , m_result(makeLabel({}, this, FontRole::Small, Colour::Dim))
{
    setObjectName(m_prefix);
    setBackground(this, Colour::Raised);
    auto *rows = columnIn(this, Space::xs, {Space::m, Space::xs, Space::m, Space::xs});

    auto *row = new QHBoxLayout;
    row->setSpacing(Space::xs);
    rows->addLayout(row);
    m_field->setPlaceholderText(tr("Find"));
    m_field->setClearButtonEnabled(true);
    m_field->setMaximumWidth(360);
    m_field->installEventFilter(this);
    setNames(m_field, m_prefix + u".text"_s, tr("Find"));
    row->addWidget(m_field, 1);
    m_matchCase = makeToggle(u"Aa"_s, u".case"_s, tr("Match case"));
    row->addWidget(m_matchCase);
    m_wholeWords = makeToggle(u"W"_s, u".words"_s, tr("Whole words only"));
    row->addWidget(m_wholeWords);
    m_pattern = makeToggle(u".*"_s, u".pattern"_s, tr("Regular expression"));
    row->addWidget(m_pattern);
    auto *previous = makeButton(Icon::ChevronUp, u".previous"_s, tr("Previous match (Shift+F3)"));
    auto *following = makeButton(Icon::ChevronDown, u".next"_s, tr("Next match (F3)"));
    row->addWidget(previous);
    row->addWidget(following);
    m_result->setWordWrap(false);
    row->addWidget(m_result);
    row->addStretch(1);
    auto *closing = makeButton(Icon::Close, u".close"_s, tr("Close (Esc)"));
    row->addWidget(closing);

    if (kind == Full) {
        m_replaceRow = new QWidget(this);
        auto *second = rowIn(m_replaceRow, Space::xs);
        m_replacement = new QLineEdit(m_replaceRow);
        m_replacement->setPlaceholderText(tr("Replace with"));
        m_replacement->setMaximumWidth(360);
        m_replacement->installEventFilter(this);
        setNames(m_replacement, m_prefix + u".replacement"_s, tr("Replace with"));
        second->addWidget(m_replacement, 1);
        auto *one = makeToolButton(tr("Replace"), m_prefix + u".replaceone"_s, tr("Replace this match"), m_replaceRow);
        auto *all =
            makeToolButton(tr("Replace all"), m_prefix + u".replaceall"_s, tr("Replace all matches"), m_replaceRow);
        second->addWidget(one);
        second->addWidget(all);
        second->addStretch(1);
        rows->addWidget(m_replaceRow);
        connect(one, &QToolButton::clicked, this, &FindBar::replaceOne);
        connect(all, &QToolButton::clicked, this, &FindBar::replaceAll);
    }
    if (m_replaceRow) { // as they are used: what is found, what stands there then
        QWidget *before = m_field;
        for (QWidget *stop :
             {static_cast<QWidget *>(m_replacement), findChild<QWidget *>(m_prefix + u".replaceone"_s),
              findChild<QWidget *>(m_prefix + u".replaceall"_s), static_cast<QWidget *>(m_matchCase),
              static_cast<QWidget *>(m_wholeWords), static_cast<QWidget *>(m_pattern), static_cast<QWidget *>(previous),
              static_cast<QWidget *>(following), static_cast<QWidget *>(closing)}) {
            setTabOrder(before, stop);
            before = stop;
        }
    }
    connect(m_field, &QLineEdit::textChanged, this, &FindBar::changed);
    connect(previous, &QToolButton::clicked, this, [this] { Q_EMIT next(true); });
    connect(following, &QToolButton::clicked, this, [this] { Q_EMIT next(false); });
    connect(closing, &QToolButton::clicked, this, &FindBar::close);
}

QToolButton *FindBar::makeToggle(const QString &text, const QString &name, const QString &description)
{
    auto *button = makeToolButton(text, m_prefix + name, description, this);
    button->setCheckable(true);
    connect(button, &QToolButton::toggled, this, &FindBar::changed);
    return button;
}

QToolButton *FindBar::makeButton(Icon icon, const QString &name, const QString &description)
{
    return makeIconButton(m_theme.icon(icon), m_prefix + name, description, this);
}

void FindBar::open(const QString &text, bool withReplace)
{
    if (m_replaceRow)
        m_replaceRow->setVisible(withReplace);
    if (!text.isEmpty())
        m_field->setText(text);
    show();
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
    Q_EMIT changed();
}

FindQuery FindBar::query() const
{
    return {m_field->text(), m_matchCase->isChecked(), m_wholeWords->isChecked(), m_pattern->isChecked()};
}

QString FindBar::replacement() const
{
    return m_replacement ? m_replacement->text() : QString();
}

void FindBar::setResult(const QString &sentence, bool good)
{
    m_field->setMistaken(false);
    m_field->setAccessibleDescription(sentence);
    m_result->setText(sentence);
    setTextColour(m_result, good ? Colour::Dim : Colour::Warn);
}

void FindBar::setMistake(const QString &sentence)
{
    setResult(sentence, false);
    m_field->setMistaken(true);
}

void FindBar::close()
{
    hide();
    Q_EMIT closed();
}

void FindBar::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        close();
    else
        QFrame::keyPressEvent(event);
}

bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)
            && !(key->modifiers() & Qt::ControlModifier)) {
            if (watched == m_replacement)
                Q_EMIT replaceOne();
            else
                Q_EMIT next(key->modifiers() & Qt::ShiftModifier);
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace glovebox
