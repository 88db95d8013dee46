// SPDX-License-Identifier: Apache-2.0
#include "setuperror.h"

#include "remedies.h"

#include "engine/launcher/protocol.h"

#include <cerrno>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

bool isNamespaceRefusal(const std::string &stage, int error)
{
    return (stage == "clone3" // ENOSYS: the filters of containers and of systemd's RestrictNamespaces=
            && (error == EPERM || error == ENOSPC || error == EACCES || error == EINVAL || error == EUSERS
                || error == ENOSYS))
           // Ubuntu 24.04 lets the clone succeed and takes the capabilities away.
           || ((stage == "identity" || stage == "loopback" || stage == "mount-namespace" || stage == "hostname")
               && (error == EPERM || error == EACCES));
}

} // namespace

Error explainSetupError(const std::string &message)
{
    Reader in(message);
    Message kind{};
    std::string stage;
    int error = 0;
    std::string subject;
    in.get(kind);
    in.get(stage);
    in.get(error);
    in.get(subject);
    const Text detail("%1 %2: %3", {QString::fromStdString(stage), QString::fromStdString(subject),
                                    error ? errnoText(error) : QStringLiteral("refused")});
    if (stage.starts_with("bwrap"))
        return explainBubblewrap(stage, subject, detail);
    if (isNamespaceRefusal(stage, error))
        return {ErrorCode::Unsupported,
                Text(QT_TRANSLATE_NOOP(
                         "engine", "This machine doesn't let Glovebox make user namespaces, so nothing was run. %1"),
                     {userNamespaceRemedy().english()}),
                detail};
    if (stage == "fsmount" && subject == "proc")
        return {ErrorCode::Unsupported,
                Text(QT_TRANSLATE_NOOP(
                    "engine", "This machine hides a part of /proc (a container does), so a run can't have its own and "
                              "nothing was run. Run Glovebox outside of the container.")),
                detail};
    if (stage == "exec")
        return {ErrorCode::Unavailable,
                Text(QT_TRANSLATE_NOOP("engine", "%1 could not be started inside the sandbox: %2. Nothing was run."),
                     {QString::fromStdString(subject), errnoText(error)}),
                detail};
    if (stage == "fork")
        return {
            ErrorCode::Unavailable,
            Text(QT_TRANSLATE_NOOP("engine", "The limit on processes is too low to start anything. Nothing was run.")),
            detail};
    if (stage == "file" && (error == ENOSPC || error == EFBIG))
        return {ErrorCode::Full,
                Text(QT_TRANSLATE_NOOP("engine",
                                       "The code and its files don't fit into the run's disk limit. Nothing was run.")),
                detail};
    if (stage == "too-many-runs" || error == EAGAIN || error == EMFILE || error == ENFILE)
        return {ErrorCode::Busy, Text(QT_TRANSLATE_NOOP("engine", "Too much is running at once. Try again later.")),
                detail};
    if (stage == "granted-read" || stage == "granted-write" || (stage == "open_tree" && error == EACCES))
        return {ErrorCode::PermissionDenied,
                stage == "granted-write"
                    ? Text(QT_TRANSLATE_NOOP("engine",
                                             "The user that runs belong to may not write to %1. Nothing was run; give "
                                             "everybody the right to, or show a copy with \":stage\"."),
                           {QString::fromStdString(subject)})
                    : Text(QT_TRANSLATE_NOOP("engine",
                                             "The user that runs belong to may not read %1. Nothing was run; give "
                                             "everybody the right to read it and to pass the folders above it."),
                           {QString::fromStdString(subject)}),
                detail};
    if (stage == "identity-changed")
        return {ErrorCode::Unavailable,
                Text(QT_TRANSLATE_NOOP("engine",
                                       "%1 was replaced while the sandbox was built. Nothing was run; try again."),
                     {QString::fromStdString(subject)}),
                detail};
    return {
        ErrorCode::Unavailable,
        Text(QT_TRANSLATE_NOOP("engine", "The sandbox could not be built (%1). Nothing was run. See glovebox doctor."),
             {detail.english()}),
        detail};
}

} // namespace glovebox::native
