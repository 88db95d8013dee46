// SPDX-License-Identifier: Apache-2.0
// Pages of their own for each value.
#include "secretvalue.h"

#include "engine/base/base.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace glovebox {

namespace {

std::size_t wholePages(qsizetype size)
{
    const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
    return (std::size_t(size) + page - 1) / page * page;
}

} // namespace

// How much may be locked is the system's choice (RLIMIT_MEMLOCK), and swap may be encrypted or absent: no reason to refuse. A core
// file would keep it for ever; so that advice is not a matter of luck, programs that hold values also forbid core files.
SecretValue::SecretValue(qsizetype size)
{
    if (size <= 0)
        return;
    m_mapped = wholePages(size);
    void *pages = ::mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        throw std::bad_alloc();
    m_bytes = static_cast<char *>(pages);
    m_size = size;
    std::ignore = ::mlock(pages, m_mapped);
    keepOutOfCopies(pages, m_mapped);
}

SecretValue SecretValue::copyOf(QByteArrayView bytes)
{
    SecretValue value(bytes.size());
    if (!bytes.isEmpty())
        std::memcpy(value.m_bytes, bytes.data(), std::size_t(bytes.size()));
    return value;
}

SecretValue::~SecretValue()
{
    if (!m_bytes)
        return;
    wipe(m_bytes, m_mapped);
    ::munmap(m_bytes, m_mapped);
}

void SecretValue::truncate(qsizetype size)
{
    if (size >= m_size)
        return;
    wipe(m_bytes + size, std::size_t(m_size - size));
    m_size = size;
}

bool SecretValue::operator==(const SecretValue &other) const
{
    if (m_size != other.m_size)
        return false;
    unsigned char difference = 0;
    for (qsizetype i = 0; i < m_size; ++i)
        difference |= static_cast<unsigned char>(m_bytes[i] ^ other.m_bytes[i]);
    return difference == 0;
}

void wipe(void *memory, std::size_t bytes)
{
    if (memory && bytes > 0)
        ::explicit_bzero(memory, bytes);
}

} // namespace glovebox
