// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <unistd.h>

namespace glovebox {

bool syncBelow(int folder)
{
    return ::syncfs(folder) == 0;
}

qint64 copyRange(int from, qint64 fromAt, int to, qint64 toAt, std::size_t most)
{
    loff_t in = fromAt, out = toAt;
    return ::copy_file_range(from, &in, to, &out, most, 0);
}

} // namespace glovebox
