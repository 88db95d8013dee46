// SPDX-License-Identifier: Apache-2.0
// A store of contents that several sessions have: a session and its forks, and theirs.
//
// A store lies beside the sessions, and "content" of each is a link to it, so that a fork is a link and notes, however many files it
// has. Contents that no session has now are removed when nobody can be about to rely on them: with the notes of all its sessions locked.
#pragma once

#include "sessionplace.h"

namespace glovebox {

inline const QString sharedSuffix = QStringLiteral(".shared");

class SharedStore
{
public:
    SharedStore(QString sessions, QString name)
        : m_sessions(std::move(sessions))
        , m_name(std::move(name))
    {
    }

    // Has the contents of a session in a store that others may have, too, under the same paths as before. By whoever has the locks of that
    // session, of its notes and of the names. Nothing: the file system can't do that, or not now; the session is as it was.
    static std::optional<SharedStore> of(const SessionPlace &place, const Session &session);

    bool giveTo(const SessionPlace &place) const; // which has none yet
    // Before something in it becomes nobody's: the next tidy() looks, whoever is killed meanwhile.
    void markRemains() const;
    // What its sessions have, without a certain one. False: one of them can't be read.
    bool addContentsBut(const QString &session, SessionPlace::Contents &used) const;
    // Removes what none of its sessions has. Where one is being changed at this moment, or can't be read, that stays for the next time.
    // locked: whose notes the caller has locked, with the contents of that one.
    void sweep(const QString &locked = {}, SessionPlace::Contents used = {}) const;
    // Sweeps all stores below that folder in which something may remain, and a certain one. Returns the folders of those that no session
    // has: they are no stores from now on, and to be removed.
    static QStringList tidy(const QString &sessions, const QString &certain = {});

private:
    QString folder() const { return m_sessions + u'/' + m_name; }
    QString remainsFile() const { return folder() + QStringLiteral("/remains"); }
    std::optional<QStringList> users() const; // ids; nothing: some can't be looked at
    QString retired() const; // its folder, under another name; empty: a session has it, or may have it

    QString m_sessions;
    QString m_name;
};

} // namespace glovebox
