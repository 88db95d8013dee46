// SPDX-License-Identifier: Apache-2.0
// An engine in another program (faultengine.cpp), what belongs to it on this machine, and what must be gone afterwards.
#pragma once

#include <QProcess>
#include <QTemporaryDir>

#include <memory>

namespace glovebox::test {

// From the constructor on, orphans of this program's descendants become its children, so that none can hide.
class Household
{
public:
    Household();

    // wrapper: what the engine is started by, for example {"unshare", "--mount", ...}.
    // False when it doesn't get ready.
    bool startEngine(const QStringList &wrapper = {});
    QString home() const { return m_home.path(); }
    QString data(const QString &name = {}) const { return m_home.filePath(QStringLiteral("data/") + name); }

    void say(const QByteArray &command);
    // The next line of the engine that begins with start; empty after half a minute, or when the engine ended before.
    QByteArray hear(const QByteArray &start);

    qint64 engine() const; // process ids; 0 where there is none
    qint64 spawner() const;
    QList<qint64> inits() const; // PID 1 of each run
    bool isEngineAlone() const; // of all that it started
    bool engineLives() const { return m_engine && m_engine->state() == QProcess::Running; }
    void endEngine(); // as its caller would: end of input
    void killEngine(); // -9

    // What is left of engines that ended, in words; empty when nothing is. Waits two seconds for the kernel.
    enum class Cleaner {
        Itself,
        NextStart, // it was killed: empty control groups wait for that
    };
    QStringList controlGroups() const; // of all engines so far, from /sys/fs/cgroup
    QString leftBehind(Cleaner cleaner = Cleaner::Itself);

private:
    QTemporaryDir m_home;
    std::unique_ptr<QProcess> m_engine;
    QByteArray m_heard;
    QByteArrayList m_mounts;
    QStringList m_engines; // ids that their control groups carry
};

// Processes below pid, from /proc, without zombies.
QList<qint64> descendantsOf(qint64 pid);
int descriptorsOf(qint64 pid);
// Once they stay as many for half a second: when a run's end is told, its thread and the search for what dead engines left
// still have some open.
int settledDescriptorsOf(qint64 pid);
qint64 residentKibOf(qint64 pid);

} // namespace glovebox::test
