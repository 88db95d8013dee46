// SPDX-License-Identifier: Apache-2.0
// Looks closely where a form may begin, passes over everything else, and lets go of what no form can reach any more.
#include "scrub.h"

#include "channel.h"
#include "plan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <tuple>

namespace glovebox {

using namespace scrub;

namespace {

// Bytes that are wiped, also where they moved away from when they became more.
class HeldBytes
{
public:
    QByteArrayView view() const { return m_bytes.view().sliced(m_begin, m_end - m_begin); }
    void append(QByteArrayView bytes)
    {
        if (m_end + bytes.size() > m_bytes.size()) {
            const QByteArrayView kept = view();
            SecretValue *target = &m_bytes;
            SecretValue larger;
            if (2 * (kept.size() + bytes.size()) > m_bytes.size()) {
                larger = SecretValue(std::max<qsizetype>(4096, 2 * (kept.size() + bytes.size())));
                target = &larger;
            }
            std::copy(kept.begin(), kept.end(), target->data());
            m_end = kept.size();
            m_begin = 0;
            if (target == &larger)
                m_bytes = std::move(larger);
        }
        std::copy(bytes.begin(), bytes.end(), m_bytes.data() + m_end);
        m_end += bytes.size();
    }
    void dropFirst(qsizetype count)
    {
        m_begin += count;
        if (m_begin == m_end)
            m_begin = m_end = 0;
    }

private:
    SecretValue m_bytes;
    qsizetype m_begin = 0;
    qsizetype m_end = 0;
};

constexpr Reading readings[] = {Reading::Plain,    Reading::Percent, Reading::Escapes, Reading::Quoted,
                                Reading::Words,    Reading::Html,    Reading::Mail,    Reading::Hex,
                                Reading::HexPairs, Reading::Decimal, Reading::Base64};

// In what has none of their escapes they read what Plain reads.
bool sleepsAtFirst(Reading reading)
{
    return reading == Reading::Percent || reading == Reading::Escapes || reading == Reading::Quoted
           || reading == Reading::Words || reading == Reading::Html || reading == Reading::Mail;
}

constexpr char escapeCharacters[] = {'\\', '%', '&', '='};

// False: what begins so stands for itself in every reading.
bool mayBeEscape(QByteArrayView bytes)
{
    if (bytes.size() < 2)
        return true;
    switch (bytes[0]) {
    case '\\':
        return readEscape(bytes.first(std::min<qsizetype>(bytes.size(), 3)), false) != Piece::literal('\\');
    case '%':
        return bytes[1] == 'u' || digitValue(bytes[1]) >= 0;
    case '&':
        return readHtml(bytes.first(std::min<qsizetype>(bytes.size(), 4)), false) != Piece::literal('&');
    default:
        return readMail(bytes.first(std::min<qsizetype>(bytes.size(), 3)), false) != Piece::literal('=');
    }
}

// The order in which forms are named.
struct Later
{
    bool operator()(const Find &a, const Find &b) const
    {
        return std::tuple(a.begin, a.isPart, -a.end, b.length, a.owner)
               > std::tuple(b.begin, b.isPart, -b.end, a.length, b.owner);
    }
};

} // namespace

struct Scrubber::Private
{
    explicit Private(std::shared_ptr<const ScrubPlan> scrubPlan)
        : plan(std::move(scrubPlan))
    {
        reset();
    }

    void reset();
    void look(QByteArrayView data, QByteArray &out);
    qsizetype passOver(QByteArrayView data, qsizetype from);
    bool mayMatter(std::size_t which, QByteArrayView data, qsizetype from, qsizetype at) const;
    qsizetype nextEscape(std::size_t which, QByteArrayView data, qsizetype from);
    Word wordBefore(QByteArrayView data, qsizetype at) const;
    void readClosely(QByteArrayView data, qsizetype at);
    void read(char byte, qint64 position);
    qint64 openSince() const;
    std::optional<qint64> leftBehind() const;
    void letGo(QByteArrayView data, qint64 until, QByteArray &out);

    const std::shared_ptr<const ScrubPlan> plan;
    const ScrubPlan::Private &parts = *plan->d;
    // A reader that sleeps would stand where the plain reader stands.
    struct Reader
    {
        Channel channel;
        bool isAwake = true;
    };
    std::vector<Reader> readers;
    bool isClose = false; // the channels are reading
    qint64 closeSince = 0; // from where on
    qint64 lookedAt = 0; // everything before this place of the stream
    qint64 given = 0; // everything before this was let go: where the held bytes begin
    Word wordAtGiven; // before that
    // Up to there, no escape of each kind is in what is to be looked at.
    std::array<qint64, std::size(escapeCharacters)> escapeAfter = {};
    HeldBytes held;
    std::priority_queue<Find, std::vector<Find>, Later> finds; // that begin at or behind `given`
    qint64 coveredTo = 0;
    std::vector<Owner> named; // in the covered stretch that ends there
    struct Count
    {
        qint64 times = 0; // each by itself, though one mark may stand for several that overlap with others between them
        qint64 countedTo = 0; // in this stream
    };
    std::map<Owner, Count> found;
};

void Scrubber::Private::reset()
{
    readers.clear();
    for (const Reading reading : readings) {
        const Automaton &automaton = reading == Reading::Hex      ? parts.hex
                                     : reading == Reading::Base64 ? parts.base64
                                                                  : parts.texts;
        const bool isAsleep = sleepsAtFirst(reading);
        readers.push_back({Channel(reading, automaton, parts.starts, isAsleep), !isAsleep});
    }
    isClose = false;
    lookedAt = given = coveredTo = 0;
    wordAtGiven = {};
    escapeAfter = {};
    named.clear();
    for (auto &[owner, count] : found)
        count.countedTo = 0;
}

// Where the next escape of a kind begins, or the size of the data. Remembered, so that one that is far away isn't looked for
// again and again.
qsizetype Scrubber::Private::nextEscape(std::size_t which, QByteArrayView data, qsizetype from)
{
    const char first = escapeCharacters[which];
    qsizetype at = std::max<qsizetype>(escapeAfter[which] - given, from);
    while (at < data.size()
           && (data[at] != first || !mayBeEscape(data.sliced(at)) || !mayMatter(which, data, from, at))) {
        const void *next = std::memchr(data.data() + at + 1, first, std::size_t(data.size() - at - 1));
        at = next ? static_cast<const char *>(next) - data.data() : data.size();
    }
    escapeAfter[which] = given + at;
    return at;
}

// What an escape with a backslash means depends on what is before it, so it is read wherever it is; others where a form may begin.
bool Scrubber::Private::mayMatter(std::size_t which, QByteArrayView data, qsizetype from, qsizetype at) const
{
    constexpr Reading readingsOfEscapes[] = {Reading::Escapes, Reading::Percent, Reading::Html, Reading::Mail};
    if (which == 0)
        return true;
    const Piece piece = scrub::read(readingsOfEscapes[which],
                                    data.sliced(at, std::min<qsizetype>(data.size() - at, longestPiece)), {}, false);
    const qsizetype begin = std::max(from, at - 3);
    return piece.bytes == 0 || piece.kind != Piece::Tokens
           || parts.starts.mayBegin(data.sliced(begin, at - begin), piece);
}

// The first place where a form may begin, which takes four bytes to tell; the size of the data if there is none.
qsizetype Scrubber::Private::passOver(QByteArrayView data, qsizetype from)
{
    qsizetype end = data.size();
    for (std::size_t which = 0; which < escapeAfter.size(); ++which)
        end = std::min(end, nextEscape(which, data, from));
    qsizetype at = parts.starts.find(data, from, end - 3, [&](qsizetype place) { return wordBefore(data, place); });
    if (at >= end - 3) {
        while (at < end && !parts.starts.mayBegin(data.sliced(at, end - at)))
            ++at;
    }
    return at;
}

// As a reading that saw everything before knows it.
Word Scrubber::Private::wordBefore(QByteArrayView data, qsizetype at) const
{
    constexpr qsizetype longest = longestNumber + 8; // with its 0x; of what is longer the beginning doesn't count
    qsizetype begin = at;
    Word word;
    for (; begin > 0; --begin) {
        if (!isLetterOrDigit(data[begin - 1]))
            break;
        if (at - begin == longest)
            return {.isOther = true};
    }
    if (begin == 0)
        word = wordAtGiven;
    word.goOn(data.sliced(begin, at - begin));
    return word;
}

void Scrubber::Private::readClosely(QByteArrayView data, qsizetype at)
{
    isClose = true;
    closeSince = given + at;
    const Word word = wordBefore(data, at);
    for (Reader &reader : readers) {
        reader.channel.beginAnew(word);
        reader.isAwake = !sleepsAtFirst(reader.channel.reading());
    }
}

void Scrubber::Private::read(char byte, qint64 position)
{
    const auto onFind = [this](const Find &find) { finds.push(find); };
    const Channel &plain = readers.front().channel;
    const bool wakes =
        byte == '\'' || byte == '"' || std::ranges::find(escapeCharacters, byte) != std::end(escapeCharacters);
    for (Reader &reader : std::span(readers).first(wakes ? readers.size() : 0)) {
        if (reader.isAwake || alone(reader.channel.reading(), byte))
            continue;
        if ((byte == '\'' || byte == '"') && !plain.isWithin())
            continue; // no form begins with what joins strings
        reader.channel.follow(plain);
        reader.isAwake = true;
    }
    for (Reader &reader : readers) {
        if (reader.isAwake)
            reader.channel.feed(byte, position, onFind);
    }
}

qint64 Scrubber::Private::openSince() const
{
    qint64 since = lookedAt;
    for (const Reader &reader : readers) {
        if (reader.isAwake)
            since = std::min(since, reader.channel.begin(lookedAt));
    }
    return since;
}

// The place from which on nothing has begun, where all readings may begin anew.
std::optional<qint64> Scrubber::Private::leftBehind() const
{
    constexpr qint64 lookedAtOnce = 4; // bytes that passOver() needs, so that reading again isn't in vain
    qint64 since = lookedAt;
    for (const Reader &reader : readers) {
        if (!reader.isAwake)
            continue;
        since = std::min(since, reader.channel.begin(lookedAt));
        if (since <= closeSince || lookedAt - since >= lookedAtOnce)
            return std::nullopt;
    }
    for (const Reader &reader : readers) {
        if (reader.isAwake && !reader.channel.mayForget(since))
            return std::nullopt;
    }
    return since;
}

// data: the stream from `given` on. Afterwards `given` has moved as far as it can.
void Scrubber::Private::look(QByteArrayView data, QByteArray &out)
{
    const qint64 begin = given;
    qsizetype at = lookedAt - begin;
    while (at < data.size()) {
        if (!isClose) {
            at = passOver(data, at);
            if (at == data.size())
                break;
            readClosely(data, at);
        }
        read(data[at], begin + at);
        lookedAt = begin + ++at;
        if (const auto since = leftBehind()) {
            at = *since - begin;
            isClose = false;
        }
    }
    lookedAt = begin + at;
    const Word word = wordBefore(data, (isClose ? openSince() : lookedAt) - begin);
    letGo(data, isClose ? openSince() : lookedAt, out);
    wordAtGiven = word;
}

void Scrubber::Private::letGo(QByteArrayView data, qint64 until, QByteArray &out)
{
    const qint64 begin = given;
    const auto give = [&](qint64 to) {
        given = std::max(given, std::min(to, coveredTo));
        if (to > given)
            out.append(data.sliced(given - begin, to - given));
        given = std::max(given, to);
    };
    while (!finds.empty() && finds.top().begin < until) {
        const Find find = finds.top();
        finds.pop();
        Count &count = found[find.owner];
        if (find.begin >= coveredTo) {
            give(find.begin);
            named.clear();
        }
        if (find.end > coveredTo) {
            if (std::ranges::find(named, find.owner) == named.end()) {
                out.append(find.isPart ? parts.marksOfParts[find.owner] : parts.marks[find.owner]);
                named.push_back(find.owner);
            }
            if (!find.isPart && find.begin >= count.countedTo) {
                ++count.times;
                count.countedTo = find.end;
            }
            coveredTo = find.end;
        }
    }
    give(until);
}

Scrubber::Scrubber(std::shared_ptr<const ScrubPlan> plan)
    : d(std::make_unique<Private>(std::move(plan)))
{
}

Scrubber::~Scrubber() = default;

void Scrubber::feed(QByteArrayView bytes, QByteArray &out)
{
    const qint64 begin = d->given;
    if (d->held.view().isEmpty()) {
        d->look(bytes, out);
        d->held.append(bytes.sliced(d->given - begin));
    } else {
        d->held.append(bytes);
        d->look(d->held.view(), out);
        d->held.dropFirst(d->given - begin);
    }
}

void Scrubber::finish(QByteArray &out, StreamEnd end)
{
    const QByteArrayView rest = d->held.view();
    const qint64 size = d->given + rest.size();
    for (auto &reader : d->readers) {
        if (!d->isClose || !reader.isAwake)
            continue;
        const auto lookForPart = [&] {
            if (const auto part = end == StreamEnd::MayBeCut ? reader.channel.cutOff(size) : std::nullopt)
                d->finds.push(*part);
        };
        // An escape of which the end is missing is read as the beginning of one, then as what it looks like.
        lookForPart();
        reader.channel.finish([this](const Find &find) { d->finds.push(find); });
        lookForPart();
    }
    d->letGo(rest, size, out);
    d->held = {};
    d->reset();
}

qint64 Scrubber::heldBack() const
{
    return d->held.view().size();
}

bool Scrubber::hasFound() const
{
    return !d->found.empty();
}

QStringList Scrubber::foundNames() const
{
    QStringList names;
    for (const auto &[owner, count] : d->found)
        names.append(d->parts.names.at(owner));
    names.removeDuplicates(); // one may be lent twice
    return names;
}

QMap<QString, qint64> Scrubber::marks() const
{
    QMap<QString, qint64> all;
    for (const auto &[owner, count] : d->found)
        all[d->parts.names.at(owner)] += count.times;
    return all;
}

} // namespace glovebox
