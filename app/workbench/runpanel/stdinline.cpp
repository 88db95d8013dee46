// SPDX-License-Identifier: Apache-2.0
#include "stdinline.h"

#include "app/workbench/shell/actions.h"
#include "app/workbench/shell/look.h"

#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QToolButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

constexpr qsizetype recalledLines = 200;

StdinLine::StdinLine(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_edit(new QLineEdit(this))
    , m_interrupt(makeToolButton(controlKeyName(Qt::Key_C), u"bench.stdin.interrupt"_s,
                                 tr("Interrupt the program in the terminal"), this))
    , m_end(makeToolButton(controlKeyName(Qt::Key_D), u"bench.stdin.end"_s, tr("End of input in the terminal"), this))
{
    setBackground(this, Colour::Panel);
    auto *layout = rowIn(this, Space::s, {Space::l, Space::xs, Space::l, Space::xs});
    auto *prompt = makeLabel(u"›"_s, this, FontRole::Code, Colour::Accent);
    prompt->setTextInteractionFlags(Qt::NoTextInteraction);
    layout->addWidget(prompt);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_interrupt);
    layout->addWidget(m_end);
    connect(m_interrupt, &QToolButton::clicked, this, &StdinLine::interrupt);
    connect(m_end, &QToolButton::clicked, this, &StdinLine::endInput);
    m_edit->setFrame(false);
    m_edit->installEventFilter(this);
    setLayoutDirection(Qt::LeftToRight);
    setFontRole(m_edit, FontRole::Code);
    setNames(m_edit, u"bench.stdin"_s, tr("Input for the running program"));
    setFocusProxy(m_edit);
    setFixedHeight(theme.size(Size::TabStrip));
    connect(&theme, &Theme::changed, this, [this, &theme] { setFixedHeight(theme.size(Size::TabStrip)); });
    connect(m_edit, &QLineEdit::returnPressed, this, &StdinLine::send);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *before, QWidget *now) {
        if (now == m_edit && before && before != m_edit)
            m_before = before;
    });
    m_look.setInterval(100);
    connect(&m_look, &QTimer::timeout, this, &StdinLine::showEcho);
    showState();
}

void StdinLine::setRun(ShownRun *run)
{
    if (m_run)
        m_run->disconnect(this);
    m_run = run;
    if (m_run) {
        connect(m_run, &ShownRun::inputChanged, this, &StdinLine::showState);
        connect(m_run, &ShownRun::stateChanged, this, &StdinLine::showState);
    }
    showState();
}

void StdinLine::showState()
{
    const bool live = m_run && !m_run->isDone();
    const bool open = live && !m_run->inputClosed();
    // Where a program ended that asked, the person goes on where they were: Qt would give the focus to what comes next.
    if (!open && m_edit->hasFocus() && m_before && m_before->isVisible())
        m_before->setFocus();
    m_edit->setEnabled(open);
    if (!open && hidesInput())
        m_edit->clear(); // nobody else may get it
    if (open && hasTerminal())
        m_look.start();
    else
        m_look.stop();
    showEcho();
    m_interrupt->setVisible(open && hasTerminal());
    m_end->setVisible(open && hasTerminal());
    if (hidesInput())
        m_edit->setPlaceholderText(tr("The program asks for a line that isn't shown, such as a password"));
    else if (open && hasTerminal() && !m_leave.isEmpty())
        m_edit->setPlaceholderText(tr("Keys go to the program in the terminal; %1 leaves it").arg(m_leave));
    else if (open && hasTerminal())
        m_edit->setPlaceholderText(tr("Type a line for the terminal; %1 and %2 go there, too")
                                       .arg(controlKeyName(Qt::Key_C), controlKeyName(Qt::Key_D)));
    else if (open)
        m_edit->setPlaceholderText(tr("Type input for the running program; %1 ends it").arg(controlKeyName(Qt::Key_D)));
    else
        m_edit->setPlaceholderText(live ? tr("The input has ended") : tr("Input goes to a running program"));
}

void StdinLine::setTypedInView(const QString &leave)
{
    m_leave = leave;
    showState();
}

// Also before each key: nothing of a password is shown, not for a moment. What was typed hidden stays so until the line is empty: a
// program may show its input again as soon as it has the line, or while the person still types.
void StdinLine::showEcho()
{
    const bool asks = m_run && hasTerminal() && !m_run->inputClosed() && !m_run->isDone() && m_run->run()->hidesInput();
    const bool hides = asks || (hidesInput() && !m_edit->text().isEmpty());
    if (hides == hidesInput())
        return;
    m_edit->setEchoMode(hides ? QLineEdit::Password : QLineEdit::Normal);
    showState();
}

void StdinLine::send()
{
    sendLine(m_edit->text());
    m_edit->clear();
    Q_EMIT sent();
}

void StdinLine::sendLine(const QString &line)
{
    const bool isHidden = hidesInput(); // before it is sent: the program may ask for a password the next moment
    // Return sends a carriage return at a terminal, and the terminal shows what it was sent, unless it is a secret.
    if (!m_run || !m_run->send(line.toUtf8() + (hasTerminal() ? '\r' : '\n')))
        return;
    if (!hasTerminal())
        m_run->log().remark(OutputLine::Kind::Note, u"› "_s + line);
    if (!isHidden && !line.isEmpty() && (m_history.isEmpty() || m_history.last() != line))
        m_history.append(line);
    if (m_history.size() > recalledLines)
        m_history.removeFirst();
    m_recalled = m_history.size();
    m_typed.clear();
}

// As in a terminal: what is typed so far goes first, without a line's end.
void StdinLine::endInput()
{
    if (!m_run || m_run->inputClosed())
        return;
    if (!m_edit->text().isEmpty())
        m_run->send(m_edit->text().toUtf8());
    m_edit->clear();
    if (hasTerminal()) { // the program decides what it means
        m_run->send("\x04");
        Q_EMIT sent();
        return;
    }
    m_run->closeInput();
    m_run->log().remark(OutputLine::Kind::Note, tr("› end of input"));
    Q_EMIT sent();
}

void StdinLine::interrupt()
{
    if (!hasTerminal() || !m_run->send("\x03"))
        return;
    m_edit->clear();
    Q_EMIT sent();
}

void StdinLine::paste()
{
    QString text = QGuiApplication::clipboard()->text();
    text.replace(u"\r\n"_s, u"\n"_s);
    QStringList lines = text.split(u'\n');
    const QString rest = lines.takeLast();
    for (const QString &line : lines) {
        m_edit->insert(line);
        send();
    }
    m_edit->insert(rest);
}

void StdinLine::recall(int step)
{
    if (m_recalled == m_history.size())
        m_typed = m_edit->text();
    m_recalled = std::clamp<qsizetype>(m_recalled + step, 0, m_history.size());
    m_edit->setText(m_recalled == m_history.size() ? m_typed : m_history[m_recalled]);
}

bool StdinLine::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_edit || (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride))
        return QWidget::eventFilter(watched, event);
    auto *key = static_cast<QKeyEvent *>(event);
    const bool ends = key->modifiers() == Qt::ControlModifier && key->key() == Qt::Key_D;
    const bool interrupts = hasTerminal() && !m_edit->hasSelectedText() && key->modifiers() == Qt::ControlModifier
                            && key->key() == Qt::Key_C; // with a selection it copies
    if (event->type() == QEvent::ShortcutOverride) {
        if (ends || interrupts)
            event->accept(); // whatever they mean elsewhere
        return false;
    }
    showEcho();
    if (ends)
        endInput();
    else if (interrupts)
        interrupt();
    else if (key->matches(QKeySequence::Paste))
        paste();
    else if (!hidesInput() && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down))
        recall(key->key() == Qt::Key_Up ? -1 : 1);
    else
        return false;
    return true;
}

} // namespace glovebox
