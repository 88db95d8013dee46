// SPDX-License-Identifier: Apache-2.0
// Without Qt's D-Bus there is no portal to ask: the palette of the desktop decides.
#include "portal.h"

namespace glovebox {

Portal::Portal(QObject *parent)
    : QObject(parent)
{
}

Portal::~Portal() = default;

void Portal::start() { }

void Portal::take(const QString &space, const QString &key, const QVariant &value)
{
    Q_UNUSED(space)
    Q_UNUSED(key)
    Q_UNUSED(value)
}

} // namespace glovebox
