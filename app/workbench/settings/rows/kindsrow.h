// SPDX-License-Identifier: Apache-2.0
// The setting leaks.ignore: each kind of secret that code and output are searched for, to be ticked or not.
#pragma once

#include "settingrow.h"

#include <QStringList>

class QListWidget;

namespace glovebox {

class KindsRow : public SettingRow
{
    Q_OBJECT
public:
    KindsRow(Theme &theme, const QString &id, const QString &title, const QString &explanation, const QString &found,
             QWidget *parent);

    // ignored: ids of leakKinds(), with spaces between; others are kept as they are.
    void showIgnored(const QString &ignored, bool readOnly);

Q_SIGNALS:
    void chosen(const QString &ignored);

private:
    void take();

    QListWidget *m_list;
    QStringList m_unknown; // of a newer version, most likely
};

} // namespace glovebox
