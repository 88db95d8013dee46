// SPDX-License-Identifier: Apache-2.0
// All limits of a run at once: each a way to its editor, the way back to the defaults, and the person's own presets.
#pragma once

#include "app/workbench/bench/policy/editors/popover.h"
#include "app/workbench/shell/words/limitwords.h"

#include <QMap>

class QGridLayout;
class QLineEdit;

namespace glovebox {

using LimitPresets = QMap<QString, Limits>; // by name

class LimitSheet : public Popover
{
    Q_OBJECT
public:
    // Opens itself.
    LimitSheet(Theme &theme, QWidget *anchor, const Limits &limits, const Limits &usual, const LimitPresets &presets);

Q_SIGNALS:
    void limitWanted(glovebox::LimitKind kind); // its editor
    void chosen(const glovebox::Limits &limits);
    void presetKept(const QString &name); // of these limits
    void presetRemoved(const QString &name);

private:
    void addLimits(const Limits &limits, const Limits &usual);
    void addPresets(const LimitPresets &presets);
    void keep();

    Theme &m_theme;
    QLineEdit *m_name = nullptr;
};

// Those that have a word of their own in the sentence; the others belong to the network.
constexpr LimitKind limitWords[] = {LimitKind::Wall,      LimitKind::CpuTime, LimitKind::CpuShare, LimitKind::Memory,
                                    LimitKind::Processes, LimitKind::Output,  LimitKind::Disk};

} // namespace glovebox
