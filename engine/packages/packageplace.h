// SPDX-License-Identifier: Apache-2.0
// Where installed packages lie on this machine's disk, and what is known about them.
//
//   <base>/<id>/env/            the environment that runs are shown
//   <base>/<id>/installed.json  its lock, and the interpreter that it is for
//   <data>/packages/resolved/   what the index answered to requirements, and when
//   <data>/packages/names-LANGUAGE.json  names of all packages that were ever installed
#pragma once

#include "packages.h"

namespace glovebox {

// Thread-safe, also between programs.
class PackagePlace
{
public:
    // owner: whom the runs of a root engine belong to. They can't pass root's home, so base is elsewhere then.
    PackagePlace(const Paths &paths, std::function<std::optional<HostIdentity>()> owner);

    // Of these packages for this interpreter (without links).
    static QString idOf(const PackageLock &lock, const QString &program);

    struct Installed
    {
        PackageLock lock;
        QString program;
        bool runsAtStart = false; // LentPackages::runsAtStart
    };
    static std::unexpected<Error> notInstalled(); // NotFound
    // NotFound: there are none; Damaged: their notes can't be read. Marks them as used.
    Result<Installed> find(const QString &id) const;
    QList<KeptPackages> list() const; // without marking them
    // NotFound.
    Status remove(const QString &id) const;
    QString environment(const QString &id) const { return m_base + u'/' + id + QStringLiteral("/env"); }

    struct Copying
    {
        IsCancelled isCancelled;
        std::function<Status()> record; // once all is written, before anybody finds it
        std::chrono::seconds patience = std::chrono::minutes(1); // with others that install or remove packages
    };
    // Puts what a run left in the folder "env" of its session there, whole or not at all. Damaged: it holds what no package may
    // have; Full: no space left; Busy: others took longer than the patience; Cancelled.
    Status install(const QString &id, const PackageLock &packages, const QString &program, const Sessions &sessions,
                   const Session &session, const Copying &copying) const;

    // The lock that these requirements were answered with; nothing: never, too long ago, or it isn't installed any more.
    std::optional<PackageLock> resolved(const QString &question, qint64 nowMicroseconds) const;
    void noteResolved(const QString &question, const PackageLock &lock, qint64 nowMicroseconds) const;

    QStringList knownNames(const QString &language) const;
    void noteNames(const PackageLock &lock) const;

private:
    Result<Installed> read(const QString &id) const;
    Status makeBase() const;
    Status fillEnvironment(const QString &folder, const Installed &what, const Sessions &sessions,
                           const Session &session, const SessionTree &tree, const IsCancelled &isCancelled) const;
    void removeLeftOvers() const;
    void discard(const QString &folder) const;

    QString notesOf(const QString &id) const { return m_base + u'/' + id + QStringLiteral("/installed.json"); }

    QString m_data;
    QString m_notes;
    QString m_base;
    std::function<std::optional<HostIdentity>()> m_owner; // set for a root engine
};

} // namespace glovebox
