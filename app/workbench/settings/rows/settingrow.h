// SPDX-License-Identifier: Apache-2.0
// One setting on the page: its name and what it means, the field to change it, where its value comes from, the way back.
#pragma once

#include "app/workbench/shell/theme.h"

#include <QWidget>

class QBoxLayout;
class QLabel;
class QPushButton;

namespace glovebox {

class SettingRow : public QWidget
{
    Q_OBJECT
public:
    // id: "run.memory-mb"; the field's object name is "settings." + id. found: words that the search finds it by, besides.
    SettingRow(Theme &theme, const QString &id, const QString &title, const QString &explanation, const QString &found,
               QWidget *parent);

    void showOrigin(const QString &sentence, bool canReset);
    void showError(const QString &sentence); // empty: there is none
    // Each word is in its name, its explanation, what it is found by, or the name of its section.
    bool matches(const QStringList &words, const QString &section) const;

Q_SIGNALS:
    void resetWanted();

protected:
    void setField(QWidget *field); // once, by the constructor
    void resizeEvent(QResizeEvent *event) override;

private:
    void describe();

    Theme &m_theme;
    QString m_id;
    QString m_title;
    QString m_explanation;
    QString m_found;
    QWidget *m_field = nullptr;
    QBoxLayout *m_columns;
    QBoxLayout *m_side;
    QLabel *m_origin;
    QLabel *m_error;
    QPushButton *m_reset;
};

} // namespace glovebox
