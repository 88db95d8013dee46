// SPDX-License-Identifier: Apache-2.0
// A program of Glovebox's own, which the engine talks to over a socket and can kill.
#pragma once

#include "descriptor.h"
#include "engine/base/result.h"

#include <QString>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/types.h>

namespace glovebox {

struct ProgramStart
{
    QString path;
    std::vector<std::string> arguments;
    int socket = SOCK_SEQPACKET; // the type of the channel
    std::vector<int> channelAt{3}; // the numbers of the program's end of it
    std::vector<UniqueFd> descriptors; // 4, 5, ... of the program
    std::vector<std::string> environment; // NAME=value
    bool keepsEnvironment = false; // it has the engine's instead
};

// Used by one thread at a time.
class OwnProgram
{
public:
    OwnProgram() = default;
    OwnProgram(const OwnProgram &) = delete;
    OwnProgram &operator=(const OwnProgram &) = delete;
    // Kills the program. Nobody waits for one that a hanging file system keeps from ending.
    ~OwnProgram();

    // In a session of its own, with the default signals; what it isn't given of the standard streams is /dev/null. Safe
    // in a program with threads. Unavailable: the sentence names the program and says why.
    Status start(ProgramStart start);
    pid_t process() const { return m_process; } // -1: not started, or ended
    int channel() const { return m_channel.get(); }
    // For the program that is the end of file.
    void closeChannel() { m_channel.reset(); }
    // Whether it has ended, or does so within this time.
    bool endsWithin(std::chrono::milliseconds time);
    // For a program whose channel ended before its first word: Unavailable, naming it, with the reason: a library is missing, its file
    // is damaged, or how it ended. Waits at most 1 s for its end; nothing: it goes on.
    std::optional<Error> whyNotLoaded();

private:
    QString m_path;
    UniqueFd m_channel;
    UniqueFd m_complaints; // its standard error, where the loader says what is missing
    pid_t m_process = -1;
    int m_status = 0; // of wait(2), once it ended
};

struct MissingLibrary
{
    QString name; // "libjpeg.so.62"
    QString package; // on Debian and Ubuntu

    bool operator==(const MissingLibrary &) const = default;
};
// What a loader (of programs, of Qt's plugins) said is missing; nothing: it said something else.
std::optional<MissingLibrary> missingLibrary(const QString &said);

// whyNotLoaded() of a program at this path that somebody else started: status is that of wait(2), said its standard error, which is
// believed.
Error whyNotLoaded(const QString &path, int status, const QByteArray &said);

} // namespace glovebox
