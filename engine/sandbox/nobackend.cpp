// SPDX-License-Identifier: Apache-2.0
// For platforms without a native backend: nothing runs there, and the engine says so.
#include "sandbox.h"

namespace glovebox {

std::unique_ptr<Backend> makeNativeBackend(const QString &, const QString &, NativeOptions)
{
    return nullptr;
}

std::optional<HostIdentity> runIdentity()
{
    return std::nullopt;
}

Result<OpenedFolder> openFolder(const FolderGrant &grant, const OwnFolders &)
{
    return fail(
        ErrorCode::Unsupported,
        Text(QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run on this operating system."), {grant.hostPath}));
}

} // namespace glovebox
