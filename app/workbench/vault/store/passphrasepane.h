// SPDX-License-Identifier: Apache-2.0
// The passphrase of the file of secrets: typed to unlock it, chosen for a new one, or changed.
#pragma once

#include "app/workbench/vault/pane.h"

#include "engine/vault/vault.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace glovebox {

class PassphrasePane : public Pane
{
    Q_OBJECT
public:
    enum class Purpose { Unlock, Choose, Change };

    explicit PassphrasePane(QWidget *parent = nullptr);

    void begin(Purpose purpose);
    Purpose purpose() const { return m_purpose; }
    void setBusy(bool busy); // scrypt takes a while, elsewhere
    void say(const QString &sentence); // what went wrong; the first field is ready for another try
    void finish(); // forgets what was typed

Q_SIGNALS:
    // What isn't asked for is null.
    void wanted(const std::shared_ptr<glovebox::SecretValue> &present,
                const std::shared_ptr<glovebox::SecretValue> &next);
    void newFileWanted(); // asked, and said yes: the old one goes aside

protected:
    bool withdraw() override;

private:
    void done();
    void ask(bool asking);

    Purpose m_purpose = Purpose::Unlock;
    bool m_busy = false;
    QLabel *m_title;
    QLabel *m_remark;
    QLabel *m_presentTitle;
    QLineEdit *m_present;
    QLabel *m_nextTitle;
    QLineEdit *m_next;
    QLabel *m_againTitle;
    QLineEdit *m_again;
    QLabel *m_trouble;
    QPushButton *m_done;
    QPushButton *m_newFile;
    QLabel *m_question;
    QWidget *m_answers;
};

} // namespace glovebox
