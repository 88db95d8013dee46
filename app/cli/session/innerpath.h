// SPDX-License-Identifier: Apache-2.0
// Paths in a session, as people write them.
#pragma once

#include <QByteArray>

namespace glovebox {

// Relative to /work: "/work/a", "./a" and "a/" are "a"; "/work" and "." are empty.
inline QByteArray innerPath(QByteArray path)
{
    if (path == "/work" || path.startsWith("/work/"))
        path = path.sliced(5);
    while (path.startsWith("./") || path.startsWith('/'))
        path = path.sliced(path.startsWith('.') ? 2 : 1);
    while (path.endsWith('/') || path.endsWith("/."))
        path.chop(1);
    return path == "." ? QByteArray() : path;
}

} // namespace glovebox
