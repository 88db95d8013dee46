// SPDX-License-Identifier: Apache-2.0
#include "shownrun.h"

#include "app/workbench/shell/words/words.h"

#include <QIODevice>

#include <algorithm>
#include <limits>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int frame = 16; // ms: 60 times a second
constexpr qint64 turnBudget = 5; // ms of GUI thread a turn for taking output in
constexpr qint64 pieceBytes = 1 * kibibyte; // the time is looked at after each: a hostile one takes milliseconds
constexpr qint64 screenPieceBytes = 512; // scrolling a whole screen takes five bytes
// A reader that is this far behind jumps: nobody reads megabytes a second. The beginning is always shown.
constexpr qint64 farBehind = 4 * mebibyte;
constexpr qint64 alwaysShown = 1 * mebibyte;
constexpr qint64 shownAfterJump = 512 * kibibyte;

} // namespace

ShownRun::ShownRun(std::shared_ptr<Run> run, RunRequest request, RunTitle title, QObject *parent)
    : QObject(parent)
    , m_run(std::move(run))
    , m_request(std::move(request))
    , m_title(std::move(title))
{
    m_next.setSingleShot(true);
    m_next.setTimerType(Qt::PreciseTimer);
    connect(&m_next, &QTimer::timeout, this, &ShownRun::follow);
    m_sinceStart.start();
    if (const std::optional<Terminal> &terminal = m_request.terminal; m_title.hasTerminal && terminal)
        m_log.openScreen({terminal->columns, terminal->rows});
    m_run->onChange([this] {
        if (!m_rung.exchange(true))
            QMetaObject::invokeMethod(this, &ShownRun::ring, Qt::QueuedConnection);
    });
}

ShownRun::~ShownRun()
{
    m_run->onChange({}); // after this no wake is running any more; a call on its way goes with the object
}

void ShownRun::ring()
{
    if (m_next.isActive())
        return;
    const qint64 since = m_sinceLast.isValid() ? m_sinceLast.elapsed() : frame;
    if (since >= frame)
        follow();
    else
        m_next.start(int(frame - since));
}

void ShownRun::follow()
{
    m_sinceLast.start();
    m_rung = false; // before reading: what arrives from now on rings again
    if (m_result)
        return;
    takeState();
    sendWaiting();
    if (drainOutput())
        finish();
}

void ShownRun::takeState()
{
    const RunState reported = m_run->state();
    // For its views it is done when all of its output is here: finish() says so.
    const RunState state = std::min(reported, RunState::Collecting);
    const int position = m_run->queuePosition();
    const bool waits = isWaitingForSession(state);
    const bool news = state != m_state || position != m_queuePosition || waits != m_waitsForSession || m_id.isEmpty();
    m_waitsForSession = waits;
    m_state = state;
    m_queuePosition = position;
    if (m_id.isEmpty())
        m_id = m_run->id();
    begin(reported);
    if (news)
        Q_EMIT stateChanged();
}

void ShownRun::begin(RunState reported)
{
    if (m_began || !hasBegun(reported))
        return;
    m_began = true;
    m_log.remark(OutputLine::Kind::Note,
                 tr("%1  sealed · %2").arg(QTime::currentTime().toString(u"HH:mm:ss"_s), m_title.language));
}

bool ShownRun::isWaitingForSession(RunState state) const
{
    if (m_request.session.isEmpty() || state >= RunState::Preparing)
        return false;
    const QList<RunEvent> events = m_run->events(0).events;
    return std::ranges::find(events, EventType::SessionWaits, &RunEvent::type) != events.end();
}

// Whether its first instruction was reached: only then it was sealed. A run that was refused ends without having been
// Running.
bool ShownRun::hasBegun(RunState reported) const
{
    if (reported == RunState::Collecting)
        return !m_run->output(0, 1).chunks.isEmpty();
    if (reported == RunState::Done) {
        const auto result = m_run->result();
        return result && !nothingRan(result->outcome) && !result->controls.isEmpty();
    }
    return reported == RunState::Running;
}

// True when all of it is here.
bool ShownRun::drainOutput()
{
    const bool isAll = takeOutput();
    m_log.showScreen();
    // A program that asks, and doesn't read what it is told, gets no more answers.
    if (const QByteArray answer = m_log.screen() ? m_log.screen()->takeAnswers() : QByteArray();
        !answer.isEmpty() && m_input.isEmpty() && !m_inputClosed)
        send(answer);
    return isAll;
}

bool ShownRun::takeOutput()
{
    // A cursor beyond the end is answered with the end.
    const qint64 end = m_run->output(std::numeric_limits<qint64>::max(), 0).next;
    if (end - m_cursor > farBehind && m_cursor >= alwaysShown) {
        const qint64 target = end - shownAfterJump;
        m_log.skip(target - m_cursor);
        m_cursor = target;
    }
    QElapsedTimer spent;
    spent.start();
    for (;;) {
        const OutputSlice slice = m_run->output(m_cursor, m_log.screen() ? screenPieceBytes : pieceBytes);
        if (!slice.chunks.isEmpty() || slice.skipped > 0)
            begin(RunState::Running); // it prints, whatever its state was a moment ago
        m_cursor = slice.next;
        m_log.skip(slice.skipped);
        for (const OutputChunk &chunk : slice.chunks)
            m_log.append(chunk);
        if (slice.atEnd)
            return true;
        if (slice.chunks.isEmpty() && slice.skipped == 0)
            return false;
        if (spent.elapsed() >= turnBudget) {
            m_next.start(frame);
            return false;
        }
    }
}

void ShownRun::finish()
{
    m_result = m_run->result();
    if (!m_result) // its output has ended, but not itself: it rings again
        return;
    begin(RunState::Done); // it may have ended since it was asked for its state
    m_elapsed = std::chrono::milliseconds(m_sinceStart.elapsed());
    m_state = RunState::Done;
    m_id = m_result->id;
    m_input.clear();
    m_inputClosed = true;
    m_log.finish();
    // A gap between what the program said and what we say.
    const auto beginRemarks = [this] {
        const LineStore &lines = m_log.lines();
        if (!lines.isEmpty() && !lines.line(lines.end() - 1).isOurs())
            m_log.remark(OutputLine::Kind::Note, {});
    };
    const bool saysItself = m_result->outcome == Outcome::Completed || m_result->outcome == Outcome::Failed;
    if (!saysItself && !m_result->reason.isEmpty()) {
        beginRemarks();
        m_log.remark(OutputLine::Kind::Warning, translated(m_result->reason));
    }
    if (const auto fate = interpreterFate()) {
        beginRemarks();
        m_log.remark(fate->first, fate->second);
    }
    if (m_began) {
        beginRemarks();
        m_log.remark(OutputLine::Kind::Summary, summaryLine(*m_result));
    }
    Q_EMIT stateChanged();
    Q_EMIT inputChanged();
    Q_EMIT finished();
}

// What became of the variables in an interpreter that stays; nothing: they are as the code left them.
std::optional<std::pair<OutputLine::Kind, QString>> ShownRun::interpreterFate() const
{
    const auto has = [this](EventType type) {
        return std::ranges::find(m_result->events, type, &RunEvent::type) != m_result->events.end();
    };
    if (has(EventType::InterpreterEnded))
        return std::pair(OutputLine::Kind::Warning,
                         tr("The interpreter ended, and its variables are gone. The next run gets a clean one."));
    const bool wasStopped = m_result->outcome == Outcome::Cancelled || m_result->outcome == Outcome::TimedOut;
    if (m_request.isStateful && m_began && wasStopped)
        return std::pair(OutputLine::Kind::Note, tr("The interpreter keeps its variables."));
    if (has(EventType::InterpreterStarted))
        return std::pair(OutputLine::Kind::Note, tr("This run started a clean interpreter, which stays."));
    return std::nullopt;
}

std::chrono::milliseconds ShownRun::elapsed() const
{
    return m_result ? m_elapsed : std::chrono::milliseconds(m_sinceStart.elapsed());
}

bool ShownRun::send(const QByteArray &input)
{
    if (m_inputClosed || m_result)
        return false;
    m_input += input;
    sendWaiting();
    Q_EMIT inputChanged();
    return true;
}

void ShownRun::sendWaiting()
{
    if (m_input.isEmpty())
        return;
    const qint64 taken = m_run->write(m_input);
    if (taken == 0)
        return;
    m_input.remove(0, taken);
    if (m_input.isEmpty() && m_inputClosed)
        m_run->closeInput();
    Q_EMIT inputChanged();
}

void ShownRun::closeInput()
{
    if (std::exchange(m_inputClosed, true))
        return;
    if (m_input.isEmpty())
        m_run->closeInput();
    Q_EMIT inputChanged();
}

void ShownRun::resizeTerminal(QSize cells)
{
    if (!m_title.hasTerminal || m_result || std::exchange(m_terminalSize, cells) == cells)
        return;
    m_run->resize(cells.height(), cells.width());
    m_log.resizeScreen(cells);
}

void ShownRun::stop()
{
    m_stopping = true;
    m_run->cancel();
    Q_EMIT stateChanged();
}

qint64 writeKeptOutput(const Run &run, QIODevice &file)
{
    qint64 skipped = 0;
    for (qint64 cursor = 0;;) {
        const OutputSlice slice = run.output(cursor, mebibyte);
        skipped += slice.skipped;
        for (const OutputChunk &chunk : slice.chunks) {
            if (file.write(chunk.bytes) != chunk.bytes.size())
                return -1;
        }
        if (slice.next == cursor)
            return skipped;
        cursor = slice.next;
    }
}

bool isUsageOfInterpreter(const RunResult &result)
{
    const auto has = [&](EventType type) {
        return std::ranges::find(result.events, type, &RunEvent::type) != result.events.end();
    };
    return has(EventType::InterpreterEnded) && !has(EventType::InterpreterStarted);
}

QString summaryLine(const RunResult &result)
{
    const bool isWhole = isUsageOfInterpreter(result);
    QStringList parts;
    if (result.exitCode)
        parts << ShownRun::tr("exit %1").arg(*result.exitCode);
    else if (result.signal)
        parts << ShownRun::tr("signal %1").arg(*result.signal);
    else
        parts << outcomeWord(result.outcome).toLower();
    parts << durationWord(result.usage.wall);
    if (!nothingRan(result.outcome)) {
        parts << (result.usage.cpu ? (isWhole ? ShownRun::tr("CPU of the interpreter %1") : ShownRun::tr("CPU %1"))
                                         .arg(durationWord(*result.usage.cpu))
                                   : ShownRun::tr("CPU not known"));
        parts << (result.usage.peakMemoryBytes
                      ? (isWhole ? ShownRun::tr("peak of the interpreter %1") : ShownRun::tr("peak %1"))
                            .arg(sizeWord(*result.usage.peakMemoryBytes))
                      : ShownRun::tr("peak not known"));
    }
    if (const QString sealed = sealedPhrase(result); !sealed.isEmpty())
        parts << sealed;
    return parts.join(u" · "_s);
}

QString sealedPhrase(const RunResult &result)
{
    if (result.setUp < std::chrono::milliseconds(1))
        return {};
    const QString time = durationWord(result.setUp);
    return result.warm ? ShownRun::tr("sealed in %1, warm").arg(time) : ShownRun::tr("sealed in %1").arg(time);
}

} // namespace glovebox
