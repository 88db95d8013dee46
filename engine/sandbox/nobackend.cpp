// SPDX-License-Identifier: Apache-2.0
// For platforms without a native backend: nothing runs there, and the engine says so. The log can still be read.
#include "sandbox.h"

namespace glovebox {
namespace {

class AbsentBackend : public Backend
{
public:
    QString name() const override { return QStringLiteral("native"); }
    QString builder() const override { return {}; }
    void prepare(Use) override { }
    Result<std::unique_ptr<SealedProcess>> launch(const SandboxShape &, const Assignment &, std::stop_token) override
    {
        return fail(ErrorCode::Unsupported, probe().reason);
    }
    BackendReport probe() override
    {
        BackendReport report;
        report.backend = name();
        report.reason =
            Text(QT_TRANSLATE_NOOP("engine", "Glovebox has no sandbox for this operating system. Use it on Linux."));
        return report;
    }
    void shutdown() override { }
};

} // namespace

std::unique_ptr<Backend> makePlatformBackend(const QString &, const QString &)
{
    return std::make_unique<AbsentBackend>();
}

std::optional<HostIdentity> runIdentity()
{
    return std::nullopt;
}

Result<OpenedFolder> openFolder(const FolderGrant &grant, const OwnFolders &)
{
    return fail(ErrorCode::Unsupported,
                QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run on this operating system."), {grant.hostPath});
}

} // namespace glovebox
