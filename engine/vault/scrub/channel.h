// SPDX-License-Identifier: Apache-2.0
// One way to read a stream: which bytes stand for which, and where in that reading the texts of an automaton are.
#pragma once

#include "automaton.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace glovebox::scrub {

// A form in the stream.
struct Find
{
    qint64 begin = 0;
    qint64 end = 0;
    quint32 length = 0; // of the text that it stands for
    Owner owner = 0;

    bool operator==(const Find &) const = default;
};

enum class Reading {
    Plain,
    Percent, // %41 is A
    Escapes, // \n, \/, \x41 and \u0041 are what they are in strings of JSON, Python and JavaScript
    Hex, // upper case is lower case
    Base64, // the URL alphabet is the ordinary one; one line break, also an escaped one, after a character counts for nothing
};

// The bytes of a stream, one after the other; after forget() any later place may be the next.
class Channel
{
public:
    Channel(Reading reading, const Automaton &automaton);

    // position: of the byte in the stream.
    template<typename Found> void feed(char byte, qint64 position, Found found)
    {
        if (m_count == 0) {
            if (const auto token = alone(byte)) {
                step(*token, position, position + 1, found);
                return;
            }
            if (m_reading == Reading::Base64 && byte != '\\' && m_state == 0)
                return; // can't be within anything
            m_begin = position;
        }
        m_waiting[m_count++] = byte;
        readWaiting(false, found);
    }
    // Nothing follows.
    template<typename Found> void finish(Found found) { readWaiting(true, found); }

    // Whether it would be the same if it began to read at this place, to which it has not seen more than the beginning of something.
    bool mayForget(qint64 place) const { return m_count == 0 && m_readTo <= place; }
    void forget() { m_state = 0; }
    // Where what may be the beginning of a form begins; position if nothing is.
    qint64 begin(qint64 position) const
    {
        const qint64 waiting = m_count > 0 ? m_begin : position;
        return m_state == 0 ? waiting : beginOf(m_automaton->depth(m_state));
    }

private:
    // What a few bytes together stand for.
    struct Piece
    {
        int bytes = 0; // that it is written with; 0: depends on what follows
        enum { Tokens, Break, Nothing } kind = Nothing; // Nothing: what no form has in it
        char tokens[4] = {};
        int count = 0;
    };
    static Piece literal(char byte) { return {1, Piece::Tokens, {byte}, 1}; }
    static Piece character(int bytes, char32_t codePoint);

    // A byte that stands for itself, or for another one, whatever comes before and after it.
    std::optional<char> alone(char byte) const;
    Piece read(bool atEnd) const;
    Piece readPercent(bool atEnd) const;
    Piece readEscape(bool atEnd) const;
    Piece readSurrogate(char32_t high, bool atEnd) const;
    Piece readBase64(bool atEnd) const;
    // The number that hexadecimal digits make; -1: they don't; -2: there are too few yet.
    int digits(int from, int count) const;

    qint64 beginOf(quint32 depth) const { return m_begins[(m_tokens - depth) & (m_begins.size() - 1)]; }

    template<typename Found> void step(char token, qint64 begin, qint64 end, Found found)
    {
        m_state = m_automaton->next(m_state, static_cast<unsigned char>(token));
        m_afterBreak = false;
        if (m_state == 0)
            return;
        m_begins[m_tokens++ & (m_begins.size() - 1)] = begin;
        if (const State match = m_automaton->match(m_state))
            found(Find{beginOf(m_automaton->depth(match)), end, m_automaton->depth(match), m_automaton->owner(match)});
    }

    template<typename Found> void readWaiting(bool atEnd, Found found)
    {
        while (m_count > 0) {
            const Piece piece = read(atEnd);
            if (piece.bytes == 0)
                return;
            if (piece.kind == Piece::Nothing || (piece.kind == Piece::Break && std::exchange(m_afterBreak, true)))
                m_state = 0;
            for (int i = 0; i < piece.count; ++i)
                step(piece.tokens[i], m_begin, m_begin + piece.bytes, found);
            m_begin += piece.bytes;
            m_readTo = m_begin;
            m_count -= piece.bytes;
            std::copy(m_waiting + piece.bytes, m_waiting + piece.bytes + m_count, m_waiting);
        }
    }

    Reading m_reading;
    const Automaton *m_automaton;
    State m_state = 0;
    std::vector<qint64> m_begins; // of the latest tokens, by number; a power of two
    quint64 m_tokens = 0;
    bool m_afterBreak = false;
    char m_waiting[16] = {}; // an escape that isn't whole yet
    int m_count = 0;
    qint64 m_begin = 0; // of what waits
    qint64 m_readTo =
        0; // up to there it read pieces of more than a byte; in the middle of one another reading must not begin
};

} // namespace glovebox::scrub
