// SPDX-License-Identifier: Apache-2.0
// Without Qt's D-Bus the task bar alone tells that somebody waits.
#include "desktopnotice.h"

namespace glovebox {

DesktopNotice::DesktopNotice(QObject *parent)
    : QObject(parent)
{
}

DesktopNotice::~DesktopNotice() = default;

void DesktopNotice::show(const QString &title, const QString &text)
{
    Q_UNUSED(title)
    Q_UNUSED(text)
}

void DesktopNotice::withdraw() { }

} // namespace glovebox
