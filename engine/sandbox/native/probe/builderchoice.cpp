// SPDX-License-Identifier: Apache-2.0
#include "builderchoice.h"
#include "remedies.h"

#include <unistd.h>

namespace glovebox::native {

namespace {

// What another builder might do better; the rest is about this request or this moment.
bool isBuildersFault(const Error &error)
{
    return error.code == ErrorCode::Unsupported || error.code == ErrorCode::Unavailable;
}

Text together(const Text &direct, const Text &bubblewrap)
{
    if (direct == bubblewrap || bubblewrap.isEmpty())
        return direct;
    if (direct.isEmpty())
        return bubblewrap;
    return Text("%1 (%2)", {direct.english(), bubblewrap.english()}); // either may end with a command to copy
}

Text insideUserNamespace()
{
    if (::geteuid() == 0)
        return Text(QT_TRANSLATE_NOOP("engine",
                                      "Glovebox was started inside a user namespace, as root: in another sandbox, a "
                                      "container, or \"unshare -r\". The machine's users are hidden there "
                                      "(/proc/self/uid_map), and code can't always be sealed off. Start Glovebox "
                                      "outside of it. Inside, start Glovebox as another user, not as its root."));
    return Text(QT_TRANSLATE_NOOP("engine",
                                  "Glovebox was started inside a user namespace: another sandbox, a container, or "
                                  "\"unshare -U\". The machine's users are hidden there (/proc/self/uid_map), and code "
                                  "can't always be sealed off. Start Glovebox outside of it."));
}

} // namespace

std::optional<NativeBuilder> BuilderChoice::chosen() const
{
    const std::scoped_lock lock(m_mutex);
    return m_chosen;
}

void BuilderChoice::choose(NativeBuilder builder)
{
    const std::scoped_lock lock(m_mutex);
    if (!m_chosen)
        m_chosen = builder;
}

Result<std::unique_ptr<SealedProcess>> BuilderChoice::launch(const Launch &launchWith, const Probe &probeWith,
                                                             const std::stop_token &stop)
{
    if (const auto builder = chosen())
        return launchWith(*builder);
    const Turn::Held turn = m_choosing.take(stop);
    if (!turn)
        return fail(ErrorCode::Cancelled, Text(QT_TRANSLATE_NOOP("engine", "The run was stopped before it started.")));
    if (const auto builder = chosen())
        return launchWith(*builder);
    auto launched = launchWith(NativeBuilder::Direct);
    if (launched)
        choose(NativeBuilder::Direct);
    if (launched || !isBuildersFault(launched.error()))
        return launched;
    const BackendReport report = tryAll(probeWith);
    if (!report.usable)
        return fail(launched.error().code, report.reason, launched.error().detail);
    if (chosen() == NativeBuilder::Direct) // so it was this request
        return launched;
    return launchWith(NativeBuilder::Bubblewrap);
}

BackendReport BuilderChoice::probe(const Probe &probeWith)
{
    const auto builder = chosen();
    return builder ? probeWith(*builder) : tryAll(probeWith);
}

BackendReport BuilderChoice::tryAll(const Probe &probeWith)
{
    BackendReport direct = probeWith(NativeBuilder::Direct);
    if (direct.usable) {
        choose(NativeBuilder::Direct);
        return direct;
    }
    BackendReport bubblewrap = probeWith(NativeBuilder::Bubblewrap);
    if (bubblewrap.usable) {
        choose(NativeBuilder::Bubblewrap);
        return bubblewrap;
    }
    bubblewrap.builder.clear();
    // What each builder met in a user namespace is a consequence as a rule, and its remedy leads astray, but for that of a setting.
    const Advice switchedOff = switchedOffRemedy();
    if (isInUserNamespace() && (switchedOff.isEmpty() || direct.remedy != switchedOff)) {
        bubblewrap.reason = insideUserNamespace();
        bubblewrap.remedy = {};
        bubblewrap.isRemedyInReason = true;
        return bubblewrap;
    }
    bubblewrap.reason = together(direct.reason, bubblewrap.reason);
    bubblewrap.remedy = {together(direct.remedy, bubblewrap.remedy),
                         direct.remedy.command.isEmpty() ? bubblewrap.remedy.command : direct.remedy.command};
    bubblewrap.isRemedyInReason = direct.isRemedyInReason && bubblewrap.isRemedyInReason;
    return bubblewrap;
}

} // namespace glovebox::native
