// SPDX-License-Identifier: Apache-2.0
#include "traces.h"

#include <QCoreApplication>
#include <QDirIterator>
#include <QFile>

#include <algorithm>
#include <cstring>

namespace glovebox {

using namespace Qt::StringLiterals;

bool isInMemory(const MaskedValue &value, const QByteArray &process, qint64 *read)
{
    QFile maps(QFile::decodeName("/proc/" + process + "/maps"));
    QFile memory(QFile::decodeName("/proc/" + process + "/mem"));
    if (!maps.open(QIODevice::ReadOnly | QIODevice::Unbuffered)
        || !memory.open(QIODevice::ReadOnly | QIODevice::Unbuffered))
        return false;
    static QByteArray part(1 << 20, '\0');
    bool found = false;
    for (const QByteArray &line : maps.readAll().split('\n')) {
        const QByteArrayList fields = line.simplified().split(' ');
        if (fields.size() < 2 || !fields[1].startsWith("rw"))
            continue;
        const QByteArrayList ends = fields[0].split('-');
        qint64 at = ends[0].toLongLong(nullptr, 16);
        const qint64 end = ends[1].toLongLong(nullptr, 16);
        while (at < end) {
            memory.seek(at);
            const qint64 got = memory.read(part.data(), std::min<qint64>(part.size(), end - at));
            if (got <= 0)
                break;
            if (read)
                *read += got;
            found = found || value.isIn(QByteArrayView(part).first(got));
            std::memset(part.data(), 0, std::size_t(got)); // it would be found again here
            if (got < part.size())
                break;
            at += got - 64;
        }
    }
    return found;
}

QByteArrayList descendants()
{
    QByteArrayList all{QByteArray::number(QCoreApplication::applicationPid())};
    for (qsizetype i = 0; i < all.size(); ++i) {
        QDirIterator threads(QFile::decodeName("/proc/" + all[i] + "/task"), QDir::Dirs | QDir::NoDotAndDotDot);
        while (threads.hasNext()) {
            QFile children(threads.next() + u"/children"_s);
            if (children.open(QIODevice::ReadOnly))
                all += children.readAll().simplified().split(' ');
        }
        all.removeAll(QByteArray());
    }
    all.removeFirst();
    return all;
}

QByteArray fileContent(const QByteArray &path)
{
    QFile file(QFile::decodeName(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool isInCommandOrEnvironment(const ScrubPlan &plan)
{
    for (const QByteArray &pid : QByteArrayList{"self"} + descendants()) {
        const QByteArray folder = "/proc/" + pid + '/';
        if (plan.finds(fileContent(folder + "cmdline")))
            return true;
        if (fileContent(folder + "comm").startsWith("glovebox") || pid == "self") {
            if (plan.finds(fileContent(folder + "environ")))
                return true;
        }
    }
    return false;
}

bool isOnDisk(const ScrubPlan &plan, const QString &folder)
{
    QDirIterator files(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString name = files.next();
        const bool isWithheld = name.contains(QStringLiteral("/store/withheld/"));
        if ((!isWithheld && plan.finds(fileContent(QFile::encodeName(name)))) || plan.finds(name.toUtf8())) {
            qWarning("found in %s", qPrintable(name));
            return true;
        }
    }
    return false;
}

} // namespace glovebox
