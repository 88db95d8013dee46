// SPDX-License-Identifier: Apache-2.0
// Looks closely where a form may begin, passes over everything else, and lets go of what no form can reach any more.
#include "scrub.h"

#include "channel.h"
#include "forms.h"
#include "starts.h"

#include "engine/base/base.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <queue>
#include <set>
#include <tuple>

namespace glovebox {

using namespace scrub;

namespace {

struct Wanted
{
    Owner owner;
    SecretValue text;
};

} // namespace

struct ScrubPlan::Private
{
    Private(const std::vector<Secret> &secrets, const std::vector<Wanted> &wanted);

    QStringList names; // by owner
    std::vector<QByteArray> marks; // the same
    Automaton texts; // for every reading but those two
    Automaton hex;
    Automaton base64;
    Starts starts;
};

namespace {

qsizetype bytesOf(const std::vector<Wanted> &wanted)
{
    qsizetype bytes = 0;
    for (const Wanted &one : wanted)
        bytes += one.text.size();
    return bytes;
}

qsizetype longestOf(const std::vector<Wanted> &wanted)
{
    qsizetype bytes = 0;
    for (const Wanted &one : wanted)
        bytes = std::max(bytes, one.text.size());
    return bytes;
}

// As programs hand it on: without what $(cat FILE) and strip() take away, and with the line ends of a terminal (\r\n) or of a file
// that was read as text (\n).
std::vector<Wanted> wantedOf(const std::vector<ScrubPlan::Secret> &secrets)
{
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < secrets.size(); ++i) {
        QByteArrayView value = secrets[i].value;
        if (const QByteArrayView bare = value.trimmed(); bare.size() >= ScrubPlan::shortestValue)
            value = bare;
        if (value.size() < ScrubPlan::shortestValue)
            continue;
        const auto owner = static_cast<Owner>(i);
        wanted.push_back({owner, SecretValue::copyOf(value)});
        if (!value.contains('\n'))
            continue;
        for (const QByteArrayView lineEnd : {"\n", "\r\n"}) {
            if (SecretValue text = withLineEnds(value, lineEnd); text.view() != value)
                wanted.push_back({owner, std::move(text)});
        }
    }
    return wanted;
}

constexpr int textForms = 6;
constexpr int base64Forms = 3;
constexpr int base64Ends = 16; // what the character with the last bits may have after them

} // namespace

ScrubPlan::Private::Private(const std::vector<Secret> &secrets, const std::vector<Wanted> &wanted)
    : texts(textForms * bytesOf(wanted))
    , hex(2 * bytesOf(wanted))
    , base64(base64Forms * (bytesOf(wanted) * 4 / 3 + 1) + base64Forms * (1 + base64Ends) * std::ssize(wanted))
    , starts(wanted.size())
{
    for (const Secret &secret : secrets) {
        names.append(secret.name);
        marks.push_back("[secret " + secret.name.toUtf8() + ']');
    }
    SecretValue scratch(2 * longestOf(wanted));
    for (const Wanted &one : wanted) {
        const Owner owner = one.owner;
        const QByteArrayView value = one.text.view();
        const auto addText = [&](QByteArrayView text) {
            texts.add(text, owner);
            starts.addPlain(text);
        };
        addText(value);
        addText(reversedBytes(value, scratch));
        addText(reversedCharacters(value, scratch));
        if (value.size() < shortestEncoded)
            continue;
        addText(lowerCase(value, scratch));
        addText(upperCase(value, scratch));
        addText(plusForSpace(value, scratch));
        const QByteArrayView digits = lowerHex(value, scratch);
        hex.add(digits, owner);
        starts.addHex(digits);
        for (int before = 0; before < base64Forms; ++before) {
            const QByteArrayView core = base64Core(value, before, scratch);
            base64.add(core, owner);
            starts.addBase64(core);
            for (int end = 0; end < base64Ends; ++end) {
                if (const QByteArrayView longer = withBase64End(value, before, core.size(), end, scratch);
                    !longer.isEmpty())
                    base64.add(longer, owner);
            }
        }
    }
    texts.finish();
    hex.finish();
    base64.finish();
}

ScrubPlan::ScrubPlan(const std::vector<Secret> &secrets)
    : d(std::make_unique<Private>(secrets, wantedOf(secrets)))
{
}

ScrubPlan::~ScrubPlan() = default;

QByteArray ScrubPlan::scrubbed(QByteArrayView bytes) const
{
    // The plan outlives the call.
    Scrubber scrubber(std::shared_ptr<const ScrubPlan>(std::shared_ptr<void>(), this));
    QByteArray out;
    scrubber.feed(bytes, out);
    scrubber.finish(out);
    return out;
}

QString ScrubPlan::scrubbed(const QString &text) const
{
    const QByteArray bytes = text.toUtf8();
    return finds(bytes) ? QString::fromUtf8(scrubbed(QByteArrayView(bytes))) : text;
}

Text ScrubPlan::scrubbed(Text text) const
{
    for (QString &argument : text.args)
        argument = scrubbed(argument);
    return text;
}

bool ScrubPlan::finds(QByteArrayView bytes) const
{
    return !namesIn(bytes).isEmpty();
}

QStringList ScrubPlan::namesIn(QByteArrayView bytes) const
{
    Scrubber scrubber(std::shared_ptr<const ScrubPlan>(std::shared_ptr<void>(), this));
    QByteArray out;
    scrubber.feed(bytes, out);
    scrubber.finish(out);
    return scrubber.foundNames();
}

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

// False: what begins so stands for itself in every reading.
bool mayBeEscape(QByteArrayView bytes)
{
    if (bytes.size() < 2)
        return true;
    if (bytes[0] == '\\')
        return QByteArrayView("\"'\\/bfnrtv0xu").contains(bytes[1]);
    return std::isxdigit(static_cast<unsigned char>(bytes[1])) != 0;
}

// The order in which forms are named.
struct Later
{
    bool operator()(const Find &a, const Find &b) const
    {
        return std::tuple(a.begin, -a.end, b.length, a.owner) > std::tuple(b.begin, -b.end, a.length, b.owner);
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
    qsizetype nextEscape(int which, QByteArrayView data, qsizetype from);
    qint64 openSince() const;
    void letGo(QByteArrayView data, qint64 until, QByteArray &out);

    const std::shared_ptr<const ScrubPlan> plan;
    const ScrubPlan::Private &parts = *plan->d;
    std::vector<Channel> channels;
    bool isClose = false; // the channels are reading
    qint64 closeSince = 0; // from where on
    qint64 lookedAt = 0; // everything before this place of the stream
    qint64 given = 0; // everything before this was let go: where the held bytes begin
    qint64 escapeAfter[2] = {}; // up to there, no escape of the two kinds is in what is to be looked at
    HeldBytes held;
    std::priority_queue<Find, std::vector<Find>, Later> finds; // that begin at or behind `given`
    qint64 coveredTo = 0;
    std::vector<Owner> named; // in the covered stretch that ends there
    std::set<Owner> found;
};

void Scrubber::Private::reset()
{
    channels.clear();
    for (const Reading reading : {Reading::Plain, Reading::Percent, Reading::Escapes})
        channels.emplace_back(reading, parts.texts);
    channels.emplace_back(Reading::Hex, parts.hex);
    channels.emplace_back(Reading::Base64, parts.base64);
    isClose = false;
    lookedAt = given = coveredTo = escapeAfter[0] = escapeAfter[1] = 0;
    named.clear();
}

// Where the next escape of the two kinds begins, or the size of the data. Remembered, so that one that is far away isn't looked for
// again and again.
qsizetype Scrubber::Private::nextEscape(int which, QByteArrayView data, qsizetype from)
{
    const char first = "\\%"[which];
    qsizetype at = std::max<qsizetype>(escapeAfter[which] - given, from);
    while (at < data.size() && (data[at] != first || !mayBeEscape(data.sliced(at)))) {
        const void *next = std::memchr(data.data() + at + 1, first, std::size_t(data.size() - at - 1));
        at = next ? static_cast<const char *>(next) - data.data() : data.size();
    }
    escapeAfter[which] = given + at;
    return at;
}

// The first place where a form may begin, which takes four bytes to tell; of fewer at the end: whether they may be a beginning.
// Escapes are read wherever they are, not only where a form may begin: what they mean depends on what is before them.
qsizetype Scrubber::Private::passOver(QByteArrayView data, qsizetype from)
{
    const char *const bytes = data.data();
    const qsizetype size = data.size();
    const qsizetype escape = std::min(nextEscape(0, data, from), nextEscape(1, data, from));
    const qsizetype whole = escape - 3;
    qsizetype at = from;
    while (at < whole && !parts.starts.mayBegin(bytes + at))
        ++at;
    if (at < whole || escape < size)
        return at;
    while (at < size && !parts.starts.mayBegin(bytes + at, size - at))
        ++at;
    return at;
}

qint64 Scrubber::Private::openSince() const
{
    qint64 since = lookedAt;
    for (const Channel &channel : channels)
        since = std::min(since, channel.begin(lookedAt));
    return since;
}

// data: the stream from `given` on. Afterwards `given` has moved as far as it can.
void Scrubber::Private::look(QByteArrayView data, QByteArray &out)
{
    const auto onFind = [this](const Find &find) { finds.push(find); };
    const qint64 begin = given;
    qsizetype at = lookedAt - begin;
    while (at < data.size()) {
        if (!isClose) {
            at = passOver(data, at);
            const qint64 escape = std::min(escapeAfter[0], escapeAfter[1]) - begin;
            if (data.size() - at < 4 && escape >= data.size())
                break; // too few to tell
            isClose = true;
            closeSince = begin + at;
        }
        for (Channel &channel : channels)
            channel.feed(data[at], begin + at, onFind);
        lookedAt = begin + ++at;
        const qint64 since = openSince();
        if (since > closeSince && lookedAt - since < 4
            && std::ranges::all_of(channels, [&](const Channel &channel) { return channel.mayForget(since); })) {
            for (Channel &channel : channels)
                channel.forget();
            at = since - begin;
            isClose = false;
        }
    }
    lookedAt = begin + at;
    letGo(data.sliced(given - begin), isClose ? openSince() : lookedAt, out);
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
        found.insert(find.owner);
        if (find.begin >= coveredTo) {
            give(find.begin);
            named.clear();
        }
        if (find.end > coveredTo) {
            if (std::ranges::find(named, find.owner) == named.end()) {
                out.append(parts.marks[find.owner]);
                named.push_back(find.owner);
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

void Scrubber::finish(QByteArray &out)
{
    const QByteArrayView rest = d->held.view();
    for (Channel &channel : d->channels)
        channel.finish([this](const Find &find) { d->finds.push(find); });
    d->letGo(rest, d->given + rest.size(), out);
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
    for (const Owner owner : d->found)
        names.append(d->parts.names.at(owner));
    names.removeDuplicates(); // one may be lent twice
    return names;
}

} // namespace glovebox
