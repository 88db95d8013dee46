// SPDX-License-Identifier: Apache-2.0
// The native backend with options: for tests and benchmarks, which also want it as other machines would have it.
#pragma once

#include "engine/sandbox/sandbox.h"

namespace glovebox {

// Who makes the namespaces and mounts of the native sandbox; everything else is the same.
enum class NativeBuilder {
    Direct, // Glovebox's launcher itself
    Bubblewrap, // the system's bwrap, for machines that let only it make user namespaces
};

struct NativeOptions
{
    // The one that is used, or nothing runs. Otherwise the first that passes a full sealed trial: direct, then bwrap.
    std::optional<NativeBuilder> only;
    bool ahead = true; // the launcher has ready what a launch needs before it knows its run
    bool leaves = true; // cgroups count what a run uses; false: as on a machine that lets nobody make any
    QString bubblewrap = QStringLiteral("/usr/bin/bwrap"); // must be root's, and neither writable by others nor setuid
};

// libexec is the folder of glovebox-spawner.
std::unique_ptr<Backend> makeNativeBackend(const QString &libexec, const QString &engineId, NativeOptions options = {});

} // namespace glovebox
