// SPDX-License-Identifier: Apache-2.0
// Fills in sentences.
#include "text.h"

namespace glovebox {

// One pass over the pattern instead of QString::arg(): an argument may hold "%1" itself (a file name, code) and must come
// out as it is.
QString Text::fill(const QString &pattern) const
{
    QString filled;
    filled.reserve(pattern.size());
    for (qsizetype i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == u'%' && i + 1 < pattern.size()) {
            const qsizetype index = pattern[i + 1].unicode() - u'1';
            if (index >= 0 && index < 9 && index < args.size()) {
                filled += args[index];
                ++i;
                continue;
            }
        }
        filled += pattern[i];
    }
    return filled;
}

} // namespace glovebox
