// SPDX-License-Identifier: Apache-2.0
// A program on a terminal of its own: what reached the screen, and what seems to have been typed.
#pragma once

#include "engine/base/system/descriptor.h"

#include <QByteArrayList>
#include <QString>

namespace containment {

class TerminalProgram
{
public:
    // home: GLOVEBOX_HOME is a folder in it.
    TerminalProgram(QByteArrayList argv, const QString &home);
    ~TerminalProgram();
    TerminalProgram(const TerminalProgram &) = delete;
    TerminalProgram &operator=(const TerminalProgram &) = delete;

    qint64 pid() const { return m_pid; }
    bool finish(); // waits; false after 15 s
    const QByteArray &seen() const { return m_seen; }
    int typed() const; // bytes in the terminal's input that nobody typed

private:
    void read();

    qint64 m_pid = -1;
    bool m_ended = false;
    glovebox::UniqueFd m_screen, m_terminal;
    QByteArray m_seen;
};

QByteArray cliProgram();

} // namespace containment
