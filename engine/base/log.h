// SPDX-License-Identifier: Apache-2.0
// Diagnostics for whoever mends Glovebox. Never code, output, arguments or secret values of a run.
#pragma once

#include <QLoggingCategory>

namespace glovebox {

Q_DECLARE_LOGGING_CATEGORY(lcSandbox) // glovebox.sandbox
Q_DECLARE_LOGGING_CATEGORY(lcAudit) // glovebox.audit

} // namespace glovebox
