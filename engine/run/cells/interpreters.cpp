// SPDX-License-Identifier: Apache-2.0
#include "interpreters.h"

#include <poll.h>

#include <algorithm>

namespace glovebox {
namespace {

// What a sandbox that outlives its cells may take; each cell has its own time.
constexpr auto interpreterWall = std::chrono::years(1);

// Its supervisor reports nothing while the interpreter waits for a cell, but its end.
bool isAlive(const Interpreter &interpreter)
{
    pollfd report{interpreter.process ? interpreter.process->reportDescriptor() : -1, POLLIN, 0};
    return interpreter.process && ::poll(&report, 1, 0) == 0;
}

// A sentence.
Text whyNew(bool hadOther)
{
    return hadOther
               ? Text(QT_TRANSLATE_NOOP("engine",
                                        "The session's interpreter has other packages, limits or settings now, or is "
                                        "another program, so a "
                                        "new one was started. Nothing of earlier code is in it but the files."))
               : Text(QT_TRANSLATE_NOOP("engine", "A new interpreter was started for the session. Nothing of earlier "
                                                  "code is in it but the files."));
}

} // namespace

Interpreter::~Interpreter()
{
    process.reset();
    if (mark)
        mark->removeAndRelease();
}

Interpreters::Taken Interpreters::take(const QString &session, const QString &language, const SandboxShape &shape)
{
    std::shared_ptr<Interpreter> taken; // ended without the lock
    std::lock_guard lock(m_mutex);
    const auto kept = std::ranges::find_if(
        m_kept, [&](const Kept &other) { return other.session == session && other.language == language; });
    if (kept == m_kept.end())
        return {};
    taken = std::move(kept->interpreter);
    m_kept.erase(kept);
    if (!isAlive(*taken))
        return {};
    return taken->shape == shape ? Taken{taken} : Taken{.hadOther = true};
}

void Interpreters::giveBack(const QString &session, const QString &language, std::shared_ptr<Interpreter> interpreter)
{
    std::shared_ptr<Interpreter> oldest;
    std::lock_guard lock(m_mutex);
    if (m_isClosed || !isAlive(*interpreter))
        return;
    m_kept.push_back({session, language, std::move(interpreter)});
    if (m_kept.size() > most) {
        oldest = std::move(m_kept.front().interpreter);
        m_kept.pop_front();
    }
}

QStringList Interpreters::languages(const QString &session)
{
    QStringList languages;
    std::lock_guard lock(m_mutex);
    for (const Kept &kept : m_kept) {
        if (kept.session == session && isAlive(*kept.interpreter))
            languages.append(kept.language);
    }
    return languages;
}

void Interpreters::end(const QString &session, const QString &language)
{
    std::list<Kept> ended; // without the lock
    std::lock_guard lock(m_mutex);
    for (auto kept = m_kept.begin(); kept != m_kept.end();) {
        const auto next = std::next(kept);
        if (kept->session == session && (language.isEmpty() || kept->language == language))
            ended.splice(ended.end(), m_kept, kept);
        kept = next;
    }
}

void Interpreters::close()
{
    std::list<Kept> ended;
    std::lock_guard lock(m_mutex);
    m_isClosed = true;
    ended.swap(m_kept);
}

Result<std::shared_ptr<Interpreter>> interpreterFor(const SoundRequest &request, Interpreters &interpreters,
                                                    const SandboxShape &shape, Assignment assignment, LiveRun &run,
                                                    const std::stop_token &stop)
{
    auto taken = interpreters.take(request->session, request.language().id(), shape);
    if (taken.interpreter && taken.interpreter->process->pause()) // it still is, or has ended
        return taken.interpreter;
    taken.interpreter.reset(); // one that doesn't stand still is gone before another is there
    assignment.wall = interpreterWall;
    auto interpreter = std::make_shared<Interpreter>();
    interpreter->shape = shape;
    ASSIGN_OR_RETURN(interpreter->process, request.backend().launch(shape, assignment, stop));
    run.addEvent({EventType::InterpreterStarted, whyNew(taken.hadOther)});
    return interpreter;
}

} // namespace glovebox
