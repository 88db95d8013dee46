// SPDX-License-Identifier: Apache-2.0
// The sessions, a row of two lines each.
#pragma once

#include "sessionstock.h"

#include "app/workbench/shell/look/tablemodel.h"

namespace glovebox {

class SessionsModel : public TableModel<ShownSession>
{
    Q_OBJECT
public:
    enum Column { Name, Disk, LastUse };
    enum Role {
        SecondLine = Qt::UserRole, // QString
        SecondColour, // Colour
        Share, // of the disk, 0 to 1; only of the column Disk
        ShareColour, // Colour
    };

    explicit SessionsModel(const Theme &theme);

    void setSessions(const QList<ShownSession> &sessions);
    int rowOf(const QString &id) const; // -1: there is none

protected:
    QVariant cell(const ShownSession &shown, int column, int role) const override;

private:
    QString first(const ShownSession &shown, int column) const;
    QString second(const ShownSession &shown, int column) const;
};

// "80 MB of 1 GB", "▲ Full: 256 MB"
QString diskPhrase(const ShownSession &shown);
// "A run by Codex has used the session since 14:08."; empty: none does.
QString usePhrase(const ShownSession &shown);

} // namespace glovebox
