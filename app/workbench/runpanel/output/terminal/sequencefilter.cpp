// SPDX-License-Identifier: Apache-2.0
// Sequences are those of ECMA-48 and of xterm: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
#include "sequencefilter.h"

#include "../linestore.h"

#include "engine/base/base.h"

#include <algorithm>
#include <utility>

namespace glovebox {

namespace {

constexpr char escapeByte = '\x1b';
// A question without an answer: behind it the model bounds the cursor, which it doesn't when it restores one that was saved
// on a larger screen.
constexpr const char *boundCursor = "\x1b[0n";
constexpr int mostCopies = 300; // of a character: a wide screen's row
constexpr qsizetype longestPassed = 64; // bytes; two 24-bit colours with some attributes
constexpr int longestString = 4096; // bytes; one that goes on is text
constexpr qsizetype mostParameters = 12; // the screen model has room for 16
constexpr int mostMarks = 2; // on one character: rows of them fit into a line of the store

// Private modes (DECSET): application keys, origin, wrapping, the cursor's being shown, the alternate screen with and
// without saving the cursor, bracketed paste, and the mouse: clicks, dragging, all movements, told in decimal numbers.
constexpr int passedModes[] = {1, 6, 7, 25, 47, 1000, 1002, 1003, 1006, 1047, 1048, 1049, 2004};

bool isOf(char byte, QByteArrayView set)
{
    return set.contains(byte);
}

// Characters that the screen model puts on the one before: by Unicode 5, with the vowels and finals of Hangul.
bool isMark(char32_t code)
{
    return cellsOf(code, 0) == 0 || (code >= 0x1160 && code <= 0x11ff) || code == 0x6de || code == 0x1734;
}

// Numbers of a sequence, each bounded and with the colon or semicolon before it; empty: they aren't numbers.
QList<QByteArray> boundedNumbers(QByteArrayView body, int bound)
{
    QList<QByteArray> numbers;
    int number = -1;
    char before = 0;
    const auto end = [&] {
        QByteArray one;
        if (before != 0)
            one += before;
        if (number >= 0)
            one += QByteArray::number(number);
        numbers.append(one);
        number = -1;
    };
    for (const char c : body) {
        if (c >= '0' && c <= '9') {
            number = std::min(std::max(number, 0) * 10 + (c - '0'), bound);
        } else if (c == ';' || c == ':') {
            end();
            before = c;
        } else {
            return {};
        }
    }
    end();
    return numbers;
}

} // namespace

QByteArray SequenceFilter::passed(QByteArrayView bytes)
{
    m_out.clear();
    qsizetype i = 0;
    while (i < bytes.size()) {
        if (m_state == State::Text) { // printable ASCII is nearly everything
            const qsizetype from = i;
            while (i < bytes.size() && bytes[i] >= 0x20 && bytes[i] < 0x7f)
                ++i;
            if (i > from) {
                m_out += bytes.sliced(from, i - from);
                m_last = QByteArray(1, bytes[i - 1]);
                m_marks = 0;
            }
            if (i == bytes.size())
                break;
        }
        take(bytes[i++]);
    }
    return std::exchange(m_out, {});
}

QByteArray SequenceFilter::finish()
{
    m_out.clear();
    giveUp();
    return std::exchange(m_out, {});
}

void SequenceFilter::take(char byte)
{
    switch (m_state) {
    case State::Text:
        return takeFirst(uchar(byte));
    case State::Character:
        if (!appendUtf8(m_pending, byte))
            break;
        if (isWholeUtf8(m_pending))
            takeCharacter();
        return;
    case State::Escape:
        return takeEscape(byte);
    case State::Designation:
        if (byte < 0x20 || byte > 0x7e)
            break;
        // ASCII and lines of boxes; other sets would make letters of letters.
        if (isOf(m_pending[1], "()") && isOf(byte, "0B"))
            m_out += m_pending + byte;
        m_pending.clear();
        m_state = State::Text;
        return;
    case State::Sequence:
        if (byte < 0x20 || byte > 0x7e || m_pending.size() >= longestPassed)
            break;
        m_pending += byte;
        if (byte >= 0x40) {
            passSequence();
            m_pending.clear();
            m_state = State::Text;
        }
        return;
    case State::StringEscape:
        if (byte != '\\')
            return takeEscape(byte);
        m_pending.clear();
        m_state = State::Text;
        return;
    case State::String:
        if (byte == escapeByte) {
            m_state = State::StringEscape;
            m_pending = QByteArray(1, escapeByte);
        } else if (byte == '\a' || byte == '\x18' || byte == '\x1a') {
            m_state = State::Text;
        } else if (byte == '\n' || ++m_stringLength > longestString) {
            m_state = State::Text;
            take(byte);
        }
        return;
    }
    giveUp();
    take(byte);
}

void SequenceFilter::takeFirst(uchar byte)
{
    if (byte == escapeByte) {
        m_pending = QByteArray(1, escapeByte);
        m_state = State::Escape;
    } else if (byte >= 0x20 && byte < 0x7f) {
        m_out += char(byte);
        m_last = QByteArray(1, char(byte));
        m_marks = 0;
    } else if (isOf(char(byte), "\b\t\n\r\x0e\x0f")) {
        m_out += char(byte);
    } else if (byte == '\v' || byte == '\f') {
        m_out += '\n';
    } else if (utf8Length(byte) > 1) {
        m_pending = QByteArray(1, char(byte));
        m_state = State::Character;
    } else if (byte != 0 && byte != '\a' && byte != 0x7f) {
        showHidden("\\x" + QByteArray::number(byte, 16).rightJustified(2, '0'));
    }
}

void SequenceFilter::takeEscape(char byte)
{
    if (byte == '[' || isOf(byte, "()*+-./#% ")) {
        m_pending = QByteArray(1, escapeByte) + byte;
        m_state = byte == '[' ? State::Sequence : State::Designation;
        return;
    }
    if (isOf(byte, "]PX^_")) {
        m_pending.clear();
        m_stringLength = 0;
        m_state = State::String;
        return;
    }
    if (byte < 0x20 || byte > 0x7e || byte == 'k') { // k: a title of screen's
        giveUp();
        return take(byte);
    }
    // Save and restore the cursor, index, next line, tabulator, reverse index, kinds of keypad, reset.
    if (isOf(byte, "78DEHM=>c"))
        m_out += QByteArray(1, escapeByte) + byte;
    if (byte == '8')
        m_out += boundCursor;
    if (byte == 'c')
        m_out += QByteArray(lineEnds) + noMouse;
    m_pending.clear();
    m_state = State::Text;
}

void SequenceFilter::takeCharacter()
{
    const QByteArray character = std::exchange(m_pending, {});
    const char32_t code = decodedUtf8(character);
    m_state = State::Text;
    if (isHiddenCharacter(code))
        return showHidden("\\u{" + QByteArray::number(uint(code), 16) + '}');
    if (!isMark(code)) {
        m_marks = 0;
        m_last = character;
    } else if (++m_marks > mostMarks) {
        return;
    }
    m_out += character;
}

void SequenceFilter::passSequence()
{
    const char final = m_pending.back();
    QByteArrayView body = QByteArrayView(m_pending).sliced(2).chopped(1);
    const bool isPrivate = body.startsWith('?');
    if (isPrivate)
        body = body.sliced(1);
    if (body == "!" && final == 'p' && !isPrivate) { // soft reset
        m_out += "\x1b[!p" + QByteArray(lineEnds) + noMouse;
        return;
    }
    QList<QByteArray> numbers = boundedNumbers(body, isPrivate ? 9999 : mostRepeats);
    if (numbers.isEmpty())
        return;
    numbers.resize(std::min(numbers.size(), mostParameters));
    const int first = numbers.first().toInt();
    if (isPrivate) {
        for (QByteArray number : std::as_const(numbers)) {
            if (number.startsWith(';'))
                number.remove(0, 1);
            if (isOf(final, "hl") && std::ranges::find(passedModes, number.toInt()) != std::end(passedModes))
                m_out += "\x1b[?" + number + final;
        }
        return;
    }
    const bool asks = final == 'n' || final == 'c';
    if (final == 'b') { // repeat: without a character before it, the model of libvterm 0.1.4 would do so for ever
        m_out += m_last.repeated(std::clamp(first, 1, mostCopies));
    } else if (final == 's' || final == 'u') { // as ESC 7 and ESC 8
        if (body.isEmpty())
            m_out += QByteArray(1, escapeByte) + (final == 's' ? QByteArray("7") : "8" + QByteArray(boundCursor));
    } else if (isOf(final, "@ABCDEFGHIJKLMPSTXZ`adefgmr") || (isOf(final, "hl") && first == 4)
               || (asks && first == (final == 'c' ? 0 : 6))) {
        m_out += "\x1b[" + numbers.join() + final;
    }
}

// The sequence that was begun doesn't go on: its text is shown.
void SequenceFilter::giveUp()
{
    const QByteArray pending = std::exchange(m_pending, {});
    m_state = State::Text;
    for (const char byte : pending) {
        if (byte >= 0x20 && byte < 0x7f)
            m_out += byte;
        else
            showHidden("\\x" + QByteArray::number(uchar(byte), 16).rightJustified(2, '0'));
    }
}

void SequenceFilter::showHidden(const QByteArray &shown)
{
    m_out += "\x1b[19m" + shown + "\x1b[10m";
    m_marks = 0;
}

} // namespace glovebox
