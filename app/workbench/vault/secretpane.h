// SPDX-License-Identifier: Apache-2.0
// One secret: what is known of it, its value while a button is held, and what can be done with it.
#pragma once

#include "secretsmodel.h"

#include <QTimer>
#include <QWidget>

class QBoxLayout;
class QLabel;
class QPushButton;

namespace glovebox {

class SecretPane : public QWidget
{
    Q_OBJECT
public:
    explicit SecretPane(Theme &theme, QWidget *parent = nullptr);

    void setSecret(const ShownSecret &secret);
    QString name() const { return m_name; }
    // The answer to revealWanted(); shown only if the button is held still.
    void reveal(const QString &name, const SecretValue &value);
    void say(const QString &sentence);
    void hideValue(); // whoever held the button: the window went, the screen was locked

Q_SIGNALS:
    void revealWanted(const QString &name);
    void copyWanted(const QString &name);
    void changeWanted(const QString &name);
    void removeWanted(const QString &name); // asked, and said yes
    void runsWanted(const QString &name);
    void dismissed();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void ask(bool asking);

    Theme &m_theme;
    QString m_name;
    QLabel *m_title;
    QLabel *m_facts;
    QLabel *m_value;
    QPushButton *m_show;
    QLabel *m_remark;
    QLabel *m_question;
    QWidget *m_usual; // the buttons
    QWidget *m_answers; // to the question
    QTimer m_longest; // nobody holds a button for so long: something is on the key
};

} // namespace glovebox
