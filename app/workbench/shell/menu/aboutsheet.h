// SPDX-License-Identifier: Apache-2.0
// What this program is, in which version, and where it keeps things: what a report of a problem needs.
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
