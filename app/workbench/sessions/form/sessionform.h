// SPDX-License-Identifier: Apache-2.0
// The form of a new session, or of a fork.
#pragma once

#include "engine/sessions/sessions.h"

#include <QScrollArea>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace glovebox {

class SessionForm : public QScrollArea
{
    Q_OBJECT
public:
    explicit SessionForm(QWidget *parent = nullptr);

    // of: what is forked, from which snapshot (0: the newest); its disk, time and hosts are proposed. nullopt: a new one.
    void begin(const std::optional<Session> &of = {}, int number = 0);
    const std::optional<Session> &origin() const { return m_of; }
    int number() const { return m_number; }
    bool isTouched() const;
    void say(const QString &sentence); // below the fields; empty: nothing
    void setBusy(bool busy);

Q_SIGNALS:
    void wanted(const glovebox::NewSession &session);
    void dismissed(); // Escape, Cancel

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void create();

    std::optional<Session> m_of;
    int m_number = 0;
    QString m_proposedDisk;
    QString m_proposedHosts;
    QLabel *m_title;
    QLabel *m_remark;
    QLineEdit *m_name;
    QLineEdit *m_disk;
    QComboBox *m_keeps;
    QLineEdit *m_hosts;
    QLabel *m_trouble;
    QPushButton *m_create;
};

} // namespace glovebox
