// SPDX-License-Identifier: Apache-2.0
// Which packages are to be installed: a field for each language, with what speaks against them.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/packages/packages.h"

#include <QScrollArea>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace glovebox {

struct WantedPackages
{
    QString language;
    QList<Requirement> requirements;

    bool operator==(const WantedPackages &) const = default;
};

class InstallForm : public QScrollArea
{
    Q_OBJECT
public:
    explicit InstallForm(Theme &theme, QWidget *parent = nullptr);

    // With these names in the field of the language, which gets the focus; both empty: as it was left.
    void begin(const QString &language, const QString &names);
    void clear();
    void say(const QString &sentence); // below the fields; empty: nothing

Q_SIGNALS:
    void wanted(const QList<glovebox::WantedPackages> &packages);
    void dismissed();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Field
    {
        QString language;
        QLineEdit *edit;
    };
    void install();
    void doubt(const QStringList &doubts);

    Theme &m_theme;
    QBoxLayout *m_columns; // of a field with its title each
    QList<Field> m_fields;
    QLabel *m_trouble;
    QPushButton *m_install = nullptr;
    QStringList m_told; // doubts, that the person has read
};

} // namespace glovebox
