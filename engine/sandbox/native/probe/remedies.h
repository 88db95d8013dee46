// SPDX-License-Identifier: Apache-2.0
// What a person can do on this machine, with its distribution's own commands.
#pragma once

#include "engine/launcher/setuperror.h"
#include "engine/sandbox/native/native.h"

namespace glovebox::native {

// "sudo apt install bubblewrap" or as the distribution does it.
QString installCommand(const QString &package);
// The command that allows user namespaces where a setting of the kernel allows none; empty: no such setting is the reason.
Advice switchedOffRemedy();
// What this machine lacks for user namespaces, and the command that mends it.
Advice userNamespaceRemedy();
// The same for a builder that doesn't work; bubblewrap: the path of bwrap.
Advice builderRemedy(NativeBuilder builder, const QString &bubblewrap);
// For each control that is degraded or missing, or tells less than it could, where there is something to do.
QMap<ControlId, Advice> controlRemedies(const QList<Control> &controls, NativeBuilder builder);
// At which stage building a sandbox failed, as a sentence that says what to do.
Error explainSetupError(const launcher::SetupError &failure);
// Why bwrap can't be used: error is of a stage of its own (Stage::BubblewrapMissing and the like).
Error explainBubblewrap(const launcher::SetupError &error, const Text &detail);

} // namespace glovebox::native
