// SPDX-License-Identifier: Apache-2.0
// Sessions of a home of their own, and a folder that stands for the memory of a run.
#pragma once

#include "engine/sessions/sessions.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace glovebox {

class SettableClock : public Clock
{
public:
    qint64 nowMicroseconds() const override { return m_now; }
    qint64 m_now = qint64(1'700'000'000) * 1'000'000;
};

class SessionFixture : public QObject
{
protected:
    void begin()
    {
        m_home = std::make_unique<QTemporaryDir>();
        m_sessions = std::make_unique<Sessions>(folder(), m_clock, [] { return std::optional<HostIdentity>(); });
        beginWorkspace();
    }

    void end()
    {
        m_workspace.reset();
        std::error_code ignored; // some names are more than Qt removes
        std::filesystem::remove_all(m_home->path().toStdString(), ignored);
    }

    // Empty, as each run finds it.
    void beginWorkspace()
    {
        const std::string path = workspacePath().toStdString();
        std::filesystem::remove_all(path);
        std::filesystem::create_directory(path);
        m_workspace.reset(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        QVERIFY(m_workspace);
    }

    QString folder() const { return m_home->path() + QStringLiteral("/sessions"); }
    QString workspacePath() const { return m_home->path() + QStringLiteral("/work"); }
    QString at(const QString &path) const { return workspacePath() + u'/' + path; }

    void leave(const QByteArray &path, const QByteArray &content, mode_t mode = 0644) const
    {
        ::unlinkat(m_workspace.get(), path.constData(), 0);
        const UniqueFd file(::openat(m_workspace.get(), path.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
        QVERIFY2(file, path.constData());
        QVERIFY(writeWhole(file.get(), content.toStdString()));
        QCOMPARE(::fchmod(file.get(), mode), 0);
    }

    QByteArray content(const QByteArray &path) const
    {
        const UniqueFd file(::openat(m_workspace.get(), path.constData(), O_RDONLY | O_NOFOLLOW));
        return file ? QByteArray::fromStdString(readWhole(file.get())) : QByteArray("(none)");
    }

    Session create(const QString &name = QStringLiteral("shop"), qint64 diskBytes = 8 * mebibyte) const
    {
        const auto session = m_sessions->create({.name = name, .diskBytes = diskBytes});
        if (!session)
            qWarning("%s", qPrintable(session.error().message.english()));
        return session.value_or(Session());
    }

    // A run that finds the session's files, does something, and ends.
    Result<KeptSession> pass(const QString &id, const std::function<void()> &doIt, SecretSearch *search = nullptr,
                             const QList<InnerFile> &given = {})
    {
        beginWorkspace();
        ASSIGN_OR_RETURN(auto use, m_sessions->use(id, {}));
        SessionWorkspace workspace{.folder = m_workspace.get()};
        for (const InnerFile &file : given) {
            workspace.given.append(file.name);
            leave(file.name, file.content);
        }
        ASSIGN_OR_RETURN(std::ignore, use.fill(workspace));
        doIt();
        return use.keep(workspace, given, QStringLiteral("run"), search);
    }

    QByteArrayList pathsOf(const Session &session, int number = 0) const
    {
        QByteArrayList paths;
        for (const SessionEntry &entry : m_sessions->tree(session, number).value_or(SessionTree()))
            paths.append(entry.path);
        return paths;
    }

    // Files in the session's store.
    qsizetype storedFiles(const QString &id) const
    {
        qsizetype count = 0;
        for (const auto &entry : std::filesystem::recursive_directory_iterator(
                 (folder() + u'/' + id + QStringLiteral("/content")).toStdString()))
            count += entry.is_regular_file() ? 1 : 0;
        return count;
    }

    SettableClock m_clock;
    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<Sessions> m_sessions;
    UniqueFd m_workspace;
};

} // namespace glovebox
