// SPDX-License-Identifier: Apache-2.0
// Runs a snippet by its recipe, unsealed, in a temporary folder: what is tested is the driver and the recipe.
#pragma once

#include "engine/languages/languages.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace glovebox::test {

struct Ending
{
    QByteArray out;
    QByteArray err;
    int exitCode = -1; // 128 + n for signal n
    QStringList files; // names left in the work folder

    bool operator==(const Ending &) const = default;
};

inline void write(const QString &path, const QByteArray &content)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("can't write %s", qPrintable(path));
}

// A work folder with a snippet in it, and one with the driver; /work and /run/glovebox in the recipe are mapped to them.
class Snippet
{
public:
    Snippet(const LaunchRecipe &recipe, const QByteArray &code, const QMap<QString, QByteArray> &files = {})
        : m_recipe(recipe)
    {
        write(path(QString::fromUtf8(recipe.fileName)), code);
        for (auto it = files.begin(); it != files.end(); ++it)
            write(path(it.key()), it.value());
        for (const InnerFile &file : recipe.driver)
            write(m_drivers.filePath(QString::fromUtf8(file.name)), file.content);
    }

    QString path(const QString &name) const { return m_work.filePath(name); }

    // By the recipe: with its driver, its job in a socket on descriptor 3.
    Ending run(const QByteArray &input = {})
    {
        QProcess process;
        start(process);
        return finish(process, input);
    }

    void start(QProcess &process)
    {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            qFatal("no socketpair");
        m_engineEnd.reset(ends[0]);
        // Not 3: QProcess's own descriptors must not be in the way of the dup2 in the child.
        m_runEnd.reset(::fcntl(ends[1], F_DUPFD_CLOEXEC, 20));
        ::close(ends[1]);
        if (::write(m_engineEnd.get(), m_recipe.job.constData(), size_t(m_recipe.job.size())) != m_recipe.job.size())
            qFatal("the job doesn't fit");
        if (m_recipe.job.isEmpty())
            m_runEnd.reset();
        process.setChildProcessModifier([fd = m_runEnd.get()] {
            if (fd >= 0)
                ::dup2(fd, 3);
        });
        launch(process, m_recipe.argv + m_recipe.arguments, m_recipe.environment);
        m_runEnd.reset();
    }

    // The engine's end of the channel goes away.
    void hangUp() { m_engineEnd.reset(); }

    // As a person would in a terminal, for comparison.
    Ending runPlainly(const QByteArrayList &argv, const QByteArray &input = {})
    {
        QByteArrayList environment = m_recipe.environment;
        environment.removeIf([](const QByteArray &pair) { return pair.startsWith("PYTHONPATH="); });
        QProcess process;
        launch(process, argv, environment);
        return finish(process, input);
    }

    Ending finish(QProcess &process, const QByteArray &input = {})
    {
        process.write(input);
        process.closeWriteChannel();
        if (!process.waitForFinished(20'000))
            qFatal("the snippet doesn't end: %s", process.readAllStandardError().constData());
        Ending ending;
        // The temporary folder's name becomes what it is in a run.
        ending.out = process.readAllStandardOutput().replace(m_work.path().toUtf8(), "/work");
        ending.err = process.readAllStandardError().replace(m_work.path().toUtf8(), "/work");
        ending.exitCode = process.exitStatus() == QProcess::CrashExit ? 128 + process.exitCode() : process.exitCode();
        ending.files = QDir(m_work.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot, QDir::Name);
        return ending;
    }

private:
    QByteArray mapped(QByteArray text) const
    {
        if (text == "HOME=/run/home" || text == "PWD=/work")
            text = text.first(text.indexOf('=') + 1) + m_work.path().toUtf8();
        return text.replace("/run/glovebox", m_drivers.path().toUtf8());
    }

    void launch(QProcess &process, const QByteArrayList &argv, const QByteArrayList &variables)
    {
        // What the test itself inherited (ctest leaves some open) is not the snippet's.
        for (int fd = 3; fd < 1024; ++fd) {
            if (fd != m_runEnd.get())
                ::fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
        QProcessEnvironment environment;
        for (const QByteArray &pair : variables) {
            const QString text = QString::fromUtf8(mapped(pair));
            environment.insert(text.section(u'=', 0, 0), text.section(u'=', 1));
        }
        QStringList arguments;
        for (const QByteArray &argument : argv.sliced(1))
            arguments.append(QString::fromUtf8(mapped(argument)));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_work.path());
        process.start(QString::fromUtf8(argv.first()), arguments);
        if (!process.waitForStarted())
            qFatal("can't start %s", argv.first().constData());
    }

    LaunchRecipe m_recipe;
    QTemporaryDir m_work;
    QTemporaryDir m_drivers;
    UniqueFd m_engineEnd;
    UniqueFd m_runEnd;
};

// Whether the machine has a program of one of these names, whatever Glovebox finds.
inline bool isInstalled(const QStringList &names)
{
    return std::ranges::any_of(names, [](const QString &name) {
        return !QStandardPaths::findExecutable(name).isEmpty()
               || QFile::exists(QStringLiteral("/usr/bin/") + name); // PATH needn't name it
    });
}

// The interpreters to test with: what this machine has, and those in GLOVEBOX_TEST_<LANGUAGE> (paths with ':').
inline QList<InterpreterCandidate> interpretersFor(const Languages &languages, const Language &language)
{
    QList<InterpreterCandidate> list;
    if (const auto found = languages.find(language))
        list.append(*found);
    const QByteArray variable = "GLOVEBOX_TEST_" + language.id().toUpper().toUtf8();
    for (const QByteArray &path : qgetenv(variable.constData()).split(':')) {
        if (path.isEmpty())
            continue;
        InterpreterCandidate candidate;
        candidate.path = QString::fromUtf8(path);
        candidate.usable = true;
        list.append(candidate);
    }
    return list;
}

} // namespace glovebox::test
