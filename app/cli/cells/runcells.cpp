// SPDX-License-Identifier: Apache-2.0
#include "runcells.h"

#include "cellsource.h"

#include "app/cli/command.h"
#include "app/cli/profile/namedprofile.h"
#include "app/cli/run/afterwards/aftermath.h"
#include "app/cli/run/afterwards/exitstatus.h"
#include "app/cli/run/givenfiles.h"
#include "app/cli/run/preparing.h"
#include "app/cli/run/runview.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

bool has(const RunResult &result, EventType type)
{
    return std::ranges::find(result.events, type, &RunEvent::type) != result.events.end();
}

// What became of the interpreter and its variables, beyond the output of the cell; empty: nothing that a person has to know.
QString fateOf(const RunResult &result, bool hadOne)
{
    if (has(result, EventType::InterpreterEnded)) {
        const bool exited = result.outcome == Outcome::Failed || result.outcome == Outcome::Completed;
        const QString how = exited && result.exitCode ? u" (exit code %1)"_s.arg(*result.exitCode) : QString();
        return u"The interpreter ended%1, and its variables are gone. The next cell gets a clean one."_s.arg(how);
    }
    const auto started = std::ranges::find(result.events, EventType::InterpreterStarted, &RunEvent::type);
    if (hadOne && started != result.events.end()) // which says why
        return started->detail.english();
    if (result.outcome == Outcome::Cancelled || result.outcome == Outcome::TimedOut)
        return hadOne || has(result, EventType::InterpreterStarted) ? u"The interpreter keeps its variables."_s
                                                                    : QString();
    return {};
}

// Words by which people leave an interpreter; as a cell they would end nothing.
bool isFarewell(const QByteArray &cell)
{
    const QByteArray word = cell.trimmed();
    return word == "exit" || word == "exit()" || word == "quit" || word == "quit()" || word == ".exit";
}

class CellLoop
{
public:
    CellLoop(Engine &engine, const CellOptions &options, const SessionOfRun &session, RunRequest request)
        : m_engine(engine)
        , m_options(options)
        , m_session(session)
        , m_request(std::move(request))
        , m_bell(options.isTyped ? Bell::Rings::AlsoForSize : Bell::Rings::ForStopping)
    {
    }

    // False: no further cell is to run.
    bool run(const QByteArray &cell);
    Bell &bell() { return m_bell; }
    // A prompt comes after each cell, and has to stand where a line begins.
    void endsLines() { m_endsLines = true; }
    int status() const { return m_status; }
    // The cell was, by Ctrl+C: what is pasted after it isn't wanted, either.
    bool isStopped() const { return m_isStopped; }
    void end(int status) { m_status = status; }

private:
    void tell(RunView &view, const RunResult &result);
    bool goesOnAfter(const RunView &view, const RunResult &result);

    Engine &m_engine;
    const CellOptions &m_options;
    const SessionOfRun &m_session;
    const RunRequest m_request;
    Bell m_bell;
    bool m_endsLines = false;
    bool m_hasInterpreter = false;
    bool m_isStopped = false;
    int m_status = 0;
};

bool CellLoop::run(const QByteArray &cell)
{
    const RunOptions &options = m_options.run;
    RunView::Options viewOptions;
    viewOptions.shows = !options.json;
    viewOptions.raw = options.raw;
    viewOptions.headBytes = CapturedOutput::headLimit(m_request.policy.limits.outputBytes);
    viewOptions.bell = &m_bell;
    if (!options.json && !options.quiet)
        viewOptions.waiting = m_session.waitingLine();
    RunRequest request = m_request;
    request.code = cell;
    RunView view(std::move(viewOptions));
    const auto result = view.follow(m_engine.start(std::move(request)));
    if (options.json)
        printJson(toJson(*result));
    else
        tell(view, *result);
    if (m_endsLines && view.stoppedBy() != SIGPIPE)
        view.endLine();
    if (has(*result, EventType::InterpreterStarted))
        m_hasInterpreter = true;
    if (has(*result, EventType::InterpreterEnded))
        m_hasInterpreter = false;
    return goesOnAfter(view, *result);
}

void CellLoop::tell(RunView &view, const RunResult &result)
{
    const bool isPlainEnd = result.outcome == Outcome::Completed || result.outcome == Outcome::Failed;
    QStringList sentences;
    if (!isPlainEnd)
        sentences.append(reasonLine(result, m_session.typed()));
    sentences.append(fateOf(result, m_hasInterpreter));
    sentences.removeAll(QString());
    if (!sentences.isEmpty() && view.stoppedBy() != SIGPIPE)
        view.note(sentences.join(u' '));
    for (const RunEvent &event : result.events) {
        if (event.type == EventType::RecordIncomplete)
            view.note(event.detail.english());
    }
    if (const QString loss = lossOfSession(result); !loss.isEmpty())
        view.note(loss);
    if (m_options.run.quiet)
        return;
    for (const QString &sentence :
         aftermathOf(result, {}, m_session.typed()) + m_session.aftermath(m_engine.sessions(), result))
        view.note(sentence);
}

bool CellLoop::goesOnAfter(const RunView &view, const RunResult &result)
{
    const int signal = view.stoppedBy();
    m_isStopped = signal == SIGINT;
    if (signal != 0 && (signal != SIGINT || !m_options.isTyped)) {
        m_status = ExitStatus::signalled + signal;
        return false;
    }
    if (view.writeError() != 0 && view.writeError() != EINTR) {
        m_status = view.writeError() == EPIPE ? ExitStatus::signalled + SIGPIPE : int(ExitStatus::outputLost);
        if (view.writeError() != EPIPE)
            say(u"The output can't be written: %1."_s.arg(errnoText(view.writeError())));
        return false;
    }
    if (m_options.isTyped)
        return true;
    const int status = lossOfSession(result).isEmpty() ? exitStatus(result, signal) : int(ExitStatus::outputLost);
    if (m_status == 0)
        m_status = status;
    return status == 0 || m_options.keepsGoing;
}

Result<QByteArrayList> givenCells(const CellOptions &options)
{
    QByteArrayList cells = options.code;
    for (const QByteArray &path : options.files) {
        ASSIGN_OR_RETURN(const UniqueFd file, openForReading(path));
        ASSIGN_OR_RETURN(const QByteArray text, readUpTo(file, path, maximumCodeBytes));
        if (text.size() > maximumCodeBytes) // is for the engine to refuse, and to record
            cells.append(text);
        else
            cells += cellsOf(text);
    }
    if (cells.isEmpty() && !options.files.isEmpty())
        return fail(ErrorCode::InvalidInput, Text("The files hold no code. Name files with at least one cell."));
    return cells;
}

void greet(const Engine &engine, const SessionOfRun &session, const Language &language)
{
    const SessionPackages *packages = session.session()->packagesOf(language.id());
    const auto found = engine.languages().find(language, packages ? packages->interpreter : QString());
    const QList<InterpreterCandidate> candidates = engine.languages().candidates(language);
    const auto known = std::ranges::find_if(
        candidates, [&found](const InterpreterCandidate &candidate) { return found && candidate.path == found->path; });
    const QString version = known == candidates.end() ? QString() : u' ' + known->version;
    say(u"%1%2 keeps its variables while this command runs; its files are session %3's."_s.arg(language.name(), version,
                                                                                               session.shownName()));
    say(u"An empty line ends a block, Ctrl+C stops a cell, Ctrl+D at an empty prompt leaves."_s);
    if (!session.session()->allow.isEmpty())
        say(u"The session allows hosts, but this interpreter reaches none. Run code that needs them without --stateful."_s);
}

void runGiven(CellLoop &loop, const QByteArrayList &cells)
{
    for (qsizetype i = 0; i < cells.size(); ++i) {
        if (loop.run(cells[i]))
            continue;
        const qsizetype left = cells.size() - i - 1;
        if (left > 0)
            say(left == 1 ? u"1 more cell was not run."_s : u"%1 more cells were not run."_s.arg(left));
        return;
    }
}

void runStream(CellLoop &loop, CellStream &cells, bool isTyped)
{
    while (const auto cell = cells.next()) {
        if ((isTyped && isFarewell(*cell)) || !loop.run(*cell))
            return;
        if (loop.isStopped())
            cells.dropTyped();
    }
    if (cells.stoppedBy() != 0) {
        loop.end(ExitStatus::signalled + cells.stoppedBy());
    } else if (cells.readError() != 0) {
        say(u"Standard input can't be read: %1."_s.arg(errnoText(cells.readError())));
        loop.end(ExitStatus::notRun);
    }
}

} // namespace

int runCells(const CellOptions &options)
{
    const auto engine = openEngine({.runsSoon = true});
    if (!engine)
        return refuse(options.run, Outcome::SetupFailed, engine.error());
    const auto session = SessionOfRun::find((*engine)->sessions(), options.run);
    if (!session)
        return refuse(options.run, Outcome::Rejected, session.error());
    const auto cells = givenCells(options);
    if (!cells)
        return refuse(options.run, Outcome::Rejected, cells.error());
    const Language &language = **Languages::byId(options.run.language);
    RunRequest request;
    request.code = "0";
    const auto usual = usualPolicy(**engine, options.run, session->session(), true);
    if (!usual)
        return refuse(options.run, Outcome::Rejected, usual.error());
    request.policy = options.run.on(usual->policy);
    if (options.run.profile.isEmpty()) // hosts of the session's, as those of the session itself
        request.policy.allow.clear();
    if (!usual->told.isEmpty() && !options.run.quiet && !options.run.json)
        say(usual->told);
    request.session = session->session()->id;
    request.isStateful = true;
    request.language = language.id();
    request.caller = (*engine)->caller();
    if (const Status sound = (*engine)->check(request); !sound) // nobody types for nothing
        return refuse(options.run, Outcome::Rejected, sound.error());
    if (options.isTyped && !options.run.quiet) {
        greet(**engine, *session, language);
        if (LineEditor::lacksLibrary())
            say(u"The arrows don't edit lines, because libedit isn't installed. "
                "Install the package libedit2 (Debian, Ubuntu) or libedit (Fedora)."_s);
    }

    CellLoop loop(**engine, options, *session, std::move(request));
    if (options.code.isEmpty() && options.files.isEmpty()) {
        const auto editor = options.isTyped ? LineEditor::atTerminal(loop.bell(), CellStream::mostBytes) : nullptr;
        if (editor)
            loop.endsLines();
        CellStream stream(loop.bell(), language, options.isTyped, editor.get());
        runStream(loop, stream, options.isTyped);
    } else {
        runGiven(loop, *cells);
    }
    (*engine)->shutdown().wait();
    return loop.status();
}

} // namespace glovebox
