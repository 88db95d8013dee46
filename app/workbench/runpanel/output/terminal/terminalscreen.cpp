// SPDX-License-Identifier: Apache-2.0
#include "terminalscreen.h"

#include <vterm.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace glovebox {

namespace {

constexpr qsizetype mostSaid = 64; // bytes of answers that wait
constexpr uint32_t besideWide = uint32_t(-1); // in the cell behind a wide character

quint32 screenColour(const VTermColor &colour, bool isDefault)
{
    if (isDefault)
        return 0;
    if (VTERM_COLOR_IS_INDEXED(&colour))
        return quint32(colour.indexed.idx) + 1;
    return 0xff000000u | quint32(colour.rgb.red) << 16 | quint32(colour.rgb.green) << 8 | quint32(colour.rgb.blue);
}

TextStyle screenStyle(const VTermScreenCell &cell)
{
    TextStyle style{.foreground = screenColour(cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg)),
                    .background = screenColour(cell.bg, VTERM_COLOR_IS_DEFAULT_BG(&cell.bg))};
    const auto set = [&style](bool on, TextStyle::Attribute attribute) {
        if (on)
            style.attributes |= attribute;
    };
    set(cell.attrs.bold, TextStyle::Bold);
    set(cell.attrs.italic, TextStyle::Italic);
    set(cell.attrs.underline != 0, TextStyle::Underline);
    set(cell.attrs.reverse, TextStyle::Inverse);
    set(cell.attrs.strike, TextStyle::Strike);
    set(cell.attrs.font == SequenceFilter::escapedFont, TextStyle::Escaped);
    return style;
}

bool isBlank(const VTermScreenCell &cell)
{
    return (cell.chars[0] == 0 || cell.chars[0] == ' ') && VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) && !cell.attrs.reverse
           && cell.attrs.underline == 0 && !cell.attrs.strike;
}

// count: two at least. mayGoOn: a row that is full goes on in the next, as nobody tells whether it does.
void appendCells(LineStore &lines, const VTermScreenCell *cells, int count, bool mayGoOn)
{
    // Blanks that a program printed are text, unless it fills its rows with them.
    const bool isFull = cells[count - 1].chars[0] != 0;
    const bool isFilled = isFull && isBlank(cells[count - 1]) && isBlank(cells[count - 2]);
    const bool goesOn = mayGoOn && isFull && !isFilled;
    while (count > 0 && isBlank(cells[count - 1]) && (isFilled || cells[count - 1].chars[0] == 0))
        --count;
    QString text;
    TextStyle style;
    for (int i = 0; i < count; ++i) {
        const VTermScreenCell &cell = cells[i];
        if (cell.chars[0] == besideWide)
            continue;
        if (const TextStyle next = screenStyle(cell); next != style) {
            lines.append(OutputLine::Kind::Out, text, style);
            text.clear();
            style = next;
        }
        if (cell.chars[0] == 0)
            text += u' ';
        for (const uint32_t character : cell.chars) {
            if (character == 0)
                break;
            text += QChar::fromUcs4(character);
        }
    }
    lines.append(OutputLine::Kind::Out, text, style);
    lines.newLine(OutputLine::Kind::Out, goesOn);
}

QSize boundedCells(QSize cells)
{
    return {std::clamp(cells.width(), 2, 600), std::clamp(cells.height(), 2, 300)};
}

} // namespace

// The model's callbacks.
struct ScreenEvents
{
    static TerminalScreen &screenOf(void *user) { return *static_cast<TerminalScreen *>(user); }

    static int damage(VTermRect rect, void *user)
    {
        TerminalScreen &screen = screenOf(user);
        screen.m_changed = std::min(screen.m_changed, rect.start_row);
        return 1;
    }
    static int setProperty(VTermProp property, VTermValue *value, void *user)
    {
        TerminalScreen &screen = screenOf(user);
        if (property == VTERM_PROP_ALTSCREEN) {
            screen.m_isAlternate = value->boolean;
            screen.m_most = 0;
        } else if (property == VTERM_PROP_CURSORVISIBLE) {
            screen.m_hasCursor = value->boolean;
        } else if (property == VTERM_PROP_MOUSE) {
            screen.m_mouse = TerminalScreen::Mouse(
                std::clamp(value->number, int(VTERM_PROP_MOUSE_NONE), int(VTERM_PROP_MOUSE_MOVE)));
        }
        return 1; // titles and shapes of the cursor are nothing to us
    }
    static int pushLine(int count, const VTermScreenCell *cells, void *user)
    {
        TerminalScreen &screen = screenOf(user);
        if (screen.m_shown > 0)
            screen.m_lines.truncate(screen.m_top);
        screen.m_shown = 0;
        screen.m_changed = 0;
        appendCells(screen.m_lines, cells, count, true);
        screen.m_top = screen.m_lines.end();
        return 1;
    }
    static void say(const char *bytes, size_t length, void *user)
    {
        TerminalScreen &screen = screenOf(user);
        if (screen.m_said.size() < mostSaid)
            screen.m_said.append(bytes, qsizetype(length));
    }
};

void TerminalScreen::Free::operator()(VTerm *terminal) const
{
    vterm_free(terminal);
}

TerminalScreen::TerminalScreen(LineStore &lines, QSize cells)
    : m_lines(lines)
    , m_cells(boundedCells(cells))
    , m_top(lines.end())
{
    m_terminal.reset(vterm_new(m_cells.height(), m_cells.width()));
    vterm_set_utf8(m_terminal.get(), 1);
    vterm_output_set_callback(m_terminal.get(), &ScreenEvents::say, this);
    static constexpr VTermScreenCallbacks events{.damage = &ScreenEvents::damage,
                                                 .settermprop = &ScreenEvents::setProperty,
                                                 .sb_pushline = &ScreenEvents::pushLine};
    VTermScreen *screen = vterm_obtain_screen(m_terminal.get());
    vterm_screen_set_callbacks(screen, &events, this);
    vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCREEN);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_reset(screen, 1);
    write(SequenceFilter::lineEnds);
}

TerminalScreen::~TerminalScreen() = default;

void TerminalScreen::feed(QByteArrayView bytes)
{
    write(m_filter.passed(bytes));
}

void TerminalScreen::write(const QByteArray &sequence)
{
    vterm_input_write(m_terminal.get(), sequence.constData(), size_t(sequence.size()));
}

void TerminalScreen::resize(QSize cells)
{
    cells = boundedCells(cells);
    if (std::exchange(m_cells, cells) == cells)
        return;
    vterm_set_size(m_terminal.get(), cells.height(), cells.width());
    // libvterm 0.1.4 may leave the cursor above the screen, and the scrolled region outside of it.
    VTermPos at{};
    vterm_state_get_cursorpos(vterm_obtain_state(m_terminal.get()), &at);
    write("\x1b[r\x1b[" + QByteArray::number(std::max(at.row, 0) + 1) + ';'
          + QByteArray::number(std::max(at.col, 0) + 1) + 'H');
    m_changed = 0;
    m_most = 0;
}

int TerminalScreen::usedRows() const
{
    if (m_isAlternate)
        return m_cells.height();
    VTermScreen *screen = vterm_obtain_screen(m_terminal.get());
    VTermPos cursor{};
    vterm_state_get_cursorpos(vterm_obtain_state(m_terminal.get()), &cursor);
    int row = m_cells.height() - 1;
    while (row > cursor.row && vterm_screen_is_eol(screen, {.row = row, .col = 0}))
        --row;
    return row + 1;
}

void TerminalScreen::show()
{
    vterm_screen_flush_damage(vterm_obtain_screen(m_terminal.get()));
    m_most = std::min(std::max(m_most, usedRows()), m_cells.height());
    const int from = std::min({m_changed, m_shown, m_most});
    if (from == m_shown && m_shown == m_most)
        return;
    m_lines.truncate(m_top + from);
    for (int row = from; row < m_most; ++row)
        showRow(row);
    m_shown = m_most;
    m_changed = m_cells.height();
}

void TerminalScreen::showRow(int row)
{
    VTermScreen *screen = vterm_obtain_screen(m_terminal.get());
    std::vector<VTermScreenCell> cells(size_t(m_cells.width()));
    for (int column = 0; column < m_cells.width(); ++column)
        vterm_screen_get_cell(screen, {.row = row, .col = column}, &cells[size_t(column)]);
    appendCells(m_lines, cells.data(), m_cells.width(), !m_isAlternate);
}

void TerminalScreen::dropBlankRows()
{
    while (m_shown > 0 && m_lines.line(m_lines.end() - 1).text.isEmpty()) {
        m_lines.truncate(m_lines.end() - 1);
        --m_shown;
    }
}

void TerminalScreen::moveToEnd()
{
    m_top = m_lines.end();
    m_shown = 0;
    m_changed = 0;
}

void TerminalScreen::settle()
{
    show();
    if (m_isAlternate) {
        m_lines.truncate(m_top);
    } else {
        dropBlankRows();
        write("\x1b[H\x1b[2J");
        m_most = 0;
    }
    moveToEnd();
}

void TerminalScreen::finish()
{
    write(m_filter.finish());
    m_hasCursor = false;
    if (!m_isAlternate)
        return settle();
    show();
    dropBlankRows();
    LineStore picture;
    for (int row = 0; row < m_shown; ++row)
        picture.appendCopy(m_lines.line(m_top + row));
    m_lines.truncate(m_top);
    moveToEnd();
    write("\x1b[?1049l");
    settle();
    for (qint64 line = picture.first(); line < picture.end(); ++line)
        m_lines.appendCopy(picture.line(line));
    moveToEnd();
}

std::optional<TerminalScreen::Cursor> TerminalScreen::cursor() const
{
    if (!m_hasCursor)
        return std::nullopt;
    VTermPos at{};
    vterm_state_get_cursorpos(vterm_obtain_state(m_terminal.get()), &at);
    return at.row < m_shown ? std::optional(Cursor{m_top + at.row, at.col}) : std::nullopt;
}

QByteArray TerminalScreen::takeAnswers()
{
    return std::exchange(m_said, {});
}

QByteArray TerminalScreen::pressed(int key, int modifiers)
{
    if (key == VTERM_KEY_ENTER) // with LNM the model would send a line feed, too
        return modifiers & VTERM_MOD_ALT ? "\x1b\r" : "\r";
    m_said.clear();
    vterm_keyboard_key(m_terminal.get(), VTermKey(key), VTermModifier(modifiers));
    return takeAnswers();
}

std::optional<QPoint> TerminalScreen::cellAt(qint64 line, int column) const
{
    const qint64 row = line - m_top;
    if (row < 0 || row >= m_shown || column < 0)
        return std::nullopt;
    return QPoint(std::min(column, m_cells.width() - 1), int(row));
}

QByteArray TerminalScreen::pointed(QPoint cell, int button, bool isPressed, int modifiers)
{
    m_said.clear();
    vterm_mouse_move(m_terminal.get(), cell.y(), cell.x(), VTermModifier(modifiers));
    if (button != 0)
        vterm_mouse_button(m_terminal.get(), button, isPressed, VTermModifier(modifiers));
    return takeAnswers();
}

QByteArray TerminalScreen::pasted(const QString &text)
{
    QByteArray bytes = text.toUtf8();
    bytes.replace("\r\n", "\r");
    bytes.replace('\n', '\r');
    bytes.removeIf([](char c) { return (uchar(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f; });
    m_said.clear();
    vterm_keyboard_start_paste(m_terminal.get());
    const QByteArray before = takeAnswers();
    vterm_keyboard_end_paste(m_terminal.get());
    return before + bytes + takeAnswers();
}

} // namespace glovebox
