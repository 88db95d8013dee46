// SPDX-License-Identifier: Apache-2.0
#include "controlsmodel.h"

namespace glovebox {

using namespace Qt::StringLiterals;

ControlsModel::ControlsModel(const Theme &theme, QObject *parent)
    : QAbstractTableModel(parent)
    , m_theme(theme)
{
}

void ControlsModel::setControls(const QList<Control> &controls)
{
    beginResetModel();
    m_controls = controls;
    endResetModel();
}

int ControlsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_controls.size());
}

int ControlsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : columns;
}

QVariant ControlsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Control &control = m_controls[index.row()];
    const auto text = [&]() -> QString {
        switch (index.column()) {
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
    case Qt::ToolTipRole:
        return text();
    case Qt::DecorationRole:
        return index.column() == State ? QVariant(m_theme.icon(stateIcon(control.state), stateColour(control.state)))
                                       : QVariant();
    case Qt::ForegroundRole:
        if (index.column() == State)
            return m_theme.colour(stateColour(control.state));
        return m_theme.colour(index.column() == Name ? Colour::Text : Colour::Dim);
    default:
        return {};
    }
}

QVariant ControlsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Control");
    case State:
        return tr("State");
    case Found:
        return tr("What was found");
    case Requested:
        return tr("Asked for");
    default:
        return {};
    }
}

ControlCounts countControls(const QList<Control> &controls)
{
    ControlCounts counts;
    for (const Control &control : controls) {
        switch (control.state) {
        case Control::State::Verified:
            ++counts.verified;
            break;
        case Control::State::Enforced:
            ++counts.enforced;
            break;
        case Control::State::Degraded:
            ++counts.degraded;
            break;
        case Control::State::Missing:
            ++counts.missing;
            break;
        }
    }
    return counts;
}

} // namespace glovebox
