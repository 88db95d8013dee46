// SPDX-License-Identifier: Apache-2.0
// The person's settings file: one JSON object that people may edit by hand and several programs may write to.
#pragma once

#include "engine/base/base.h"

#include <QJsonObject>

namespace glovebox {

class SettingsFile
{
public:
    explicit SettingsFile(QString path)
        : m_path(std::move(path))
    {
    }

    const QString &path() const { return m_path; }

    // Empty when there is no file. The error names file, line and column of what isn't valid.
    Result<QJsonObject> read() const;
    // Sets "group.name" (Undefined: takes it out) and leaves the rest as it is; under a lock, so that two programs don't lose
    // each other's change. Atomic and durable. A file that isn't valid is not touched.
    Status change(const QString &key, const QJsonValue &value) const;

    // The value of "group.name", Undefined when there is none; nullopt: "group" is no object.
    static std::optional<QJsonValue> valueAt(const QJsonObject &root, const QString &key);

private:
    QString m_path;
};

} // namespace glovebox
