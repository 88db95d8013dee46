// SPDX-License-Identifier: Apache-2.0
// Answers for the file system behind a run's watched places (watchedplaces.h), and tells who looked or wrote there as events.
// Diagnosis only: nothing is there to be had, whoever answers.
#pragma once

#include "engine/sandbox/sandbox.h"

#include <QByteArray>
#include <QHash>
#include <QSet>

#include <chrono>
#include <optional>
#include <vector>

namespace glovebox::native {

struct WatchedPlace;

// Used by the one thread that launches and then pumps the run. Speaks the kernel's protocol itself (linux/fuse.h, 7.31); never touches the
// places, for which it would wait for itself.
class PlaceWatch
{
public:
    // The kernel's end is the file system that launcher::Message::Watched told of. An invalid descriptor: nothing is ever asked.
    explicit PlaceWatch(UniqueFd server = {});

    // Readable when somebody inside waits; -1 when nobody is left who could ask.
    int descriptor() const { return m_server.get(); }
    // Answers up to max requests. Returns each path that was not told before; after 64 different ones only that there are more. 0: answers
    // nobody, and returns also what would be told later.
    QList<RunEvent> answer(int max);
    // Answers what is asked before the run's code is inside.
    void answerUntold();
    // What follows is of another piece of code (a cell), for which all is news.
    void tellAnew();

private:
    struct Node // by its number, from 1 on: the root of the file system
    {
        QByteArray path; // as the run names it; empty: the root
        bool isFile = false;
        bool hasSecrets = false;
    };
    struct Reply
    {
        int error = 0;
        QByteArray body;
    };

    static Node nodeOf(const WatchedPlace &place);
    // False: there is no request.
    bool answerOne(QList<RunEvent> &news);
    Reply replyTo(quint32 operation, quint64 number, QByteArrayView arguments, QList<RunEvent> &news);
    Reply lookUp(const Node &folder, const QByteArray &name, QList<RunEvent> &news);
    Reply open(const Node &file, QByteArrayView arguments, QList<RunEvent> &news);
    Reply refuseChange(quint32 operation, const Node &node, QByteArrayView arguments, QList<RunEvent> &news);
    std::optional<Node> childOf(const Node &folder, const QByteArray &name) const;
    quint64 numberOf(const Node &node); // 0: there are too many
    bool isTold(const QString &words) const;
    void tell(const char *sentence, const QByteArray &path, QList<RunEvent> &news);
    void tellFolder(QList<RunEvent> &news);
    bool isReady(std::chrono::milliseconds patience) const;

    UniqueFd m_server;
    std::vector<Node> m_nodes{Node{}};
    QHash<QByteArray, quint64> m_numbers; // by path
    QSet<QString> m_told;
    QByteArray m_onTheWay; // the folder that was looked up last: not told if a name in it is, until then
    std::chrono::steady_clock::time_point m_onTheWayUntil;
    QByteArray m_request;
};

} // namespace glovebox::native
