// SPDX-License-Identifier: Apache-2.0
// Asks programs for their versions.
#include "versions.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSaveFile>

#include <sys/stat.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Changes whenever the program does.
QString stampOf(const QString &program)
{
    struct stat info = {};
    if (::stat(QFile::encodeName(program).constData(), &info) != 0)
        return {};
    return u"%1:%2:%3:%4:%5"_s.arg(program)
        .arg(info.st_dev)
        .arg(info.st_ino)
        .arg(info.st_size)
        .arg(fileTimeNs(info.st_mtim));
}

QString versionIn(const QByteArray &answer)
{
    static const QRegularExpression number(u"\\d+\\.\\d+(\\.\\d+)*"_s);
    return number.match(QString::fromUtf8(answer)).captured();
}

} // namespace

Versions::Versions(QString cacheFile, VersionQuestion ask)
    : m_cacheFile(std::move(cacheFile))
    , m_ask(std::move(ask))
{
    QFile file(m_cacheFile);
    if (m_cacheFile.isEmpty() || !file.open(QIODevice::ReadOnly))
        return;
    const QJsonObject known = QJsonDocument::fromJson(file.readAll()).object();
    for (auto it = known.begin(); it != known.end(); ++it) {
        if (const QString version = it.value().toString(); !version.isEmpty())
            m_known.insert(it.key(), version);
    }
}

std::optional<QString> Versions::of(const InterpreterCandidate &interpreter, const QStringList &versionArguments)
{
    const QString &program = interpreter.path;
    const QString stamp = stampOf(program);
    if (const auto known = m_known.constFind(stamp); known != m_known.constEnd())
        return *known;
    const std::optional<QByteArray> answer = m_ask ? m_ask(interpreter, versionArguments) : std::nullopt;
    if (!answer)
        return std::nullopt;
    QString version = versionIn(*answer);
    if (!version.isEmpty() && !stamp.isEmpty()) {
        // What was known of the program before it changed.
        m_known.removeIf([&](const auto &entry) { return entry.key().startsWith(program + u':'); });
        m_known.insert(stamp, version);
        m_learnt = true;
    }
    return version;
}

void Versions::save() const
{
    if (!m_learnt || m_cacheFile.isEmpty())
        return;
    QJsonObject known;
    for (auto it = m_known.begin(); it != m_known.end(); ++it)
        known.insert(it.key(), it.value());
    QSaveFile file(m_cacheFile);
    if (!file.open(QIODevice::WriteOnly))
        return;
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    file.write(QJsonDocument(known).toJson());
    commitWhole(file); // else it is asked again
}

} // namespace glovebox
