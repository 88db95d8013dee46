// SPDX-License-Identifier: Apache-2.0
#include "called.h"

namespace glovebox {

using namespace Qt::StringLiterals;

Entry toEntry(const CalledEntry &called)
{
    return {.kind = toString(EntryKind::ToolCalled),
            .run = called.run,
            .fields = QJsonObject{{u"tool"_s, called.tool},
                                  {u"sha256"_s, QString::fromLatin1(called.digest.toHex())},
                                  {u"bytes"_s, called.bytes}}};
}

} // namespace glovebox
