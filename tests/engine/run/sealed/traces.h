// SPDX-License-Identifier: Apache-2.0
// Where a secret's value could have stayed: this process' memory, our processes' command lines and environments, the disk.
#pragma once

#include "engine/vault/vault.h"

#include <QByteArrayList>
#include <QRandomGenerator>

#include <cstring>

namespace glovebox {

constexpr char valueMask = 0x5a;

// A value that this program keeps in a mask, so that whoever finds it unmasked found a copy that shouldn't be.
class MaskedValue
{
public:
    MaskedValue()
    {
        const QByteArray letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/\"\\ ";
        for (int i = 0; i < 40; ++i)
            m_masked += char(letters[QRandomGenerator::global()->bounded(int(letters.size()))] ^ valueMask);
        m_masked[0] = char('"' ^ valueMask); // in each there is something that encoders treat in a way of their own
        m_masked[20] = char('/' ^ valueMask);
        m_masked[39] = char('Z' ^ valueMask); // no blank, which isn't looked for at an end
    }
    const QByteArray &masked() const { return m_masked; }
    SecretValue value() const
    {
        SecretValue value = SecretValue::copyOf(m_masked);
        for (qsizetype i = 0; i < value.size(); ++i)
            value.data()[i] = char(value.data()[i] ^ valueMask);
        return value;
    }
    bool isIn(QByteArrayView bytes) const
    {
        if (bytes.isEmpty())
            return false;
        const char first = char(m_masked[0] ^ valueMask);
        for (const char *at = bytes.begin();
             (at = static_cast<const char *>(std::memchr(at, first, std::size_t(bytes.end() - at)))); ++at) {
            if (bytes.end() - at < m_masked.size())
                return false;
            qsizetype i = 0;
            while (i < m_masked.size() && at[i] == char(m_masked[i] ^ valueMask))
                ++i;
            if (i == m_masked.size())
                return true;
        }
        return false;
    }

private:
    QByteArray m_masked;
};

// Writable memory of a process; nothing where it may not be read.
bool isInMemory(const MaskedValue &value, const QByteArray &process, qint64 *read = nullptr);

// Of this process, however far.
QByteArrayList descendants();

QByteArray fileContent(const QByteArray &path); // nothing of one that can't be read

// The engine's own processes and this one: not those of runs, which have what they are lent.
bool isInCommandOrEnvironment(const ScrubPlan &plan);

// In a name or a file below the folder, but for a file that is withheld, which is the person's to release.
bool isOnDisk(const ScrubPlan &plan, const QString &folder);

} // namespace glovebox
