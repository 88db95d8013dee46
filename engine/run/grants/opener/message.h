// SPDX-License-Identifier: Apache-2.0
// What the engine and glovebox-opener say to each other, over a stream of messages: the engine asks, the program answers.
//
//   Open: hostPath, path, mode, OwnFolders          -> OpenedFolder, with its handle as descriptor
//   Copy: an order for copyFolder(); descriptor: to  -> what that returns; of the folder that was opened last
//
// An answer begins with whether it is an error. All by QDataStream; both ends are of one build.
#pragma once

#include "engine/base/base.h"

#include <QDataStream>
#include <QIODevice>

namespace glovebox::opener {

enum class Request : quint8 { Open, Copy };

struct Message
{
    QByteArray bytes;
    UniqueFd descriptor; // may come along
};

// 0, or an errno.
int send(int socket, const QByteArray &bytes, int descriptor = -1);
// ECONNRESET when the other end is gone.
int receive(int socket, Message &message);

QByteArray encoded(const Error &error);
// After the first field, which said that there is one.
Error decodedError(QDataStream &in);

} // namespace glovebox::opener
