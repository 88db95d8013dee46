// SPDX-License-Identifier: Apache-2.0
#include "lentpackages.h"

#include <QFileInfo>

namespace glovebox {

const SessionPackages *sessionPackages(const SoundRequest &request, const Session *session)
{
    return session && request->packages.isEmpty() ? session->packagesOf(request.language().id()) : nullptr;
}

Result<std::optional<LentPackages>> lendPackages(const SoundRequest &request, const Session *session,
                                                 const Rooms &rooms, InterpreterCandidate &interpreter)
{
    const SessionPackages *const ofSession = sessionPackages(request, session);
    if (request->packages.isEmpty() && !ofSession)
        return std::nullopt;
    const auto lent = rooms.lendPackages(ofSession ? ofSession->id : request->packages);
    if (!lent && ofSession && lent.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "The packages of the session are no longer installed. To install the "
                                                "same ones again: glovebox session install %1"),
                    {session->shownName()});
    if (!lent)
        return std::unexpected(lent.error());
    if (lent->program != QFileInfo(interpreter.path).canonicalFilePath())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "These packages are installed for %1, and the run is to use %2."),
                    {lent->program, interpreter.path});
    interpreter = request.language().withPackages(interpreter, lent->folder);
    return *lent;
}

} // namespace glovebox
