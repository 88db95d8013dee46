// SPDX-License-Identifier: Apache-2.0
// The program's name, its version and its places: facts that a report of a problem needs.
#pragma once

#include "app/workbench/shell/context.h"

#include <QDialog>

namespace glovebox {

class AboutSheet : public QDialog
{
    Q_OBJECT
public:
    AboutSheet(WorkbenchContext &context, QWidget *parent);
};

} // namespace glovebox
