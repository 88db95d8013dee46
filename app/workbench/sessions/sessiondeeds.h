// SPDX-License-Identifier: Apache-2.0
// What the person does to sessions: each deed goes to the engine in the background, one after the other, on record.
#pragma once

#include "files/saving.h"

#include "app/workbench/shell/context.h"

#include <functional>

namespace glovebox {

// Lives on the GUI thread.
class SessionDeeds : public QObject
{
    Q_OBJECT
public:
    explicit SessionDeeds(WorkbenchContext &context, QObject *parent = nullptr);

    // then is called with what came of it, and says it.
    using Then = std::function<void(const Result<Session> &)>;
    void create(const NewSession &wanted, Then then);
    void fork(const QString &id, int number, const NewSession &wanted, Then then); // number 0: the newest
    // The rest says itself what went wrong. then may be null, and is called only where all went well.
    using Done = std::function<void(const Session &)>;
    void change(const QString &id, const SessionDeed &deed, const QString &doing, Done then = {});
    // All of the paths of this machine or none, each by its own name, below a folder of the session ("" or "data/").
    void put(const QString &id, const QStringList &paths, const QByteArray &folder);
    void rollBack(const Session &session, int number); // and offers to undo that
    void remove(const QString &id, const QString &name);
    // then may be null, which says so itself.
    void save(const Session &session, const SessionTree &tree, const QByteArray &path, const QString &target,
              std::function<void()> then = {});

    // Of a background job. then is called with a link that works once.
    void stopJob(const Job &job);
    void openPort(const Job &job, quint16 port, std::function<void(const QString &link)> then);
    void closePort(const Job &job, quint16 port);

    const QString &doing() const { return m_doing; } // "Putting in 3 files"; empty: nothing goes on

Q_SIGNALS:
    void changed(); // a session is another one now, or gone
    void doingChanged();

private:
    template<typename Work, typename Then2> void perform(const QString &doing, Work work, Then2 then);
    void tell(const Error &error);

    WorkbenchContext &m_context;
    QString m_doing;
    int m_going = 0;
};

} // namespace glovebox
