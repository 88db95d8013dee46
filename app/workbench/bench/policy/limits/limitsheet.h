// SPDX-License-Identifier: Apache-2.0
// All limits of a run at once: each a way to its editor, the way back to the defaults, and the person's profiles.
#pragma once

#include "app/workbench/bench/policy/editors/popover.h"
#include "app/workbench/shell/words/limitwords.h"

#include "engine/settings/settings.h"

class QGridLayout;
class QLineEdit;

namespace glovebox {

class LimitSheet : public Popover
{
    Q_OBJECT
public:
    // Opens itself. profiles: as they were read; an error is shown in their place.
    LimitSheet(Theme &theme, QWidget *anchor, const Limits &limits, const Limits &usual, bool isStricter,
               const Result<QList<Profile>> &profiles);

Q_SIGNALS:
    void limitWanted(glovebox::LimitKind kind); // its editor
    void chosen(const glovebox::Limits &limits);
    void profileChosen(const glovebox::Profile &profile);
    void profileKept(const QString &name); // of these limits
    void profileRemoved(const QString &name);

private:
    void addLimits(const Limits &limits, const Limits &usual);
    void addProfiles(const QList<Profile> &profiles);
    void addProfile(const Profile &profile, int number);
    void addKeeping();
    void keep();

    Theme &m_theme;
    QLineEdit *m_name = nullptr;
};

// Those that have a word of their own in the sentence; the others belong to the network.
constexpr LimitKind limitWords[] = {LimitKind::Wall,      LimitKind::CpuTime, LimitKind::CpuShare, LimitKind::Memory,
                                    LimitKind::Processes, LimitKind::Output,  LimitKind::Disk};

} // namespace glovebox
