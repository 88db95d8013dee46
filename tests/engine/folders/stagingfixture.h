// SPDX-License-Identifier: Apache-2.0
// A folder, the place for its copies, and what tests do with both. What a run would do to a copy is done by a shell.
#pragma once

#include "engine/folders/applying/decided.h"
#include "tests/support/theirowner.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace glovebox {

class StagingFixture
{
protected:
    std::unique_ptr<QTemporaryDir> m_room;
    std::unique_ptr<Staging> m_staging;
    QString m_run;

    QString at(const QString &name) const { return m_room->filePath(name); }

    static int shell(const QString &folder, const QString &script)
    {
        return QProcess::execute(
            QStringLiteral("/bin/sh"),
            {QStringLiteral("-c"), QStringLiteral("set -e; umask 022; cd \"$0\"; ") + script, folder});
    }

    QByteArray contentOf(const QString &name) const
    {
        QFile file(at(QStringLiteral("original/") + name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
    }

    Paths paths() const
    {
        Paths paths;
        paths.data = at(QStringLiteral("data"));
        return paths;
    }

    // A copy of the folder original.
    Result<StagedFolder> copy(QStringList *skipped = nullptr, const Limits &limits = {})
    {
        const UniqueFd fd(::open(QFile::encodeName(at(QStringLiteral("original"))).constData(), O_PATH | O_DIRECTORY));
        struct stat info = {};
        ::fstat(fd.get(), &info);
        QStringList names;
        auto staged = m_staging->copy(
            m_run, {at(QStringLiteral("original")), QStringLiteral("/mnt/x"), FolderGrant::Mode::Stage},
            {.hostPath = at(QStringLiteral("original")), .device = info.st_dev, .inode = info.st_ino}, limits, {},
            [&](const QByteArray &order, int to) { return copyFolder(order, fd.get(), to); }, names);
        if (skipped)
            *skipped = names;
        return staged;
    }

    static QStringList told(const FolderChanges &folder)
    {
        QStringList lines;
        for (const FolderChange &change : folder.changes)
            lines.append(QStringLiteral("+~-").at(int(change.kind)) + QString::fromUtf8(change.path));
        return lines;
    }

    QString sentences(const Result<ApplyReport> &report) const
    {
        if (!report)
            return report.error().message.english();
        QStringList all;
        for (const Text &text : report->refused)
            all.append(text.english());
        return all.join(u'\n');
    }

    void init()
    {
        m_room = std::make_unique<QTemporaryDir>();
        m_staging =
            std::make_unique<Staging>(paths(), newId(Clock::system()), [] { return HostIdentity{65534, 65534}; });
        m_run = newId(Clock::system());
        QVERIFY(QDir().mkpath(at(QStringLiteral("data/engines"))));
        QVERIFY(QDir().mkpath(at(QStringLiteral("original"))));
    }
    void cleanup()
    {
        for (const PendingChanges &changes : m_staging->pending())
            QVERIFY(m_staging->discard(changes.run));
        const StagingPlace place(paths(), newId(Clock::system()), [] { return HostIdentity{65534, 65534}; });
        forgetReplaced(place, {});
        place.leave();
        m_staging.reset();
        QVERIFY(!QFile::exists(at(QStringLiteral("data/staging")))); // nothing is left over
    }
};

} // namespace glovebox
