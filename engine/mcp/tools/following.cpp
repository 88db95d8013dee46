// SPDX-License-Identifier: Apache-2.0
#include "following.h"

#include "runreply.h"

#include "engine/mcp/asking/elicitation.h"

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto soon = std::chrono::milliseconds(20);

// The last line of output so far.
class LastLine
{
public:
    const QString &read(const Run &run)
    {
        constexpr int readsMax = 64; // the rest next time: the run may print as fast as it is read
        for (int turn = 0; turn < readsMax; ++turn) {
            const OutputSlice slice = run.output(m_cursor, 64 * kibibyte);
            if (slice.next == m_cursor)
                break;
            m_cursor = slice.next;
            if (!slice.chunks.isEmpty())
                take(slice.chunks.last().bytes);
        }
        return m_line;
    }

private:
    void take(QByteArrayView bytes)
    {
        constexpr qsizetype longest = 200;
        while (bytes.endsWith('\n') || bytes.endsWith('\r'))
            bytes.chop(1);
        const QByteArrayView line = bytes.sliced(bytes.lastIndexOf('\n') + 1);
        if (!line.trimmed().isEmpty())
            m_line = textFromBytes(line.last(std::min(longest, line.size())));
    }

    qint64 m_cursor = 0;
    QString m_line;
};

QString progressLine(const Run &run, LastLine &last)
{
    const RunState state = run.state();
    if (state == RunState::Waiting)
        return u"waiting for the person's approval"_s;
    if (state == RunState::Queued)
        return u"queued, %1 before it"_s.arg(run.queuePosition());
    const QString &line = last.read(run);
    return line.isEmpty() ? stateName(state) : line;
}

// How a question that the client puts ends the call; nothing: the call goes on.
std::optional<Followed> outcomeOf(Elicited elicited)
{
    switch (elicited) {
    case Elicited::Nothing:
    case Elicited::Answered:
        return std::nullopt;
    case Elicited::TimeOver:
        return Followed::TimeOver;
    case Elicited::CallsAgain:
        return Followed::CallsAgain;
    case Elicited::Stopped:
        return Followed::Stopped;
    }
    return std::nullopt;
}

bool hasOutput(const Run &run, qint64 cursor, qint64 wanted)
{
    if (wanted <= 0)
        return false;
    const OutputSlice slice = run.output(cursor, wanted);
    return slice.next - cursor >= wanted;
}

Followed followUntil(const FollowedRun &followed, const Call &call, std::chrono::milliseconds longest, qint64 cursor,
                     qint64 wanted)
{
    const ClientBounds &bounds = call.client().runs.bounds();
    const Run &run = followed.run();
    const auto begin = SteadyClock::now();
    const auto end = begin + longest;
    auto nextLine = begin + bounds.betweenLines; // a short run needs no progress
    LastLine last;
    QString told;
    auto toldAt = begin;
    bool isNamed = false;
    for (;;) {
        const quint64 seen = followed.changes();
        if (!isNamed && !run.id().isEmpty()) {
            isNamed = true;
            call.concerns(run.id());
        }
        if (run.state() == RunState::Done)
            return Followed::Done;
        if (call.stop().stop_requested())
            return Followed::Stopped;
        if (hasOutput(run, cursor, wanted))
            return Followed::Enough;
        const bool mayAsk = call.client().approver && run.state() == RunState::Waiting;
        if (mayAsk) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - SteadyClock::now());
            if (const auto asked = outcomeOf(elicit(call, run.id(), left)))
                return *asked;
        }
        const auto now = SteadyClock::now();
        if (now >= end)
            return Followed::TimeOver;
        if (now >= nextLine) {
            nextLine = now + bounds.betweenLines;
            if (QString line = progressLine(run, last); line != told || now - toldAt >= bounds.heartbeat) {
                told = std::move(line);
                toldAt = now;
                call.progress(std::chrono::duration<double>(now - begin).count(), told);
            }
        }
        // The question comes a moment after the state.
        followed.waitForChange(seen, std::min({end, nextLine, mayAsk ? now + soon : end}), call.stop());
    }
}

} // namespace

Followed follow(const FollowedRun &followed, const Call &call, std::chrono::milliseconds longest)
{
    return followUntil(followed, call, longest, 0, 0);
}

Followed follow(const FollowedRun &followed, const Call &call, qint64 cursor, qint64 wanted)
{
    return followUntil(followed, call, call.client().runs.bounds().longestCall, cursor, wanted);
}

} // namespace glovebox::mcp
