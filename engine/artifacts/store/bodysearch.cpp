// SPDX-License-Identifier: Apache-2.0
#include "bodysearch.h"

namespace glovebox {

Result<bool> isInBody(const ContentStore &store, const QByteArray &digest, const QString &text,
                      const std::function<bool()> &isWanted)
{
    // What stands across two pieces is found by the end of the one before. A letter may be longer in another case.
    const qsizetype overlap = 4 * text.toUtf8().size();
    QByteArray window;
    bool isFound = false, isCancelled = false;
    const Status passed = store.pass(digest, [&](QByteArrayView piece) -> Status {
        if (isWanted && !isWanted()) {
            isCancelled = true;
            return fail(ErrorCode::Cancelled, Text());
        }
        window.append(piece);
        isFound = QString::fromUtf8(window).contains(text, Qt::CaseInsensitive);
        window = window.last(std::min(window.size(), overlap));
        return isFound ? Status(fail(ErrorCode::Cancelled, Text())) : Status(); // the rest needs no look
    });
    if (isCancelled)
        return std::unexpected(passed.error());
    return isFound;
}

} // namespace glovebox
