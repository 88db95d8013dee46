// SPDX-License-Identifier: Apache-2.0
// What the engine and glovebox-opener say to each other, over a stream of messages: the engine asks, the program answers.
//
//   Open: u32 version, hostPath, path, mode, OwnFolders -> u32 version, OpenedFolder, with its handle as descriptor
//   Count: folder, an order                  -> countFolder()'s TreeSize
//   Copy: folder, an order; descriptor: to   -> copyFolder()'s answer
//   Compare: folder, tree; descriptor: copy  -> compareFolder()'s answer
//   Remember: folder                         -> nothing; how its sensitive files are now
//   Changes: folder                          -> what was done to them since: whole, changes
//   Written: folder; descriptor: to          -> after Changes: the WrittenFiles, whose content is in it
//   Measure: copies' paths, TreeSize         -> whether the folders that are granted writable, and the copies, can be counted
//   Watch: pid                               -> nothing, when more than the TreeSize was added to them
//   EndWatch                                 -> whether more was added
//   Decide: u32 version, data folder, FolderDeed, run, chosen -> u32 version, PendingChanges: nothing is done before
//   Begin: whether it may be done            -> ApplyReport; or an error instead of the answer before
//   Stop: no answer; what is applied or undone after Decide stops
//   Progress: never asked; AppliedUntilNow, some times a second between the answers to Decide and Begin and before
//
// A folder is a number: how many were opened before it. An answer begins with the request that it is of, and whether it is an
// error. All by QDataStream.
#pragma once

#include "engine/folders/folders.h"

#include <QDataStream>
#include <QIODevice>

namespace glovebox::opener {

constexpr quint32 protocolVersion = 6; // raised with every change here

enum class Request : quint8 {
    Open,
    Count,
    Copy,
    Compare,
    Remember,
    Changes,
    Measure,
    Watch,
    EndWatch,
    Decide,
    Begin,
    Stop,
    Progress,
    Written
};

struct Message
{
    QByteArray bytes;
    UniqueFd descriptor; // may come along
};

// 0, or an errno.
int send(int socket, const QByteArray &bytes, int descriptor = -1);
// ECONNRESET when the other end is gone.
int receive(int socket, Message &message);

QDataStream &operator<<(QDataStream &out, const Error &error);
QDataStream &operator>>(QDataStream &in, Error &error);
QDataStream &operator<<(QDataStream &out, const ApplyReport &report);
QDataStream &operator>>(QDataStream &in, ApplyReport &report);

} // namespace glovebox::opener
