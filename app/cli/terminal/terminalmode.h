// SPDX-License-Identifier: Apache-2.0
// The person's terminal while a run has one of its own: keys pass as they are typed, and the terminal is put back whatever
// happens.
#pragma once

#include "engine/engine.h"

#include <chrono>

namespace glovebox {

// Rows and columns of the first of our standard descriptors that is a terminal, else 24 and 80.
Terminal sizeOfTerminal();

// No echo, no lines, no signals by keys, as long as it lives; also when a signal ends the program (but SIGKILL) or stops it
// for a while. One at a time. Output still becomes lines: only keys are the run's business.
class TerminalMode
{
public:
    // Does nothing where the descriptor is no terminal. Signals: also those that somebody ends the program with, for who doesn't
    // handle them. The sequence goes to standard error where a signal ends or stops the program, and lives as long as it.
    enum class Ending { Errors, Signals };
    explicit TerminalMode(int descriptor, Ending ending = Ending::Errors, const char *sequence = "");
    ~TerminalMode();
    TerminalMode(const TerminalMode &) = delete;
    TerminalMode &operator=(const TerminalMode &) = delete;
};

// Ctrl+] three times within a second, as with machinectl(1): every other key is for the run.
class LeavingKey
{
public:
    bool isIn(QByteArrayView typed);

private:
    std::chrono::steady_clock::time_point m_first;
    int m_count = 0;
};

} // namespace glovebox
