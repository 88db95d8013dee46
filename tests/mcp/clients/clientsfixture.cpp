// SPDX-License-Identifier: Apache-2.0
#include "clientsfixture.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <algorithm>

namespace glovebox::test {

using namespace Qt::StringLiterals;

// Thousands of durable writes are quick in memory.
ClientsHome::ClientsHome()
    : m_folder((QFileInfo(u"/dev/shm"_s).isWritable() ? u"/dev/shm"_s : QDir::tempPath()) + u"/clients-XXXXXX"_s)
{
    if (!m_folder.isValid())
        qFatal("no temporary folder");
}

ClientProgram ClientsHome::program(const QString &id) const
{
    QProcessEnvironment environment;
    environment.insert(u"HOME"_s, m_folder.path());
    const QList<ClientProgram> programs = clientPrograms(environment);
    const auto found = std::ranges::find(programs, id, &ClientProgram::id);
    if (found == programs.end())
        qFatal("no client %s", qPrintable(id));
    return *found;
}

ClientProgram ClientsHome::program(const QString &id, const QByteArray &bytes) const
{
    const ClientProgram its = program(id);
    write(its.file, bytes);
    return its;
}

QByteArray ClientsHome::read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : "no file at " + path.toUtf8();
}

void ClientsHome::write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("can't write %s", qPrintable(path));
}

QByteArray ClientsHome::example(const QString &id)
{
    return read(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/mcp/clients/files/") + id);
}

QStringList ClientsHome::ids()
{
    QStringList ids;
    for (const ClientProgram &program : clientPrograms())
        ids.append(program.id);
    return ids;
}

QString install(const ClientProgram &program, const QString &server)
{
    const auto change = planInstall(program, server);
    return change ? said(applyChange(*change)) : said(change);
}

QString uninstall(const ClientProgram &program)
{
    const auto change = planUninstall(program);
    return change ? said(applyChange(*change)) : said(change);
}

qsizetype touchedBytes(const QByteArray &before, const QByteArray &after)
{
    const auto start = std::ranges::mismatch(before, after).in1 - before.begin();
    qsizetype end = 0;
    while (end < before.size() - start && end < after.size()
           && before[before.size() - 1 - end] == after[after.size() - 1 - end])
        ++end;
    return before.size() - start - end;
}

} // namespace glovebox::test
