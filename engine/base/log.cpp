// SPDX-License-Identifier: Apache-2.0
// Categories are silent below warnings unless QT_LOGGING_RULES asks for more.
#include "log.h"

namespace glovebox {

Q_LOGGING_CATEGORY(lcSandbox, "glovebox.sandbox", QtWarningMsg)
Q_LOGGING_CATEGORY(lcAudit, "glovebox.audit", QtWarningMsg)

} // namespace glovebox
