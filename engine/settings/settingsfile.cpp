// SPDX-License-Identifier: Apache-2.0
// Reads and writes the settings file.
#include "settingsfile.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>

namespace glovebox {

using namespace Qt::StringLiterals;

Result<QJsonObject> SettingsFile::read() const
{
    constexpr qint64 mostBytes = 1024 * 1024; // thousands of hosts and names
    ASSIGN_OR_RETURN(const auto bytes, readOwnFile(m_path, mostBytes));
    if (!bytes)
        return QJsonObject();
    auto root = parseStrictJson(*bytes);
    if (!root)
        return fail(root.error().code,
                    QT_TRANSLATE_NOOP("engine", "The file %1 is not valid: %2 Correct the file, or move it aside."),
                    {m_path, root.error().message.english()}, root.error().detail);
    return root;
}

std::optional<QJsonValue> SettingsFile::valueAt(const QJsonObject &root, const QString &key)
{
    QJsonValue group = root.value(key.section(u'.', 0, 0));
    if (group.isUndefined())
        return group;
    if (!group.isObject())
        return std::nullopt;
    return group.toObject().value(key.section(u'.', 1));
}

Status SettingsFile::change(const QString &key, const QJsonValue &value) const
{
    RETURN_IF_ERROR(makePrivateFolder(QFileInfo(m_path).path()));
    ASSIGN_OR_RETURN(const auto lock, FileLock::create(m_path + u".lock"_s));
    ASSIGN_OR_RETURN(auto root, read());
    const QString group = key.section(u'.', 0, 0);
    QJsonObject settings = root.value(group).toObject();
    settings.insert(key.section(u'.', 1), value); // Undefined removes
    root.insert(group, settings.isEmpty() ? QJsonValue(QJsonValue::Undefined) : QJsonValue(settings));
    QSaveFile file(m_path);
    const bool written = file.open(QIODevice::WriteOnly) && file.setPermissions(QFile::ReadOwner | QFile::WriteOwner)
                         && file.write(QJsonDocument(root).toJson()) >= 0 && commitWhole(file);
    if (!written)
        return fail(ErrorCode::Io,
                    QT_TRANSLATE_NOOP("engine", "The file %1 can't be written (%2). Check the permissions and the "
                                                "free space of its folder."),
                    {m_path, file.errorString()});
    syncFolder(QFileInfo(m_path).path());
    return {};
}

} // namespace glovebox
