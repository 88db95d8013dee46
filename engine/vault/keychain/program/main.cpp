// SPDX-License-Identifier: Apache-2.0
// glovebox-keychain: carries out one request to the system's keychain, and ends. A keychain may hang, block or ask the person; this
// program can be killed then. It keeps D-Bus and GLib out of every other program of Glovebox.
#include "secretservice.h"

#include "engine/base/base.h"
#include "engine/vault/keychain/messages.h"

#include <qt6keychain/keychain.h>

#include <QCoreApplication>
#include <QSettings>

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

using namespace Qt::StringLiterals;

namespace {

QByteArray readRequest()
{
    QByteArray request(glovebox::keychain::largestMessage, Qt::Uninitialized);
    qsizetype size = 0;
    while (size < request.size()) {
        const ssize_t count = ::read(STDIN_FILENO, request.data() + size, size_t(request.size() - size));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        size += count;
    }
    request.truncate(size);
    return request;
}

int reply(const QByteArray &line, const QByteArray &rest = {})
{
    const QByteArray message = line + '\n' + rest;
    return glovebox::writeWhole(STDOUT_FILENO, {message.constData(), size_t(message.size())}) ? 0 : 1;
}

int replyTo(const QKeychain::Job &job, const QByteArray &value = {})
{
    switch (job.error()) {
    case QKeychain::NoError:
        return reply("ok", value);
    case QKeychain::EntryNotFound:
        return reply("missing");
    case QKeychain::AccessDeniedByUser:
    case QKeychain::AccessDenied:
        return reply("state denied", job.errorString().toUtf8());
    case QKeychain::NoBackendAvailable:
    case QKeychain::NotImplemented:
        return reply("state absent", job.errorString().toUtf8());
    case QKeychain::CouldNotDeleteEntry:
    case QKeychain::OtherError:
        break;
    }
    return reply("failed", job.errorString().toUtf8());
}

// The settings are the job's own and empty: with KWallet, QtKeychain else takes over what lies in plain text in those of the
// application, and with the fallback on it would put values there.
void run(QKeychain::Job &job, const QString &slot)
{
    QSettings nowhere(u"/dev/null"_s, QSettings::IniFormat);
    job.setSettings(&nowhere);
    job.setInsecureFallback(false);
    job.setAutoDelete(false);
    job.setKey(slot);
    QObject::connect(&job, &QKeychain::Job::finished, QCoreApplication::instance(), &QCoreApplication::quit,
                     Qt::QueuedConnection);
    job.start();
    QCoreApplication::exec();
}

int handle(const QByteArray &request)
{
    const qsizetype end = request.indexOf('\n');
    if (end < 0)
        return reply("failed", "no whole request");
    const QByteArray line = request.first(end);
    const QByteArray verb = line.left(line.indexOf(' ') < 0 ? line.size() : line.indexOf(' '));
    const QString slot = QString::fromUtf8(line.mid(verb.size() + 1));
    const auto service = QString::fromLatin1(glovebox::keychain::service);

    using namespace glovebox::keychain;
    const ServiceState state = verb == "unlock" ? unlockService() : lookAtService();
    if (state.word == "dismissed")
        return reply("dismissed");
    if (verb == "unlock" && state.word == "ready")
        return reply("ok");
    if (verb == "state" || state.word != "ready")
        return reply("state " + state.word, state.detail);
    if (verb == "list") {
        const auto slotNames = glovebox::keychain::slotsOf(service);
        return slotNames ? reply("ok", slotNames->join(u'\n').toUtf8()) : reply("nolist");
    }
    if (verb == "read") {
        QKeychain::ReadPasswordJob job(service);
        run(job, slot);
        return replyTo(job, job.binaryData());
    }
    if (verb == "write") {
        QKeychain::WritePasswordJob job(service);
        job.setBinaryData(request.mid(end + 1));
        run(job, slot);
        return replyTo(job);
    }
    if (verb == "remove") {
        QKeychain::DeletePasswordJob job(service);
        run(job, slot);
        return replyTo(job);
    }
    return reply("failed", "unknown request");
}

} // namespace

int main(int argc, char **argv)
{
    const rlimit noCore{1, 1}; // 0 doesn't keep handlers that core files are piped to from being started
    ::setrlimit(RLIMIT_CORE, &noCore);
    ::alarm(
        unsigned(glovebox::keychain::longestRequest.count() + 1)); // also when the engine that would kill it is gone
    if (::isatty(STDIN_FILENO)) {
        std::fputs("glovebox-keychain is started by Glovebox, not by people. See \"glovebox secret --help\".\n",
                   stderr);
        return 2;
    }
    const QCoreApplication application(argc, argv);
    return handle(readRequest());
}
