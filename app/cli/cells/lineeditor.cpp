// SPDX-License-Identifier: Apache-2.0
// libedit asks for one character after the other, and signals can't be told among them. So they come as keys of our own, which are bound
// to what is to be done then, and which nobody can type.
#include "lineeditor.h"

#include "app/cli/terminal/console.h"
#include "app/cli/terminal/statusline.h"
#include "app/cli/terminal/terminal.h"
#include "app/cli/terminal/terminalmode.h"

#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cwchar>
#include <string>
#include <tuple>
#include <utility>

namespace glovebox {

namespace {

constexpr wchar_t interruptKey = 0x03; // Ctrl+C
constexpr wchar_t searchKey = 0x12, quoteKey = 0x16, escapeKey = 0x1b; // Ctrl+R, Ctrl+V
constexpr wchar_t stopKey = 0x1c, redrawKey = 0x1d, pasteKey = 0x1e;
// Bracketed paste (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html): the terminal says where pasted text begins and ends.
constexpr char bracketsPastes[] = "\033[?2004h", bracketsNoPastes[] = "\033[?2004l", pasteEnd[] = "\033[201~";
// Of a larger paste, the rest comes as if it were typed.
constexpr qsizetype mostPasteBytes = 64 * 1024 * 1024;
constexpr int mostLinesRemembered = 10'000;
constexpr size_t longestRemembered = 4096; // characters, without the end of the line
constexpr qint64 largestWindow = 4'000'000; // characters

// libedit leaves a mode of its own behind, also where it only begins or ends.
class SameMode
{
public:
    SameMode()
        : m_isKnown(::tcgetattr(STDIN_FILENO, &m_mode) == 0)
    {
    }
    ~SameMode()
    {
        if (m_isKnown)
            ::tcsetattr(STDIN_FILENO, TCSADRAIN, &m_mode);
    }
    SameMode(const SameMode &) = delete;
    SameMode &operator=(const SameMode &) = delete;

private:
    termios m_mode{};
    const bool m_isKnown;
};

// Bytes that are no UTF-8 are U+DC80 to U+DCFF in a line, and come out as they were (https://peps.python.org/pep-0383/).
constexpr wchar_t escapedByte = 0xdc00;

// The character that begins the bytes, and its length; 0: it isn't whole yet.
std::pair<wchar_t, qsizetype> characterOf(QByteArrayView bytes)
{
    std::mbstate_t state{};
    wchar_t character = 0;
    const size_t length = std::mbrtowc(&character, bytes.data(), size_t(bytes.size()), &state);
    if (length == size_t(-2))
        return {L'\0', 0};
    if (length == size_t(-1))
        return {escapedByte + uchar(bytes.front()), 1};
    return {character, std::max<qsizetype>(qsizetype(length), 1)};
}

std::wstring decoded(QByteArrayView bytes)
{
    std::wstring text;
    text.reserve(size_t(bytes.size()));
    while (!bytes.isEmpty()) {
        auto [character, length] = characterOf(bytes);
        if (length == 0) // and no more comes
            std::tie(character, length) = std::pair{wchar_t(escapedByte + uchar(bytes.front())), 1};
        if (character != L'\0') // which would end the text for libedit
            text += character;
        bytes = bytes.sliced(length);
    }
    return text;
}

QByteArray encoded(const wchar_t *text, qsizetype length)
{
    QByteArray bytes;
    bytes.reserve(length);
    for (qsizetype i = 0; i < length; ++i) {
        if (text[i] >= escapedByte + 0x80 && text[i] <= escapedByte + 0xff) {
            bytes += char(text[i] - escapedByte);
            continue;
        }
        std::mbstate_t state{};
        char character[MB_LEN_MAX];
        const size_t size = std::wcrtomb(character, text[i], &state);
        if (size != size_t(-1))
            bytes.append(character, qsizetype(size));
    }
    return bytes;
}

} // namespace

bool LineEditor::canMoveCursor()
{
    const QByteArray encoding = ::nl_langinfo(CODESET); // NOLINT(concurrency-mt-unsafe): it is set once, at the start
    return isTerminal(STDIN_FILENO) && canRedraw() && isWindow() && encoding == "UTF-8";
}

bool LineEditor::lacksLibrary()
{
    return canMoveCursor() && !Editline::loaded();
}

std::unique_ptr<LineEditor> LineEditor::atTerminal(Bell &bell, qsizetype mostBytes)
{
    if (!canMoveCursor() || lacksLibrary())
        return nullptr;
    std::unique_ptr<LineEditor> editor(new LineEditor(*Editline::loaded(), bell, mostBytes));
    return editor->open() ? std::move(editor) : nullptr;
}

// libedit has memory for each character of the window, whose size anybody can set to 65535 rows and as many columns (stty(1)).
bool LineEditor::isWindow()
{
    const Terminal size = sizeOfTerminal();
    return qint64(size.rows) * size.columns <= largestWindow;
}

LineEditor::LineEditor(const Editline &edit, Bell &bell, qsizetype mostBytes)
    : m_edit(edit)
    , m_bell(bell)
    , m_mostBytes(mostBytes)
{
}

LineEditor::~LineEditor()
{
    const SameMode mode;
    m_editor.reset();
}

LineEditor &LineEditor::of(EditLine *editor)
{
    void *self = nullptr;
    Editline::loaded()->wget(editor, EL_CLIENTDATA, &self);
    return *static_cast<LineEditor *>(self);
}

bool LineEditor::open()
{
    if (const int copy = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0); copy >= 0)
        m_out.reset(::fdopen(copy, "w")); // standard error itself has no buffer
    m_noMessages.reset(std::fopen("/dev/null", "we"));
    m_history.reset(m_edit.historyInit());
    if (!m_out || !m_noMessages || !m_history)
        return false;
    const SameMode mode;
    m_editor.reset(m_edit.init("glovebox", stdin, m_out.get(), m_noMessages.get()));
    if (!m_editor)
        return false;
    char *clearing = nullptr, *up = nullptr;
    m_edit.get(m_editor.get(), EL_GETTC, "ce", &clearing);
    m_edit.get(m_editor.get(), EL_GETTC, "up", &up);
    if (!clearing || !*clearing || !up || !*up)
        return false;
    HistEventW event;
    m_edit.history(m_history.get(), &event, H_SETSIZE, mostLinesRemembered);
    m_edit.history(m_history.get(), &event, H_SETUNIQUE, 1);
    bindKeys();
    return true;
}

void LineEditor::bindKeys()
{
    EditLine *const editor = m_editor.get();
    m_edit.wset(editor, EL_CLIENTDATA, this);
    m_edit.wset(editor, EL_HIST, m_edit.history, m_history.get());
    m_edit.wset(editor, EL_EDITOR, L"emacs");
    m_edit.set(editor, EL_PROMPT, +[](EditLine *asking) { return of(asking).m_prompt.data(); });
    m_edit.wset(
        editor, EL_GETCFN, +[](EditLine *asking, wchar_t *character) {
            *character = of(asking).nextCharacter();
            return 1;
        });
    m_edit.wset(
        editor, EL_ADDFN, L"take-paste", L"Takes pasted text",
        +[](EditLine *asking, wint_t) { return of(asking).takePaste(); });
    m_edit.wset(
        editor, EL_ADDFN, L"insert-paste", L"Inserts pasted text",
        +[](EditLine *asking, wint_t) { return of(asking).insertPaste(); });
    constexpr const wchar_t *bindings[][2] = {
        {L"\\034", L"ed-end-of-file"}, // stopKey
        {L"\\035", L"ed-redisplay"}, // redrawKey
        {L"\\036", L"insert-paste"}, // pasteKey
        {L"\\033[200~", L"take-paste"},
        {L"\\033[201~", L"ed-ignore"}, // of a paste that was too large
        {L"\\t", L"ed-insert"},
        {L"^R", L"em-inc-search-prev"},
        {L"^U", L"vi-kill-line-prev"},
        {L"^W", L"ed-delete-prev-word"},
        // What terminals send, whether or not terminfo(5) knows.
        {L"\\033[A", L"ed-prev-history"},
        {L"\\033[B", L"ed-next-history"},
        {L"\\033[C", L"ed-next-char"},
        {L"\\033[D", L"ed-prev-char"},
        {L"\\033[H", L"ed-move-to-beg"},
        {L"\\033OH", L"ed-move-to-beg"},
        {L"\\033[1~", L"ed-move-to-beg"},
        {L"\\033[F", L"ed-move-to-end"},
        {L"\\033OF", L"ed-move-to-end"},
        {L"\\033[4~", L"ed-move-to-end"},
        {L"\\033[3~", L"ed-delete-next-char"},
        {L"\\033[1;5C", L"em-next-word"},
        {L"\\033[1;5D", L"ed-prev-word"},
        // Commands of libedit itself, one of which leads to an editor with a file in /tmp.
        {L"\\033x", L"ed-ignore"},
        {L"\\033X", L"ed-ignore"},
    };
    for (const auto &[key, command] : bindings)
        m_edit.wset(editor, EL_BIND, key, command, nullptr);
}

void LineEditor::stop(int signal)
{
    m_signal = signal;
    drop();
}

void LineEditor::drop()
{
    m_typed.clear();
    m_at = 0;
    m_paste.clear();
}

QByteArray LineEditor::takeTyped()
{
    QByteArray typed = m_paste + m_typed.sliced(m_at);
    drop();
    return typed;
}

void LineEditor::takeSignals()
{
    for (const int signal : m_bell.takeSignals()) {
        if (signal == SIGWINCH)
            m_redraws = true;
        else if (m_signal == 0 || m_signal == SIGINT)
            stop(signal);
    }
}

void LineEditor::readMore()
{
    pollfd waiting[] = {{m_bell.descriptor(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    ::poll(waiting, 2, -1);
    takeSignals();
    if (m_signal == SIGINT)
        std::fputs("^C", m_out.get()); // as a terminal that edits lines itself
    if (m_signal != 0 || waiting[1].revents == 0)
        return;
    char bytes[64 * 1024];
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (count > 0) {
        m_typed.remove(0, std::exchange(m_at, 0));
        m_typed.append(bytes, count);
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        m_readError = count == 0 ? 0 : errno;
        stop(SIGHUP); // the terminal is gone: no key ends its input in this mode
    }
}

// Ctrl+D at the terminal's own editing ends the input. In libedit's mode that end would be gone: it is read before, as that key.
void LineEditor::readTypedAhead()
{
    termios mode{};
    if (::tcgetattr(STDIN_FILENO, &mode) != 0 || (mode.c_lflag & ICANON) == 0)
        return;
    pollfd typed{STDIN_FILENO, POLLIN, 0};
    while (::poll(&typed, 1, 0) > 0 && typed.revents == POLLIN) {
        char bytes[4096];
        const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (count < 0)
            return;
        m_typed.append(count > 0 ? QByteArrayView(bytes, count) : QByteArrayView("\x04"));
    }
}

qsizetype LineEditor::room() const
{
    const LineInfoW *line = m_edit.wline(m_editor.get());
    return m_mostBytes - (line->lastchar - line->buffer);
}

wchar_t LineEditor::nextCharacter()
{
    for (;;) {
        if (m_signal != 0)
            return stopKey;
        if (!m_isQuoting && std::exchange(m_redraws, false)) {
            writeAll(STDERR_FILENO, bracketsPastes); // a shell that we were stopped for takes this back
            if (isWindow()) // else the line goes on as it was drawn
                m_edit.resize(m_editor.get());
            return redrawKey;
        }
        const auto [character, length] = m_at < m_typed.size() ? characterOf(QByteArrayView(m_typed).sliced(m_at))
                                                               : std::pair<wchar_t, qsizetype>(L'\0', 0);
        if (character == escapeKey && std::exchange(m_maySearch, false) && m_at + 1 < m_typed.size())
            return redrawKey; // ends the search, which would take the first byte of an arrow or a paste for its end
        m_at += length;
        if (character == interruptKey) { // typed before libedit had the terminal make a signal of it
            std::fputs("^C", m_out.get());
            stop(SIGINT);
            return stopKey;
        }
        const bool isOurs = character == L'\0' || (character >= stopKey && character <= pasteKey);
        if (!isOurs && ((character < L' ' && character != L'\t') || room() > 0)) {
            m_isQuoting = character == quoteKey && !m_isQuoting;
            m_maySearch = m_maySearch || character == searchKey;
            return character;
        }
        if (length == 0)
            readMore();
    }
}

unsigned char LineEditor::takePaste()
{
    qsizetype end = -1;
    for (qsizetype from = m_at; m_signal == 0 && m_typed.size() < mostPasteBytes;) {
        end = m_typed.indexOf(pasteEnd, from);
        if (end >= 0)
            break;
        const qsizetype searched = m_typed.size() - m_at;
        readMore();
        from = m_at + std::max<qsizetype>(searched - qsizetype(sizeof pasteEnd), 0);
    }
    m_paste = m_typed.sliced(m_at, (end < 0 ? m_typed.size() : end) - m_at);
    m_at = end < 0 ? m_typed.size() : end + qsizetype(sizeof pasteEnd) - 1;
    m_paste.replace("\r\n", "\n").replace('\r', '\n'); // terminals send what Enter sends
    return insertPaste();
}

unsigned char LineEditor::insertPaste()
{
    EditLine *const editor = m_editor.get();
    const qsizetype end = m_paste.indexOf('\n');
    if (end >= 0) { // what is right of the cursor comes after the paste
        const LineInfoW *line = m_edit.wline(editor);
        const qsizetype right = line->lastchar - line->cursor;
        m_paste += encoded(line->cursor, right);
        m_edit.cursor(editor, int(right));
        m_edit.deletestr(editor, int(right));
    }
    std::wstring text = decoded(QByteArrayView(m_paste).first(end < 0 ? m_paste.size() : end));
    text.resize(std::min(text.size(), size_t(std::max<qsizetype>(room(), 0))));
    m_edit.winsertstr(editor, text.c_str());
    m_paste.remove(0, end < 0 ? m_paste.size() : end + 1);
    if (end >= 0)
        m_edit.wpush(editor, L"\n");
    return CC_REFRESH;
}

void LineEditor::remember(const std::wstring &line)
{
    HistEventW event;
    if (line.size() - line.ends_with(L'\n') <= longestRemembered
        && line.find_first_not_of(L" \t\n") != std::wstring::npos)
        m_edit.history(m_history.get(), &event, H_ENTER, line.c_str());
}

LineEditor::Read LineEditor::read(const QByteArray &prompt, QByteArray &line)
{
    m_signal = 0;
    takeSignals();
    if (const qsizetype end = m_paste.indexOf('\n'); m_signal == 0 && end >= 0) {
        line = m_paste.first(end + 1);
        m_paste.remove(0, end + 1);
        writeAll(STDERR_FILENO, prompt + escapedText(line));
        remember(decoded(line));
        return Read::Line;
    }
    readTypedAhead();
    m_prompt = prompt;
    m_isQuoting = m_maySearch = false;
    const TerminalMode restoring(STDIN_FILENO, TerminalMode::Ending::Errors, bracketsNoPastes);
    writeAll(STDERR_FILENO, bracketsPastes);
    if (!m_paste.isEmpty())
        m_edit.wpush(m_editor.get(), std::wstring(1, pasteKey).c_str());
    int length = 0;
    const wchar_t *typed = m_edit.wgets(m_editor.get(), &length);
    const bool isLine = m_signal == 0 && typed && length > 0;
    if (isLine) {
        line = encoded(typed, length);
        remember(std::wstring(typed, size_t(length)));
    } else if (termios now; m_signal == 0 && ::tcgetattr(STDIN_FILENO, &now) != 0) {
        stop(SIGHUP); // libedit takes a terminal that it can't set for one at which Ctrl+D is typed
    }
    writeAll(STDERR_FILENO, isLine || m_signal != 0 ? bracketsNoPastes : QByteArray("\n") + bracketsNoPastes);
    if (isLine)
        return Read::Line;
    return m_signal != 0 ? Read::Interrupted : Read::End;
}

} // namespace glovebox
