// SPDX-License-Identifier: Apache-2.0
#include "remedies.h"

#include <unistd.h>

#include <cerrno>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

bool isNamespaceRefusal(Stage stage, int error)
{
    switch (stage) {
    case Stage::Clone: // ENOSYS: the filters of containers and of systemd's RestrictNamespaces=
        return error == EPERM || error == ENOSPC || error == EACCES || error == EINVAL || error == EUSERS
               || error == ENOSYS;
    case Stage::Identity: // Ubuntu 24.04 lets the clone succeed and takes the capabilities away.
    case Stage::Loopback:
    case Stage::MountNamespace:
    case Stage::HostName:
        return error == EPERM || error == EACCES;
    default:
        return false;
    }
}

} // namespace

Error explainSetupError(const SetupError &failure)
{
    const Stage stage = failure.stage;
    const int error = failure.error;
    const QString subject = QString::fromStdString(failure.subject);
    const Text detail("%1 %2: %3", {toString(stage), subject, error ? errnoText(error) : QStringLiteral("refused")});
    if (stage >= Stage::BubblewrapMissing)
        return explainBubblewrap(failure, detail);
    const auto because = [&](ErrorCode code, const char *sentence, QStringList args = {}) {
        return Error{code, Text(sentence, std::move(args)), detail};
    };
    if (isNamespaceRefusal(stage, error))
        return {ErrorCode::Unsupported,
                Text(QT_TRANSLATE_NOOP(
                         "engine", "This machine doesn't let Glovebox make user namespaces, so nothing was run. %1"),
                     {userNamespaceRemedy().english()}),
                detail, true};
    if (stage == Stage::Procfs)
        return because(ErrorCode::Unsupported,
                       QT_TRANSLATE_NOOP("engine",
                                         "Nothing was run, as this machine hides a part of /proc (a container does), "
                                         "which a run needs. Run Glovebox outside of the container."));
    if (stage == Stage::Exec)
        return because(ErrorCode::Unavailable,
                       QT_TRANSLATE_NOOP("engine", "%1 could not be started inside the sandbox: %2. Nothing was run."),
                       {subject, errnoText(error)});
    if (stage == Stage::Fork)
        return because(ErrorCode::Unavailable,
                       QT_TRANSLATE_NOOP("engine",
                                         "The limit on processes is too low to start anything. Nothing was run. "
                                         "Raise the limit (ulimit -u), or end other programs."));
    if (stage == Stage::File && (error == ENOSPC || error == EFBIG))
        return because(ErrorCode::Full,
                       QT_TRANSLATE_NOOP(
                           "engine", "The code and its files don't fit into the run's disk limit. Nothing was run."));
    // F_DUPFD above the limit is EINVAL, fcntl(2).
    if (error == EMFILE || (stage == Stage::Descriptors && error == EINVAL))
        return because(ErrorCode::Busy,
                       QT_TRANSLATE_NOOP("engine",
                                         "Glovebox may not open enough files for another run. Nothing was run; "
                                         "try again when fewer runs go on, or raise the limit (ulimit -n)."));
    if (stage == Stage::TooManyRuns || error == EAGAIN || error == ENFILE)
        return because(ErrorCode::Busy, QT_TRANSLATE_NOOP("engine", "Too much is running at once. Try again later."));
    const bool areOwn = ::geteuid() != 0; // runs belong to the person
    if (stage == Stage::GrantedWrite && areOwn)
        return because(ErrorCode::PermissionDenied,
                       QT_TRANSLATE_NOOP(
                           "engine", "You may not write to %1, so no run may. Nothing was run. Show it read-only, or "
                                     "with :stage as a copy."),
                       {subject});
    if (stage == Stage::GrantedWrite)
        return because(ErrorCode::PermissionDenied,
                       QT_TRANSLATE_NOOP("engine",
                                         "Runs belong to another user, who may not write to %1. Nothing was run. With "
                                         ":stage the run writes to a copy, and its changes wait for you."),
                       {subject});
    const bool isUnreadable = stage == Stage::GrantedRead || (stage == Stage::OpenTree && error == EACCES);
    if (isUnreadable && areOwn)
        return because(ErrorCode::PermissionDenied,
                       QT_TRANSLATE_NOOP("engine", "You may not read %1, so no run may. Nothing was run. Name a folder "
                                                   "that you may read."),
                       {subject});
    if (isUnreadable)
        return because(ErrorCode::PermissionDenied,
                       QT_TRANSLATE_NOOP("engine",
                                         "Runs belong to another user, who may not read %1. Nothing was run. Copy the "
                                         "files that the code needs to a folder that others may read."),
                       {subject});
    if (stage == Stage::IdentityChanged)
        return because(
            ErrorCode::Unavailable,
            QT_TRANSLATE_NOOP("engine", "%1 was replaced while the sandbox was built. Nothing was run; try again."),
            {subject});
    if (stage == Stage::Standstill)
        return because(ErrorCode::Unavailable,
                       QT_TRANSLATE_NOOP("engine",
                                         "Earlier code ran on while no code was to run in the interpreter, so the "
                                         "interpreter was ended. Nothing was run; the next code gets a new one."));
    return because(ErrorCode::Unavailable,
                   QT_TRANSLATE_NOOP("engine", "The sandbox could not be built (%1). Nothing was run."),
                   {detail.english()});
}

} // namespace glovebox::native
