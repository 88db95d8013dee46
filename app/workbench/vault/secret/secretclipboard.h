// SPDX-License-Identifier: Apache-2.0
// A value on the clipboard, marked so that histories of the clipboard leave it out, and taken away again after a while.
#pragma once

#include "engine/vault/vault.h"

#include <QObject>
#include <QTimer>

#include <chrono>

namespace glovebox {

class SecretClipboard : public QObject
{
    Q_OBJECT
public:
    explicit SecretClipboard(QObject *parent = nullptr);
    ~SecretClipboard() override; // takes it away at once

    bool copy(const SecretValue &value); // false: it is no text
    // Where only the program in front may change the clipboard (Wayland) and that is another one now, it is when ours is back.
    static bool mayHaveToWait();
    void setPatience(std::chrono::milliseconds patience) { m_timer.setInterval(patience); }

Q_SIGNALS:
    void cleared();

private:
    void clear();

    QTimer m_timer;
    bool m_ours = false; // what is there is the value, as far as we know
};

} // namespace glovebox
