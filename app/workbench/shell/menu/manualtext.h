// SPDX-License-Identifier: Apache-2.0
// The pages of the manual for a window: mdoc(7), as far as resources/man uses it, as rich text.
#pragma once

#include <QString>
#include <QStringList>

namespace glovebox {

// "glovebox.1", "glovebox-run.1", ...: compiled in, so that each copy of the program has its own.
QStringList manualPages();

// With a link for each page that it names ("glovebox-run.1"). Empty: there is no such page.
QString manualPageAsHtml(const QString &name);
// Macros that aren't known are left as they are in the text.
QString mdocAsHtml(const QString &source);

} // namespace glovebox
