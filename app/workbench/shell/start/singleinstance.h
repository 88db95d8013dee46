// SPDX-License-Identifier: Apache-2.0
// One workbench a person: later starts hand their files to the window that is there and end.
#pragma once

#include "engine/engine.h"

#include <QLocalServer>
#include <QObject>
#include <QStringList>

#include <optional>

namespace glovebox {

// What a later start asks of the running window. One JSON object and a newline:
// {"v":1,"open":[paths],"code":base64,"token":"..."}; the answer is "ok\n".
struct HandOver
{
    QStringList files; // absolute
    std::optional<QByteArray> code; // for a tab of its own
    QString activationToken; // XDG_ACTIVATION_TOKEN of the later start: lets the window come to the front

    bool operator==(const HandOver &) const = default;
};

class SingleInstance : public QObject
{
    Q_OBJECT
public:
    explicit SingleInstance(const Paths &paths, QObject *parent = nullptr);

    // True: another workbench took it; this one is to end. Blocks for at most 3 s. An error: one is running but doesn't answer.
    Result<bool> handOver(const HandOver &request);
    // This one is the one from now on. An error (no runtime folder, path too long) leaves it without the service.
    Status listen();
    // Later starts open a window of their own from now on.
    void stop();

Q_SIGNALS:
    void received(const glovebox::HandOver &request);

private:
    void onConnection();

    QString m_folder;
    QString m_socket;
    std::optional<FileLock> m_lock;
    QLocalServer m_server;
};

} // namespace glovebox
