// SPDX-License-Identifier: Apache-2.0
// SHA-256 for names of bodies, commitments and leaves.
#pragma once

#include <QByteArray>

#include <initializer_list>

namespace glovebox {

constexpr qsizetype sha256Bytes = 32;

// Of the parts one after the other, without copying them together. Thread-safe.
QByteArray sha256(std::initializer_list<QByteArrayView> parts);

} // namespace glovebox
