// SPDX-License-Identifier: Apache-2.0
// What of the record is shown: text in code or output, how a run ended, its language, who asked for it, on which days, and, when
// somebody came from there, the secret it was lent or the agent that asked. Runs that get packages are shown on demand.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/engine.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace glovebox {

class DayField;

class FilterBar : public QWidget
{
    Q_OBJECT
public:
    FilterBar(Theme &theme, QWidget *parent = nullptr);

    RunFilter filter() const;
    void showAll(const QString &secret = {}); // or all that asked for this secret
    void showCaller(Caller::Kind kind); // and nothing else is asked for
    // All runs of one agent: by its pairing, else by its program. name: for the person.
    void showAgent(const QString &pairing, const QString &program, const QString &name);
    // How many runs that get packages the other filters let through; nothing is offered where there are none.
    void setFolded(int runs);
    void unfold(); // these are shown, too
    void lookAtDay(); // "today" is another day after midnight
    void addLanguage(const QString &id, const QString &name); // to choose from; one that is known already stays

    void focusText();

Q_SIGNALS:
    void changed(); // some time after the last key
    void left(); // Escape or Down: on to the list

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *) override { arrange(); }
    void changeEvent(QEvent *event) override;

private:
    QComboBox *makeChoice(const QString &name, const QString &title, const QString &all);
    void sayFolded();
    void forgetAgent();
    void arrange();
    void tell();

    Theme &m_theme;
    QGridLayout *m_layout;
    QLineEdit *m_text;
    QComboBox *m_outcome;
    QComboBox *m_language;
    QComboBox *m_caller;
    DayField *m_day;
    QLabel *m_mistake; // of the day
    QCheckBox *m_packages;
    int m_folded = 0;
    QPushButton *m_origin; // of the secret or the agent; takes itself off
    QPushButton *m_clear;
    QTimer m_pause;
    QString m_secretName;
    QString m_pairing, m_program, m_agentName;
    RunFilter m_told;
};

} // namespace glovebox
