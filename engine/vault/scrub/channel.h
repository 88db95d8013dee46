// SPDX-License-Identifier: Apache-2.0
// One way to read a stream: which bytes stand for which, and where in that reading the texts of an automaton are.
#pragma once

#include "automaton.h"
#include "readings/reading.h"
#include "starts.h"

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
    bool isPart = false; // the stream ends before the form does

    bool operator==(const Find &) const = default;
};

// The bytes of a stream, one after the other; after beginAnew() any later place may be the next.
class Channel
{
public:
    // Both outlive the channel. Before it is fed, it may have to follow another one (isAsleep), and takes its memory then.
    Channel(Reading reading, const Automaton &automaton, const Starts &starts, bool isAsleep);

    Reading reading() const { return m_reading; }
    // position: of the byte in the stream.
    template<typename Found> void feed(char byte, qint64 position, Found found)
    {
        if (m_count == 0) {
            if (const auto token = alone(m_reading, byte)) {
                step(*token, position, position + 1, found);
                return;
            }
            if (m_state == 0 && !mayBegin(byte)) {
                goOn({&byte, 1});
                return;
            }
            m_begin = position;
        }
        m_waiting[m_count++] = byte;
        readWaiting(false, found);
    }
    // Nothing follows.
    template<typename Found> void finish(Found found) { readWaiting(true, found); }
    // The longest beginning of a form that the stream may have been cut off in at this place, and that tells too much of its value.
    std::optional<Find> cutOff(qint64 end) const;

    // Whether it would be the same if it began to read at this place, to which it has not seen more than the beginning of something.
    bool mayForget(qint64 place) const { return m_count == 0 && m_readTo <= place; }
    // word: before the place where it goes on.
    void beginAnew(const Word &word)
    {
        m_state = 0;
        m_word = word;
    }
    // Goes on as the other one would if it had this one's reading, in which everything so far is the same.
    void follow(const Channel &other);
    bool isWithin() const { return m_state != 0; } // a text may have begun
    bool isWaiting() const { return m_count > 0; } // for the rest of a piece
    // Where what may be the beginning of a form begins; position if nothing is.
    qint64 begin(qint64 position) const
    {
        const qint64 waiting = m_count > 0 ? m_begin : position;
        return m_state == 0 ? waiting : beginOf(m_automaton->depth(m_state));
    }

private:
    bool isOfNumbers() const { return m_reading == Reading::HexPairs || m_reading == Reading::Decimal; }
    void goOn(QByteArrayView bytes)
    {
        if (isOfNumbers())
            m_word.goOn(bytes);
    }
    bool mayBegin(char byte) const;
    bool counts(State match) const;
    qint64 beginOf(quint32 depth) const { return m_begins[(m_tokens - depth) & (m_begins.size() - 1)]; }

    template<typename Found> void step(char token, qint64 begin, qint64 end, Found found)
    {
        m_state = m_automaton->next(m_state, static_cast<unsigned char>(token));
        m_afterBreak = false;
        if (m_state == 0)
            return;
        m_begins[m_tokens++ & (m_begins.size() - 1)] = begin;
        State match = m_automaton->match(m_state);
        while (match && !counts(match))
            match = m_automaton->shorterMatch(match);
        if (match)
            found(Find{beginOf(m_automaton->depth(match)), end, m_automaton->depth(match), m_automaton->owner(match)});
    }

    template<typename Found> void readWaiting(bool atEnd, Found found)
    {
        while (m_count > 0) {
            const QByteArrayView waiting(m_waiting, m_count);
            Piece piece = read(m_reading, waiting, m_word, atEnd);
            if (piece.bytes == 0) {
                if (m_state != 0 || m_starts->mayGoOn(m_reading, waiting))
                    return;
                piece = {m_count, Piece::Nothing}; // a number that nothing begins with, whatever its end is
            }
            if (piece.kind == Piece::Nothing || (piece.kind == Piece::Break && std::exchange(m_afterBreak, true)))
                m_state = 0;
            for (int i = 0; i < piece.count; ++i)
                step(piece.tokens[i], m_begin, m_begin + piece.bytes, found);
            goOn(waiting.first(piece.bytes));
            m_begin += piece.bytes;
            if (piece.bytes > 1)
                m_readTo = m_begin;
            m_count -= piece.bytes;
            std::copy(m_waiting + piece.bytes, m_waiting + piece.bytes + m_count, m_waiting);
        }
    }

    Reading m_reading;
    const Automaton *m_automaton;
    const Starts *m_starts;
    State m_state = 0;
    std::vector<qint64> m_begins; // of the latest tokens, by number; a power of two
    quint64 m_tokens = 0;
    bool m_afterBreak = false;
    Word m_word; // of lists of numbers
    char m_waiting[longestPiece + 1] = {}; // a piece that isn't whole yet
    int m_count = 0;
    qint64 m_begin = 0; // of what waits
    // Up to there it read pieces of more than a byte; in the middle of one another reading must not begin.
    qint64 m_readTo = 0;
};

} // namespace glovebox::scrub
