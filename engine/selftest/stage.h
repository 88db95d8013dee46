// SPDX-License-Identifier: Apache-2.0
// Where an attack is made, once sealed and, where that is harmless, once unsealed; with what of this machine can be looked at.
#pragma once

#include "selftest.h"

#include <QTemporaryDir>

#include <functional>

namespace glovebox::selftest {

class Stage
{
public:
    Stage(const SelfTest &test, bool sealed);

    bool isSealed() const { return m_sealed; }
    // In the arguments of every snippet: its processes are found by it.
    const QByteArray &mark() const { return m_mark; }

    struct Snippet
    {
        QByteArray code; // bash; prints "ready" and reads a line when it wants to be looked at
        QByteArrayList args; // $2 and so on; $1 is the mark
        std::chrono::milliseconds wall = std::chrono::seconds(10);
    };
    // Runs it to its end and returns what it said; look is called while it waits, or when it is over without waiting.
    QByteArray perform(const Snippet &snippet, const std::function<void()> &look = {});
    // Not empty: nothing ran, or it could not be seen here; why.
    const Text &trouble() const { return m_trouble; }
    void isTrouble(const Text &why) // the first one stays
    {
        if (m_trouble.isEmpty())
            m_trouble = why;
    }

    // Of this machine, also those of the sealed snippet: living ones with the mark in their command line.
    QList<qint64> markedProcesses() const;
    void endMarkedProcesses() const; // of an unsealed snippet

private:
    QByteArray performSealed(const Snippet &snippet, const std::function<void()> &look);
    QByteArray performUnsealed(const Snippet &snippet, const std::function<void()> &look);

    const SelfTest &m_test;
    const bool m_sealed;
    const QByteArray m_mark;
    const QTemporaryDir m_folder;
    Text m_trouble;
};

// Letters and digits that nobody can guess.
QByteArray randomName();

struct AttackCase
{
    Attack attack;
    bool (*getsThrough)(Stage &stage);
    bool isHarmless; // it is made unsealed, too
    Text held; // what was seen when it didn't get through
    Text escaped;
};

const QList<AttackCase> &attackCases();

} // namespace glovebox::selftest
