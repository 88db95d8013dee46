// SPDX-License-Identifier: Apache-2.0
#include "controlsmodel.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

ControlsModel::ControlsModel(const Theme &theme)
    : TableModel(theme, {tr("Control"), tr("State"), tr("Finding"), tr("Asked for")})
{
}

QVariant ControlsModel::cell(const Control &control, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case Name:
            return controlName(control.id);
        case State:
            return stateWord(control.state);
        case Found:
            // A namespace says it by being another one than the host's.
            if (const QString found = translated(control.detail);
                !found.isEmpty() || control.state != Control::State::Verified || !isNamespace(control.id))
                return found;
            return tr("not the host's");
        case Requested:
            return control.requested;
        default:
            return {};
        }
    };
    switch (role) {
    case Qt::DisplayRole:
        return text();
    case Qt::DecorationRole:
        return column == State ? QVariant(m_theme.icon(stateIcon(control.state), stateColour(control.state)))
                               : QVariant();
    case Qt::ForegroundRole:
        if (column == State)
            return m_theme.colour(stateColour(control.state));
        return m_theme.colour(column == Name ? Colour::Text : Colour::Dim);
    default:
        return {};
    }
}

ControlCounts countControls(const QList<Control> &controls)
{
    const auto count = [&](Control::State state) { return int(std::ranges::count(controls, state, &Control::state)); };
    return {count(Control::State::Verified), count(Control::State::Enforced), count(Control::State::Degraded),
            count(Control::State::Missing)};
}

} // namespace glovebox
