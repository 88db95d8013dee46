// SPDX-License-Identifier: Apache-2.0
// What a secret may be lent to: languages, hosts, callers, and until when.
#pragma once

#include "engine/vault/vault.h"

#include <QHash>
#include <QWidget>

#include <expected>

class QCheckBox;
class QLineEdit;

namespace glovebox {

class LimitsForm : public QWidget
{
    Q_OBJECT
public:
    // languages: id and name.
    LimitsForm(const QList<std::pair<QString, QString>> &languages, QWidget *parent = nullptr);

    void setLimits(const SecretLimits &limits);
    std::expected<SecretLimits, QString> limits() const; // or the sentence that says what to mend

private:
    QHash<QString, QCheckBox *> m_languages;
    QHash<QString, QCheckBox *> m_callers;
    QLineEdit *m_hosts;
    QLineEdit *m_expiry;
    QStringList m_tools; // as they were: the command line changes them
};

} // namespace glovebox
