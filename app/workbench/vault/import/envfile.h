// SPDX-License-Identifier: Apache-2.0
// The names and values of a .env file, as programs that read such files understand it.
#pragma once

#include "engine/vault/vault.h"

#include <optional>
#include <vector>

namespace glovebox {

struct EnvEntry
{
    QString name;
    SecretValue value;
    int line = 0; // from 1
    QString problem; // why it can't be a secret; empty: it can
};

constexpr qint64 envFileMax = 1 * mebibyte;

// NAME=VALUE a line, "export" before it allowed; # begins a comment at the start of a line or after a blank. In '...' everything
// stands for itself; in "..." \n, \r, \t, \" and \\ are escapes, and both may go over several lines. What is no such line is an entry
// with a problem and without a value.
std::vector<EnvEntry> readEnv(QByteArrayView bytes);
// May block as long as the file likes. nullopt: it can't be read, or is larger than envFileMax.
std::optional<std::vector<EnvEntry>> readEnvFile(const QString &path);

} // namespace glovebox
