// SPDX-License-Identifier: Apache-2.0
#include "singleinstance.h"

#include "app/workbench/shell/stash/claim.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocalSocket>

#include <chrono>
#include <memory>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace glovebox {
namespace {

using namespace std::chrono_literals;

constexpr int answerMilliseconds = 3000;
constexpr qint64 largestRequest = 32 * 1024 * 1024; // what the editor takes, in base64
constexpr qsizetype longestSocketPath = sizeof(sockaddr_un::sun_path) - 1;

// The folder is 0700 already; this is the second lock on the same door.
bool isOwnUser(qintptr socket)
{
    const auto peer = peerOf(int(socket));
    return peer && peer->uid == ::geteuid();
}

std::unexpected<Error> noAnswer()
{
    return fail(ErrorCode::Busy,
                Text(QT_TRANSLATE_NOOP("engine", "Glovebox is running but doesn't answer. Close its window, or end the "
                                                 "process glovebox-workbench, and start it again.")));
}

std::optional<HandOver> parse(const QByteArray &line)
{
    const auto object = parseStrictJson(line);
    if (!object || object->value(QStringLiteral("v")).toInt() != 1)
        return std::nullopt;
    HandOver request;
    request.activationToken = object->value(QStringLiteral("token")).toString();
    if (const QJsonValue code = object->value(QStringLiteral("code")); code.isString())
        request.code = QByteArray::fromBase64(code.toString().toLatin1());
    const QJsonArray files = object->value(QStringLiteral("open")).toArray();
    for (const auto &file : files) {
        if (file.toString().startsWith(QLatin1Char('/')))
            request.files.append(file.toString());
    }
    return request;
}

} // namespace

SingleInstance::SingleInstance(const Paths &paths, QObject *parent)
    : QObject(parent)
    , m_folder(paths.runtime)
    , m_socket(paths.runtime + QStringLiteral("/workbench.sock"))
{
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::onConnection);
}

Result<bool> SingleInstance::handOver(const HandOver &request)
{
    if (QFile::encodeName(m_socket).size() > longestSocketPath)
        return false;
    QJsonObject object{{QStringLiteral("v"), 1},
                       {QStringLiteral("open"), QJsonArray::fromStringList(request.files)},
                       {QStringLiteral("token"), request.activationToken}};
    if (request.code)
        object.insert(QStringLiteral("code"), QString::fromLatin1(request.code->toBase64()));
    const QByteArray line = QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(answerMilliseconds);
    for (;;) {
        QLocalSocket socket;
        socket.connectToServer(m_socket);
        if (socket.waitForConnected(1000)) {
            socket.write(line);
            bool written = true;
            while (written && socket.bytesToWrite() > 0)
                written = socket.waitForBytesWritten(answerMilliseconds);
            if (written && socket.waitForReadyRead(answerMilliseconds) && socket.readAll().startsWith("ok"))
                return true;
            // Who hangs up without a word was killed in this moment, and its socket outlived it by a few ms.
            if (socket.state() != QLocalSocket::UnconnectedState)
                return noAnswer();
        }
        // Nobody listens. If somebody is about to (holds the lock), wait for them.
        const auto lock = QFile::exists(m_folder) ? claim(m_folder + QStringLiteral("/workbench.lock"))
                                                  : Result<std::optional<FileLock>>(std::nullopt);
        if (!QFile::exists(m_folder) || !lock || lock->has_value())
            return false;
        if (std::chrono::steady_clock::now() > deadline)
            return noAnswer();
        std::this_thread::sleep_for(20ms);
    }
}

Status SingleInstance::listen()
{
    if (QFile::encodeName(m_socket).size() > longestSocketPath)
        return fail(
            ErrorCode::Unsupported,
            Text(QT_TRANSLATE_NOOP("engine", "The path %1 is too long for a socket: files opened elsewhere get a "
                                             "window of their own."),
                 {m_socket}));
    if (auto made = makePrivateFolder(m_folder); !made)
        return made;
    auto lock = claim(m_folder + QStringLiteral("/workbench.lock"));
    if (!lock)
        return std::unexpected(lock.error());
    if (!*lock)
        return fail(
            ErrorCode::Busy,
            Text(QT_TRANSLATE_NOOP("engine", "Another Glovebox window is open: files opened elsewhere land there.")));
    m_lock = std::move(*lock);
    // The lock is ours, so a socket that is there is left over.
    QLocalServer::removeServer(m_socket);
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    if (!m_server.listen(m_socket))
        return fail(
            ErrorCode::Io,
            Text(QT_TRANSLATE_NOOP("engine", "Files opened elsewhere get a window of their own: %1 could not be made."),
                 {m_socket}),
            Text("%1", {m_server.errorString()}));
    return {};
}

void SingleInstance::stop()
{
    m_server.close(); // and removes its socket
    m_lock.reset();
}

void SingleInstance::onConnection()
{
    while (QLocalSocket *socket = m_server.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        if (!isOwnUser(socket->socketDescriptor())) {
            socket->abort();
            continue;
        }
        auto take = [this, socket, line = std::make_shared<QByteArray>()] {
            if (!m_server.isListening()) // this window closes; who asks opens one
                return socket->abort();
            const QByteArray more = socket->readAll();
            *line += more;
            if (!more.contains('\n')) {
                if (line->size() > largestRequest)
                    socket->abort();
                return;
            }
            const auto request = parse(line->first(line->indexOf('\n')).trimmed());
            socket->write(request ? "ok\n" : "no\n");
            socket->disconnectFromServer();
            if (request)
                Q_EMIT received(*request);
        };
        connect(socket, &QLocalSocket::readyRead, this, take);
        take();
    }
}

} // namespace glovebox
