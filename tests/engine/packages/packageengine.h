// SPDX-License-Identifier: Apache-2.0
// An engine in a home of its own, beside an index of packages in the test internet; what was installed last, and why it was not.
#pragma once

#include "engine/engine.h"
#include "tests/support/testinternet/testinternet.h"

#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

inline const QString debianPython = u"/usr/bin/python3"_s; // has a pip that its own sandbox sees

inline const QString npmRegistry = u"https://registry.npmjs.org/npm"_s; // by registry.py

// Not in installer/packages: Debian's npm can't be beside a Node.js that brings its own.
inline bool hasNpm()
{
    if (!QStandardPaths::findExecutable(u"npm"_s).isEmpty())
        return true;
    qWarning("npm is not installed, and not tried.");
    return false;
}

inline PackageWish npmWish(const QString &packages)
{
    PackageWish wish;
    wish.language = u"node"_s;
    wish.index = npmRegistry;
    if (!packages.isEmpty())
        wish.requirements = readRequirements(packages, wish.language).value();
    return wish;
}

class PackageEngine
{
protected:
    // script: beside this file; makes the index of that language's packages.
    void openWithIndex(const QString &language, const QString &script)
    {
        m_language = language;
        const QString room = QFileInfo(qEnvironmentVariable("TEST_INTERNET_LOG")).path();
        QProcess python;
        python.start(u"/usr/bin/python3"_s,
                     {u"-B"_s, QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/engine/packages/") + script, room});
        QVERIFY(python.waitForFinished(60'000));
        QVERIFY2(python.exitStatus() == QProcess::NormalExit && python.exitCode() == 0,
                 python.readAllStandardError().constData());
        EngineConfig config;
        config.paths = {m_home.filePath(u"data"_s), m_home.filePath(u"config"_s), m_home.filePath(u"run"_s),
                        QStringLiteral(GLOVEBOX_LIBEXEC)};
        auto opened = Engine::open(std::move(config));
        QVERIFY2(opened, opened ? "" : qPrintable(opened.error().message.english()));
        m_engine = *std::move(opened);
    }
    void close()
    {
        m_engine.reset();
        if (::geteuid() == 0) // elsewhere they are in the home
            static_cast<void>(removeTree(base()));
    }

    Result<InstalledPackages> install(const PackageWish &wish, const PackageLimits &limits = {})
    {
        m_results.clear();
        const FollowRun follow = [this](const std::shared_ptr<Run> &task) {
            m_results.append(task->wait());
            return m_results.last();
        };
        ASSIGN_OR_RETURN(const FetchedPackages fetched, m_engine->packages().fetch(wish, follow, limits));
        return m_engine->packages().install(fetched, wish, follow, limits);
    }

    std::shared_ptr<const RunResult> run(const QByteArray &code, const InstalledPackages &packages) const
    {
        RunRequest request;
        request.code = code;
        request.language = m_language;
        request.interpreter = packages.interpreter;
        request.packages = packages.id;
        return m_engine->start(request)->wait();
    }

    QByteArray why(const auto &result) const
    {
        if (result)
            return {};
        QByteArray words = result.error().message.english().toUtf8() + '\n' + result.error().detail.english().toUtf8();
        for (const auto &task : m_results)
            words += '\n' + task->reason.english().toUtf8() + task->err.kept() + task->out.kept();
        return words;
    }

    QString base() const
    {
        const QString data = m_home.filePath(u"data"_s);
        return ::geteuid() == 0 ? u"/var/lib/glovebox/packages-"_s
                                      + QString::fromLatin1(sha256({QFile::encodeName(data)}).toHex().first(16))
                                : data + u"/packages"_s;
    }

    QString m_language;
    QTemporaryDir m_home;
    std::unique_ptr<Engine> m_engine;
    QList<std::shared_ptr<const RunResult>> m_results; // of the last installation
};

} // namespace glovebox
