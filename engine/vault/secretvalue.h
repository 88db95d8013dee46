// SPDX-License-Identifier: Apache-2.0
// The bytes of a secret, in memory that is not swapped or dumped where the system allows that, and is wiped at the end.
#pragma once

#include <QByteArrayView>

#include <cstddef>
#include <utility>

namespace glovebox {

// Move-only: a copy is made by clone(), on purpose. Its bytes are on pages of their own, so that nothing shares their fate; don't
// put them into a QByteArray or QString, whose copies and reallocations stay in memory unwiped.
class SecretValue
{
public:
    SecretValue() = default; // empty
    // So many zero bytes, to be filled in place. Throws std::bad_alloc.
    explicit SecretValue(qsizetype size);
    // A copy of what the caller has to wipe (wipe()).
    static SecretValue copyOf(QByteArrayView bytes);

    SecretValue(SecretValue &&other) noexcept
        : m_bytes(std::exchange(other.m_bytes, nullptr))
        , m_size(std::exchange(other.m_size, 0))
        , m_mapped(std::exchange(other.m_mapped, 0))
    {
    }
    SecretValue &operator=(SecretValue &&other) noexcept
    {
        std::swap(m_bytes, other.m_bytes);
        std::swap(m_size, other.m_size);
        std::swap(m_mapped, other.m_mapped);
        return *this;
    }
    SecretValue(const SecretValue &) = delete;
    SecretValue &operator=(const SecretValue &) = delete;
    ~SecretValue();

    SecretValue clone() const { return copyOf(view()); }
    QByteArrayView view() const { return {m_bytes, m_size}; }
    char *data() { return m_bytes; }
    qsizetype size() const { return m_size; }
    bool isEmpty() const { return m_size == 0; }
    // Keeps the first bytes and wipes the rest.
    void truncate(qsizetype size);

    // In a time that depends on the sizes only.
    bool operator==(const SecretValue &other) const;

private:
    char *m_bytes = nullptr;
    qsizetype m_size = 0;
    std::size_t m_mapped = 0; // bytes, whole pages
};

// Overwrites memory that held a value; never optimised away.
void wipe(void *memory, std::size_t bytes);

} // namespace glovebox
