// SPDX-License-Identifier: Apache-2.0
// How well a run was sealed, or why none can start, in a few words; a click shows the details.
#pragma once

#include "app/workbench/runpanel/shownrun.h"
#include "app/workbench/shell/theme.h"

#include "engine/readiness/readiness.h"

#include <QToolButton>

namespace glovebox {

// Hidden as long as nothing was read back: what isn't known isn't claimed.
class SealBadge : public QToolButton
{
    Q_OBJECT
public:
    SealBadge(Theme &theme, QWidget *parent = nullptr);

    // Null: none. Called again when one of them changes. What is in the way of the next run comes before how the last one was
    // sealed.
    void setRun(const ShownRun *run, const Part *obstacle);
    // Room for the usual words is kept while there are none: the sentence beside it doesn't jump.
    QSize sizeHint() const override;

Q_SIGNALS:
    void detailsWanted(); // the whole table
    void lookWanted(); // whether the obstacle is still there
    void doctorWanted();

private:
    void openDetails();
    void openObstacle();

    Theme &m_theme;
    QList<Control> m_controls;
    std::optional<Part> m_obstacle;
    bool m_waits = true; // for the usual words, or has them
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
