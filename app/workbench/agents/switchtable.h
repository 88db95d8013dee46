// SPDX-License-Identifier: Apache-2.0
// What all agents may do: each tool, and each kind of thing beyond the usual, is on, asks or is off.
#pragma once

#include "app/workbench/shell/context.h"

#include <QWidget>

class QBoxLayout;
class QComboBox;
class QLabel;

namespace glovebox {

class SwitchTable : public QWidget
{
    Q_OBJECT
public:
    SwitchTable(WorkbenchContext &context, QWidget *parent);

    void show(); // as the settings are now

Q_SIGNALS:
    void chosen(const QString &key, const QString &value); // of the settings

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Row
    {
        QString key;
        QString name; // as in sentences
        bool isBeyond = false; // the usual
        QComboBox *choice;
    };
    QWidget *makePart(const QString &title, const QList<std::pair<QString, QString>> &names, bool isBeyond);

    WorkbenchContext &m_context;
    QList<Row> m_rows;
    QBoxLayout *m_columns;
    QLabel *m_open; // what every agent gets without a question
};

} // namespace glovebox
