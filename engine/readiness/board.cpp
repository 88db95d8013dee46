// SPDX-License-Identifier: Apache-2.0
// Looks at the parts, and tells whoever is subscribed.
#include "readiness.h"

#include <algorithm>
#include <system_error>

namespace glovebox {

namespace {

Part partOf(const BackendReport &report)
{
    if (!report.usable)
        return {Part::State::Blocked,
                {ErrorCode::Unavailable, report.reason, {}, report.isRemedyInReason},
                report.isRemedyInReason ? Text() : Text(report.remedy)};
    const QStringList weak = idsOf(weakControls(report));
    if (weak.isEmpty())
        return {Part::State::Ready, {}, {}};
    return {Part::State::Degraded,
            {ErrorCode::Unavailable,
             Text(QT_TRANSLATE_NOOP("engine", "Weaker than asked for on this machine: %1."),
                  {weak.join(QStringLiteral(", "))}),
             {}},
            {}};
}

Part partOf(std::optional<Error> unrecorded)
{
    return unrecorded ? Part{Part::State::Blocked, *std::move(unrecorded), {}} : Part{Part::State::Ready, {}, {}};
}

Part partOf(const Policy &policy, const BackendReport &sandbox)
{
    if (const Status sound = validate(policy); !sound)
        return {Part::State::Blocked, sound.error(), {}};
    const QStringList weak = idsOf(weakControls(sandbox));
    if (!policy.strict || weak.isEmpty())
        return {Part::State::Ready, {}, {}};
    return {Part::State::Blocked,
            {ErrorCode::Unavailable,
             Text(QT_TRANSLATE_NOOP("engine", "The policy is strict, and this machine can't fully enforce: %1."),
                  {weak.join(QStringLiteral(", "))}),
             {}},
            {}};
}

LanguageReadiness readinessOf(const Language &language, const Languages &languages)
{
    LanguageReadiness found{.id = language.id(),
                            .name = language.name(),
                            .package = language.package(),
                            .part = {},
                            .candidates = languages.candidates(language)};
    const auto interpreter = languages.find(language);
    if (std::ranges::any_of(found.candidates, &InterpreterCandidate::usable))
        found.part.state = Part::State::Ready;
    else if (!interpreter)
        found.part = {Part::State::Blocked, interpreter.error(), {}};
    else if (!found.candidates.isEmpty()) // it is there, but tells no version
        found.part = {Part::State::Degraded, {ErrorCode::Unavailable, found.candidates.first().reason, {}}, {}};
    return found;
}

} // namespace

ReadinessBoard::ReadinessBoard(const Backends &backends, const Languages &languages, const Settings &settings,
                               std::function<std::optional<Error>()> whyUnrecorded)
    : m_backends(backends)
    , m_languages(languages)
    , m_settings(settings)
    , m_whyUnrecorded(std::move(whyUnrecorded))
{
    m_current.record = partOf(m_whyUnrecorded());
}

ReadinessBoard::~ReadinessBoard()
{
    close();
}

Readiness ReadinessBoard::current() const
{
    const std::scoped_lock lock(m_mutex);
    m_armed = true;
    return m_current;
}

Readiness ReadinessBoard::lookAt() const
{
    Readiness found;
    found.record = partOf(m_whyUnrecorded());
    const Policy policy = m_settings.policy();
    if (const auto backend = m_backends.of(policy.backend)) {
        found.sandbox = (*backend)->probe();
        found.builders = (*backend)->probeBuilders();
    } else {
        found.sandbox.backend = policy.backend;
        found.sandbox.reason = backend.error().message;
    }
    found.backend = partOf(found.sandbox);
    found.policy = partOf(policy, found.sandbox);
    for (const auto &language : Languages::all())
        found.languages.append(readinessOf(*language, m_languages));
    return found;
}

Readiness ReadinessBoard::look()
{
    std::unique_lock lock(m_mutex);
    const quint64 ticket = ++m_tickets;
    Readiness before = m_current;
    before.isLooking = true;
    lock.unlock();
    publish(ticket, before);
    Readiness found = lookAt();
    publish(ticket, found);
    return found;
}

void ReadinessBoard::publish(quint64 ticket, const Readiness &found)
{
    std::unique_lock lock(m_mutex);
    if (m_closed || ticket < m_published)
        return;
    m_published = ticket;
    m_current = found;
    const bool calls = std::exchange(m_armed, false);
    lock.unlock();
    if (calls)
        callWake();
}

void ReadinessBoard::lookAgain()
{
    const std::scoped_lock lock(m_mutex);
    if (m_closed || !m_isSubscribed)
        return;
    m_isWanted = true;
    if (std::exchange(m_hasThread, true))
        return;
    try {
        m_looker = std::jthread([this] { // one that ended is joined first, and needs no lock any more
            blockSignals();
            std::unique_lock waiting(m_mutex);
            while (std::exchange(m_isWanted, false) && !m_closed) {
                waiting.unlock();
                look();
                waiting.lock();
            }
            m_hasThread = false;
        });
    } catch (const std::system_error &) {
        m_hasThread = false; // no more threads: the next one who asks may be luckier
    }
}

void ReadinessBoard::callWake() const
{
    const std::scoped_lock lock(m_wakeMutex);
    if (m_wake)
        m_wake();
}

void ReadinessBoard::onChange(std::function<void()> wake)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isSubscribed = bool(wake);
        m_armed = false;
    }
    {
        const std::scoped_lock lock(m_wakeMutex);
        m_wake = std::move(wake);
    }
    callWake();
}

void ReadinessBoard::close()
{
    const std::scoped_lock lock(m_mutex);
    m_closed = true;
}

} // namespace glovebox
