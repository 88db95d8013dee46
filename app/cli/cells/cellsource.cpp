// SPDX-License-Identifier: Apache-2.0
#include "cellsource.h"

#include "app/cli/terminal/console.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace glovebox {

namespace {

bool beginsCell(QByteArrayView line)
{
    QByteArrayView rest = line.trimmed();
    if (!rest.startsWith('#') && !rest.startsWith("//"))
        return false;
    rest = rest.sliced(rest.startsWith('#') ? 1 : 2).trimmed();
    return rest.startsWith("%%");
}

bool isBlank(QByteArrayView text)
{
    return text.trimmed().isEmpty();
}

// Asked after a read that found the end: a terminal that goes away between poll() and read() looks as one at which Ctrl+D is typed.
bool isHungUp(int descriptor)
{
    pollfd terminal{descriptor, 0, 0};
    return ::poll(&terminal, 1, 0) > 0 && (terminal.revents & POLLHUP) != 0;
}

} // namespace

QByteArrayList cellsOf(const QByteArray &text)
{
    QByteArrayList cells;
    QByteArray cell;
    const auto keep = [&] {
        if (!isBlank(cell))
            cells.append(cell);
        cell.clear();
    };
    for (qsizetype at = 0; at < text.size();) {
        const qsizetype lineEnd = text.indexOf('\n', at);
        const qsizetype end = lineEnd < 0 ? text.size() : lineEnd + 1;
        const QByteArrayView line = QByteArrayView(text).sliced(at, end - at);
        if (beginsCell(line))
            keep();
        else
            cell += line;
        at = end;
    }
    keep();
    return cells;
}

CellStream::CellStream(Bell &bell, const Language &language, bool isTyped, LineEditor *editor)
    : m_bell(bell)
    , m_language(language)
    , m_isTyped(isTyped)
    , m_editor(editor)
{
}

// The cursor is then where a line begins.
CellStream::Read CellStream::readEdited(const QByteArray &prompt, QByteArray &line)
{
    switch (m_editor->read(prompt, line)) {
    case LineEditor::Read::Line:
        return Read::Line;
    case LineEditor::Read::End:
        return Read::End;
    case LineEditor::Read::Interrupted:
        break;
    }
    m_stoppedBy = m_editor->signal() == SIGINT ? 0 : m_editor->signal();
    m_readError = m_editor->readError();
    return Read::Interrupted;
}

CellStream::Read CellStream::readLine(const QByteArray &prompt, QByteArray &line)
{
    m_isEdited = m_editor && m_buffer.isEmpty() && LineEditor::isWindow();
    if (m_isEdited)
        return readEdited(prompt, line);
    if (m_editor)
        m_buffer += m_editor->takeTyped();
    if (m_isTyped)
        writeAll(STDERR_FILENO, prompt);
    for (;;) {
        for (const int signal : m_bell.takeSignals()) {
            if (signal == SIGWINCH)
                continue;
            m_stoppedBy = signal == SIGINT && m_isTyped ? 0 : signal;
            m_buffer.clear();
            return Read::Interrupted;
        }
        const qsizetype end = m_buffer.indexOf('\n');
        if (end >= 0) {
            line = m_buffer.first(end + 1);
            m_buffer.remove(0, end + 1);
            return Read::Line;
        }
        if (m_buffer.size() > mostBytes)
            m_buffer.truncate(mostBytes);
        if (m_isAtEnd) {
            line = std::exchange(m_buffer, {});
            m_isAtEnd = !m_isTyped; // at a terminal, more may come
            return line.isEmpty() ? Read::End : Read::Line;
        }
        pollfd waiting[] = {{m_bell.descriptor(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
        ::poll(waiting, 2, -1);
        if (waiting[1].revents == 0)
            continue;
        char bytes[64 * 1024];
        const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (count > 0) {
            m_buffer.append(bytes, count);
        } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
            m_readError = count == 0 ? 0 : errno;
            if (m_isTyped && (m_readError != 0 || isHungUp(STDIN_FILENO))) {
                // The terminal is gone, and with it who could end the cell that is half typed.
                m_stoppedBy = SIGHUP;
                m_buffer.clear();
                return Read::Interrupted;
            }
            m_isAtEnd = true;
            if (m_isTyped && m_buffer.isEmpty()) {
                m_isAtEnd = false;
                return Read::End;
            }
        }
    }
}

void CellStream::dropTyped()
{
    if (m_editor)
        m_editor->drop();
    if (m_isTyped)
        m_buffer.clear();
}

bool CellStream::isEnded(QByteArrayView cell, QByteArrayView line) const
{
    if (!m_isTyped || m_isDivided)
        return false;
    switch (m_language.cellText(cell)) {
    case CellText::Whole:
        return true;
    case CellText::MayGoOn:
        return isBlank(line);
    case CellText::Open:
        break;
    }
    return false;
}

std::optional<QByteArray> CellStream::next()
{
    QByteArray cell;
    for (;;) {
        const bool isFirst = cell.isEmpty() && !m_isDivided;
        QByteArray line;
        switch (readLine(isFirst ? m_language.prompt() : "... ", line)) {
        case Read::Interrupted:
            if (m_stoppedBy != 0)
                return std::nullopt;
            if (!m_isEdited)
                writeAll(STDERR_FILENO, "\n");
            cell.clear();
            m_isDivided = false;
            continue;
        case Read::End:
            if (m_isTyped && !m_isEdited)
                writeAll(STDERR_FILENO, "\n");
            m_isDivided = false;
            return isBlank(cell) || m_readError != 0 ? std::nullopt : std::optional(cell);
        case Read::Line:
            break;
        }
        if (beginsCell(line)) {
            m_isDivided = true;
            if (!isBlank(cell))
                return cell;
            cell.clear();
            continue;
        }
        if (cell.size() < mostBytes)
            cell += line;
        if (isBlank(cell) && !m_isDivided)
            cell.clear();
        else if (isEnded(cell, line))
            return cell;
    }
}

} // namespace glovebox
