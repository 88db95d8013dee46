// SPDX-License-Identifier: Apache-2.0
// How well a run was sealed, in a few words; a click shows each control.
#pragma once

#include "app/workbench/runpanel/shownrun.h"
#include "app/workbench/shell/theme.h"

#include <QPointer>
#include <QToolButton>

namespace glovebox {

// Hidden as long as nothing was read back: what isn't known isn't claimed.
class SealBadge : public QToolButton
{
    Q_OBJECT
public:
    SealBadge(Theme &theme, QWidget *parent = nullptr);

    void setRun(const ShownRun *run); // null: none. Called again when it changes.

Q_SIGNALS:
    void detailsWanted(); // the whole table

private:
    void openDetails();

    Theme &m_theme;
    QList<Control> m_controls;
};

// One line of the badge's sheet; the namespaces are one line together.
struct ControlLine
{
    QString name;
    Control::State state = Control::State::Verified; // the worst in it
    QString fact;

    bool operator==(const ControlLine &) const = default;
};
QList<ControlLine> controlLines(const QList<Control> &controls);

} // namespace glovebox
