// SPDX-License-Identifier: Apache-2.0
// Judges what init read back: which controls a run has, and whether that is enough.
#pragma once

#include "engine/launcher/protocol.h"
#include "engine/sandbox/sandbox.h"

#include <vector>

namespace glovebox::native {

// What init read back inside and the spawner outside. A control that both speak of is as good as the worse says.
std::vector<launcher::Finding> merged(std::vector<launcher::Finding> inside,
                                      const std::vector<launcher::Finding> &outside);
QList<Control> controlsFrom(const std::vector<launcher::Finding> &findings, const SandboxShape &shape,
                            const Assignment &assignment);
// Unavailable, with the first control that the policy demands and that isn't there. At the default level some may be degraded
// (DESIGN: levels); under policy.strict none.
Status requireControls(const QList<Control> &controls, bool strict);

} // namespace glovebox::native
