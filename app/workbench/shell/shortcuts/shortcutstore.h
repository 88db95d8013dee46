// SPDX-License-Identifier: Apache-2.0
// Keeps the person's own keys in the settings file, and the registry of actions as that file says.
#pragma once

#include "app/workbench/shell/context.h"

#include <QObject>

namespace glovebox {

// Lives on the GUI thread; the file is written in the background, one change after the other.
class ShortcutStore : public QObject
{
    Q_OBJECT
public:
    ShortcutStore(WorkbenchContext &context, QObject *parent);

    // False as long as the engine isn't open, and where the environment says which keys there are.
    bool canSet() const;
    // In force at once; where the file can't be written, the keys are as before, and a note says so.
    void set(const ShortcutChanges &changes);

private:
    void take();
    void write();

    WorkbenchContext &m_context;
    ShortcutChanges m_wanted;
    bool m_isWriting = false;
};

} // namespace glovebox
