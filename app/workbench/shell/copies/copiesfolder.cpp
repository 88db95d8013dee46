// SPDX-License-Identifier: Apache-2.0
#include "copiesfolder.h"

#include <QDir>
#include <QFile>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// With the lock it gets another name, so that none that is called so was ever without one while its owner lives.
const QString unlockedPrefix = u"glovebox-workbench-new."_s;
const QString prefix = u"glovebox-workbench."_s;
constexpr qsizetype randomLetters = 6; // mkdtemp(3)

bool isOwnFolder(const struct stat &info)
{
    constexpr mode_t permissions = 07777;
    return S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & permissions) == S_IRWXU;
}

} // namespace

CopiesFolder::CopiesFolder()
{
    const QDir place = QDir::temp();
    QByteArray made = QFile::encodeName(place.filePath(unlockedPrefix + QString(randomLetters, u'X')));
    if (!::mkdtemp(made.data()))
        return;
    m_lock.reset(::open(made.constData(), folderFlags));
    const QString path = place.filePath(prefix + QFile::decodeName(made.last(randomLetters)));
    if (m_lock && ::flock(m_lock.get(), LOCK_EX | LOCK_NB) == 0
        && ::rename(made.constData(), QFile::encodeName(path).constData()) == 0)
        m_path = path;
    else
        ::rmdir(made.constData());
}

CopiesFolder::~CopiesFolder()
{
    if (!m_path.isEmpty())
        std::ignore = removeTree(m_path);
}

QString CopiesFolder::filePath(const QString &name) const
{
    return m_path.isEmpty() ? QString() : m_path + u'/' + name;
}

void CopiesFolder::removeLeft()
{
    const QDir place = QDir::temp();
    for (const QString &name : place.entryList({prefix + u'*'}, QDir::Dirs | QDir::Hidden | QDir::NoSymLinks)) {
        if (name.size() != prefix.size() + randomLetters)
            continue;
        const QString path = place.filePath(name);
        const UniqueFd folder(::open(QFile::encodeName(path).constData(), folderFlags));
        struct stat info = {};
        if (!folder || ::fstat(folder.get(), &info) != 0 || !isOwnFolder(info) || !checkFoldersAbove(path)
            || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0)
            continue;
        std::ignore = removeTree(path);
    }
}

} // namespace glovebox
