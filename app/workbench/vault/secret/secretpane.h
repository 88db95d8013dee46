// SPDX-License-Identifier: Apache-2.0
// One secret: what is known of it, its value while a button is held, and what can be done with it.
#pragma once

#include "app/workbench/vault/list/secretsmodel.h"
#include "app/workbench/vault/pane.h"

class QLabel;
class QPushButton;

namespace glovebox {

class HoldToShow;

class SecretPane : public Pane
{
    Q_OBJECT
public:
    explicit SecretPane(Theme &theme, QWidget *parent = nullptr);

    void setSecret(const ShownSecret &secret);
    QString name() const { return m_name; }
    // The answer to revealWanted(); shown only if the button is held still.
    void reveal(const QString &name, const SecretValue &value);
    void say(const QString &sentence) { showText(m_remark, sentence); }
    void askToRemove();
    // Its value can't be removed now, for this reason: off the list it can be taken all the same.
    void askToForget(const QString &reason);

Q_SIGNALS:
    void revealWanted(const QString &name);
    void copyWanted(const QString &name);
    void changeWanted(const QString &name);
    void removeWanted(const QString &name); // asked, and said yes
    void forgetWanted(const QString &name); // the same
    void runsWanted(const QString &name);

protected:
    bool withdraw() override;

private:
    void ask(const QString &question, const QString &yes); // empty: nothing any more

    QString m_name;
    QLabel *m_title;
    QLabel *m_facts;
    QLabel *m_value;
    HoldToShow *m_show;
    QPushButton *m_runs;
    QLabel *m_remark;
    QLabel *m_question;
    QPushButton *m_yes;
    QPushButton *m_no;
    QWidget *m_usual; // the buttons
    QWidget *m_answers; // to the question
    bool m_gone = false; // what the remark says
    bool m_forgetting = false; // what the question is about
};

} // namespace glovebox
