// SPDX-License-Identifier: Apache-2.0
// Whether text that a person types line by line is a whole cell. By brackets, strings and beginnings of statements: the interpreter that
// gets the cell isn't asked, as it runs nothing between two cells.
#pragma once

#include <QByteArrayView>

namespace glovebox {

enum class CellText {
    Whole, // also when it has a mistake, which the interpreter tells
    MayGoOn, // an empty line ends it
    Open, // in brackets, a string or a comment: even an empty line is part of it
};

CellText pythonCellText(QByteArrayView text);
CellText nodeCellText(QByteArrayView text);

} // namespace glovebox
