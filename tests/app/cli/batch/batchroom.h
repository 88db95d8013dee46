// SPDX-License-Identifier: Apache-2.0
// A folder with files for batches, apart from the home, whose data no run is shown.
#pragma once

#include "tests/app/cli/program.h"

#include <QDir>
#include <QFile>

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace glovebox {

class BatchRoom
{
public:
    BatchRoom()
    {
        QDir(m_folder.path()).mkdir(QStringLiteral("marks"));
        // As root, runs belong to a user who owns nothing.
        ::chmod(QFile::encodeName(at(QStringLiteral("marks"))).constData(), 0777);
        ::chmod(QFile::encodeName(m_folder.path()).constData(), 0755);
    }

    QString at(const QString &name) const { return m_folder.filePath(name); }
    QString write(const QString &name, const QByteArray &content) const
    {
        QFile file(at(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("A test file can't be written.");
        return file.fileName();
    }

    // The options that show the folder "marks" to runs, where they leave marks.
    QStringList showsMarks() const
    {
        return {QStringLiteral("--mount"), at(QStringLiteral("marks")) + QStringLiteral(":/marks:rw")};
    }
    // How often a task left its mark.
    qint64 marks(const QString &name) const { return QFileInfo(at(QStringLiteral("marks/") + name)).size(); }
    void mark(const QString &name) const { write(QStringLiteral("marks/") + name, "x"); }
    // Python that leaves a mark and goes on when the other one is there.
    static QByteArray marking(const QByteArray &name, const QByteArray &waitsFor = {})
    {
        const QByteArray waiting = waitsFor.isEmpty()
                                       ? QByteArray()
                                       : "while not os.path.exists('/marks/" + waitsFor + "'): time.sleep(0.01)\n";
        return "import os, time\nopen('/marks/" + name + "', 'a').write('x')\n" + waiting + "print('" + name + "')\n";
    }

    // In a started program, before it runs: a pipe that nobody reads, instead of this descriptor.
    static void breakDescriptor(int descriptor)
    {
        int ends[2] = {-1, -1};
        if (::pipe(ends) == 0) {
            ::dup2(ends[1], descriptor);
            ::close(ends[0]);
            ::close(ends[1]);
        }
        ::signal(SIGPIPE, SIG_DFL);
    }

    Home home;

private:
    QTemporaryDir m_folder;
};

} // namespace glovebox
