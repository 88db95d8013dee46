// SPDX-License-Identifier: Apache-2.0
// SHA-256 for names of bodies, commitments and leaves.
#pragma once

#include <QByteArray>

#include <initializer_list>
#include <memory>

namespace glovebox {

constexpr qsizetype sha256Bytes = 32;

// Of the parts one after the other, without copying them together. Thread-safe.
QByteArray sha256(std::initializer_list<QByteArrayView> parts);

// The same of bytes that come piece by piece. Used by one thread at a time.
class Sha256
{
public:
    explicit Sha256(qint64 expectedBytes); // the quicker way for so many; a wrong guess costs time only
    ~Sha256();
    Sha256(Sha256 &&) noexcept;
    Sha256 &operator=(Sha256 &&) noexcept;

    void add(QByteArrayView bytes);
    QByteArray result(); // nothing can be added after it

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace glovebox
