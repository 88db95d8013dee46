// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include "wordindex.h"

#include "app/workbench/editor/code/blockdata.h"
#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/shell/look.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostOffered = 50;
constexpr int rowsShown = 8;
constexpr int aMoment = 40; // ms behind a key, when the line has its colours: in comments nothing is offered

bool isInWords(const QTextCursor &cursor)
{
    const BlockData *data = BlockData::of(cursor.block());
    const int column = cursor.positionInBlock() - 1;
    return data && std::ranges::any_of(data->quiet, [column](const QuietRange &range) {
               return column >= range.start && column < range.end;
           });
}

} // namespace

QStringList bestWords(const QSet<QString> &words, const QString &prefix)
{
    QStringList best;
    for (const QString &word : words) {
        if (word.size() > prefix.size() && word.startsWith(prefix, Qt::CaseInsensitive))
            best.append(word);
    }
    const auto end = best.begin() + std::min(best.size(), mostOffered);
    std::partial_sort(best.begin(), end, best.end(), [&](const QString &a, const QString &b) {
        if (const bool exact = a.startsWith(prefix); exact != b.startsWith(prefix))
            return exact;
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    best.erase(end, best.end());
    return best;
}

Completion::Completion(CodeEditor &editor)
    : QListWidget(&editor)
    , m_editor(editor)
{
    setNames(this, u"bench.completion"_s, tr("Words that may be meant"));
    setFocusPolicy(Qt::NoFocus);
    setFontRole(this, FontRole::Code);
    setBackground(this, Colour::Raised);
    setFrameShape(QFrame::Box);
    setUniformItemSizes(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    hide();
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, [this] { offer(false); });
    editor.installEventFilter(this);
    connect(this, &QListWidget::itemClicked, this, [this](const QListWidgetItem *item) { take(item->text()); });
    connect(editor.verticalScrollBar(), &QScrollBar::valueChanged, this, &QWidget::hide);
    connect(&editor, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        if (isVisible() && prefix().isEmpty())
            hide();
    });
}

QString Completion::prefix() const
{
    const QTextCursor cursor = m_editor.textCursor();
    if (cursor.hasSelection())
        return {};
    const QString before = cursor.block().text().first(cursor.positionInBlock());
    qsizetype begin = before.size();
    while (begin > 0 && isWordCharacter(before[begin - 1]))
        --begin;
    return begin < before.size() && !before[begin].isDigit() ? before.sliced(begin) : QString();
}

void Completion::ask()
{
    if (m_editor.isReadOnly())
        return;
    offer(true);
    if (isVisible() && count() == 1)
        take(item(0)->text());
}

void Completion::offer(bool asked)
{
    const QString begun = prefix();
    const bool isEnough = begun.size() >= (asked ? 1 : 2);
    const QStringList words = isEnough && m_source ? bestWords(m_source(begun), begun) : QStringList();
    if (words.isEmpty() || (!asked && isInWords(m_editor.textCursor())))
        return hide();
    m_isChosen = asked || (isVisible() && m_isChosen);
    clear();
    addItems(words);
    setCurrentRow(0);
    place();
    show();
    raise();
}

// Below the word, above it where there is no room; inside the editor.
void Completion::place()
{
    const int row = std::max(1, sizeHintForRow(0));
    const int height = row * std::min(count(), rowsShown) + 2 * frameWidth();
    const int width = std::clamp(sizeHintForColumn(0) + 2 * Space::m + verticalScrollBar()->sizeHint().width(), 160,
                                 std::max(160, m_editor.width() / 2));
    QTextCursor begin = m_editor.textCursor();
    begin.movePosition(QTextCursor::Left, QTextCursor::MoveAnchor, int(prefix().size()));
    const QRect word = m_editor.cursorRect(begin).translated(m_editor.viewport()->pos());
    const int below = word.bottom() + Space::xs;
    const bool fits = below + height <= m_editor.height();
    setGeometry(std::clamp(word.left() - Space::xs, 0, std::max(0, m_editor.width() - width)),
                fits ? below : std::max(0, word.top() - Space::xs - height), width, height);
}

void Completion::take(const QString &word)
{
    m_editor.cursors().atEach(Cursors::Act::Edits, [&] {
        QTextCursor cursor = m_editor.textCursor();
        cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, int(prefix().size()));
        cursor.insertText(word); // replaces, in one step of undo
        m_editor.setTextCursor(cursor);
    });
    hide();
}

bool Completion::takesKey(int key)
{
    const int last = count() - 1;
    switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
        setCurrentRow((currentRow() + (key == Qt::Key_Down ? 1 : last)) % (last + 1));
        m_isChosen = true;
        return true;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        setCurrentRow(std::clamp(currentRow() + (key == Qt::Key_PageDown ? rowsShown : -rowsShown), 0, last));
        m_isChosen = true;
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!m_isChosen) {
            hide();
            return false;
        }
        [[fallthrough]];
    case Qt::Key_Tab:
        take(currentItem()->text());
        return true;
    case Qt::Key_Escape:
        hide();
        return true;
    default:
        return false;
    }
}

void Completion::afterKey(const QString &typed)
{
    const bool goesOn = !typed.isEmpty() && isWordCharacter(typed.front());
    const bool goesBack = isVisible() && typed == u"\b"_s;
    if (isVisible() && (goesOn || goesBack))
        offer(m_isChosen);
    else if (goesOn && m_whileTyping)
        m_soon.start(aMoment);
    else if (!typed.isEmpty())
        hide();
    if (!goesOn)
        m_soon.stop();
}

bool Completion::eventFilter(QObject *, QEvent *event)
{
    switch (event->type()) {
    case QEvent::KeyPress: {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool plain = !(key->modifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier));
        if (isVisible() && plain && takesKey(key->key()))
            return true;
        const bool types = !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
        if (types && !m_editor.isReadOnly())
            QMetaObject::invokeMethod(this, [this, typed = key->text()] { afterKey(typed); }, Qt::QueuedConnection);
        break;
    }
    case QEvent::ShortcutOverride: // Escape and Tab are the list's while it is there
        if (const auto *key = static_cast<QKeyEvent *>(event);
            isVisible() && (key->key() == Qt::Key_Escape || key->key() == Qt::Key_Up || key->key() == Qt::Key_Down)
            && key->modifiers() == Qt::NoModifier) {
            event->accept();
            return true;
        }
        break;
    case QEvent::FocusOut:
    case QEvent::Hide:
        m_soon.stop();
        hide();
        break;
    default:
        break;
    }
    return false;
}

} // namespace glovebox
