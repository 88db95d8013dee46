// SPDX-License-Identifier: Apache-2.0
// A new secret, or changes to one: name, value, note and limits, checked before anything is written.
#pragma once

#include "app/workbench/vault/pane.h"

#include "engine/vault/vault.h"

#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;
class QThreadPool;

namespace glovebox {

class LimitsForm;
class ValueField;

class SecretForm : public Pane
{
    Q_OBJECT
public:
    struct Wanted
    {
        std::optional<SecretInfo> before; // as the person saw it; nullopt: it is new
        QString name;
        QString note;
        SecretLimits limits;
        std::shared_ptr<SecretValue> value; // null: stays
    };

    // pool: files are read there.
    SecretForm(QThreadPool &pool, const QList<std::pair<QString, QString>> &languages, QWidget *parent = nullptr);

    void begin(const std::optional<SecretInfo> &secret); // nullopt: a new one
    bool isTouched() const; // something would go with it
    void setBusy(bool busy) { m_save->setEnabled(!busy); }
    void say(const QString &sentence); // what went wrong; nothing that was typed goes
    // The same, and what the next try is about: the secret as it is now, or a new one.
    void keep(const std::optional<SecretInfo> &now, const QString &sentence);
    void finish(); // forgets the value

Q_SIGNALS:
    void wanted(const glovebox::SecretForm::Wanted &wanted);

private:
    void save();

    std::optional<SecretInfo> m_before;
    QLabel *m_title;
    QLineEdit *m_name;
    ValueField *m_value;
    QLineEdit *m_note;
    LimitsForm *m_limits;
    QLabel *m_trouble;
    QPushButton *m_save;
};

} // namespace glovebox
