// SPDX-License-Identifier: Apache-2.0
// One row of the output view: a part of a line.
#pragma once

#include "outputview.h"

namespace glovebox {

struct OutputView::RowView
{
    const OutputLine *line = nullptr; // null: there is no such row
    qint64 number = 0;
    int start = 0; // characters
    int end = 0;
};

} // namespace glovebox
