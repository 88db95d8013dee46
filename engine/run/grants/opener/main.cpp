// SPDX-License-Identifier: Apache-2.0
// glovebox-opener: touches what a person grants to a run, and what changes of runs are applied to, so that the engine needn't. A file
// system may not answer (FUSE, NFS), and whoever touches it then stands still, for ever and beyond the reach of any signal. The engine can
// give this program up; it couldn't do so with a thread of its own.
#include "message.h"
#include "spacewatch.h"

#include "engine/folders/folders.h"
#include "engine/sandbox/sandbox.h"

#include <QFile>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

using namespace glovebox;
using opener::Request;

namespace {

constexpr int channel = 0; // standard input

// Also in the middle of a copy.
void endWithTheEngine()
{
    for (pollfd end{channel, 0, 0}; !(end.revents & POLLHUP);)
        ::poll(&end, 1, -1);
    ::_exit(0);
}

UniqueFd readable(int folder, const char *path = ".")
{
    return UniqueFd(::openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

struct Folder
{
    OpenedFolder opened;
    FolderGrant::Mode mode = FolderGrant::Mode::ReadOnly;
    std::optional<SensitiveFiles> before;
};

class Program
{
public:
    // False: the engine is gone.
    bool serveNext()
    {
        opener::Message message;
        if (opener::receive(channel, message) != 0)
            return false;
        QDataStream in(message.bytes);
        Request request{};
        in >> request;
        m_handle = -1;
        const Result<QByteArray> answer = answerTo(request, in, message.descriptor.get());
        return !answer || !answer->isNull() ? send(request, answer) : true;
    }

private:
    bool send(Request request, const Result<QByteArray> &answer) const
    {
        QByteArray bytes;
        QDataStream out(&bytes, QIODevice::WriteOnly);
        out << request << !answer.has_value();
        if (answer)
            out << *answer;
        else
            opener::operator<<(out, answer.error());
        return opener::send(channel, bytes, m_handle) == 0;
    }

    template<typename... Fields> static QByteArray bytesOf(const Fields &...fields)
    {
        QByteArray bytes("");
        QDataStream out(&bytes, QIODevice::WriteOnly);
        static_cast<void>((out << ... << fields));
        return bytes;
    }

    // Null: no answer now. request: the one that is answered.
    Result<QByteArray> answerTo(Request &request, QDataStream &in, int descriptor)
    {
        switch (request) {
        case Request::Open:
            return open(in);
        case Request::Measure:
            return measure(in);
        case Request::Watch: {
            qint64 pid = 0;
            in >> pid;
            if (m_watch)
                m_watch->follow(pid_t(pid));
            return m_watch && m_watch->waitUntilOver(channel) ? bytesOf() : QByteArray();
        }
        case Request::Decide:
            return decide(request, in);
        case Request::EndWatch:
            return bytesOf(m_watch && m_watch->isOver());
        case Request::Stop: // came when all was done
            return QByteArray();
        default:
            break;
        }
        qint64 index = 0;
        QByteArray bytes;
        in >> index >> bytes;
        if (index < 0 || index >= std::ssize(m_folders))
            return fail(ErrorCode::Internal, Text("no such folder"));
        Folder &folder = m_folders[std::size_t(index)];
        const int handle = folder.opened.handle->get();
        switch (request) {
        case Request::Count: {
            const auto size = countFolder(bytes, handle);
            return size ? bytesOf(size->bytes, size->entries) : Result<QByteArray>(std::unexpected(size.error()));
        }
        case Request::Copy:
            return copyFolder(bytes, handle, descriptor);
        case Request::Compare:
            return compareFolder(bytes, handle, descriptor);
        case Request::Remember:
            folder.before.emplace(handle);
            return bytesOf();
        case Request::Changes: {
            if (!folder.before)
                return bytesOf(false, QList<FolderChange>());
            const QList<FolderChange> changes = folder.before->changes();
            return bytesOf(folder.before->isWhole(), changes);
        }
        case Request::Written: {
            const WrittenFiles written =
                folder.before && descriptor >= 0 ? folder.before->written(descriptor) : WrittenFiles();
            return bytesOf(written.files, written.left);
        }
        default:
            return fail(ErrorCode::Internal, Text("no such request"));
        }
    }

    Result<QByteArray> open(QDataStream &in)
    {
        FolderGrant grant;
        OwnFolders own;
        quint32 version = 0;
        in >> version;
        if (version != opener::protocolVersion)
            return bytesOf(opener::protocolVersion);
        in >> grant.hostPath >> grant.path >> grant.mode >> own.data >> own.programs >> own.servers;
        const auto folder = openFolder(grant, own);
        if (!folder)
            return std::unexpected(folder.error());
        m_handle = folder->handle->get();
        m_folders.push_back({*folder, grant.mode, {}});
        return bytesOf(opener::protocolVersion, folder->hostPath, folder->path, folder->writable, folder->device,
                       folder->inode);
    }

    Result<QByteArray> decide(Request &request, QDataStream &in)
    {
        quint32 version = 0;
        in >> version;
        if (version != opener::protocolVersion)
            return bytesOf(opener::protocolVersion);
        QString data;
        FolderDeed deed{};
        QString run;
        bool isSome = false;
        QList<FolderChanges> chosen;
        in >> data >> deed >> run >> isSome >> chosen;
        const auto begin = [&](const PendingChanges &waiting) -> Status {
            bool may = false;
            bool isThere =
                send(request, bytesOf(opener::protocolVersion, waiting.run, waiting.folders, waiting.isCutShort));
            for (request = Request::Stop; isThere && request == Request::Stop;) {
                opener::Message message;
                isThere = opener::receive(channel, message) == 0;
                QDataStream answer(message.bytes);
                answer >> request >> may;
                m_isStopped = m_isStopped || request == Request::Stop;
            }
            return may ? Status() : fail(ErrorCode::Cancelled, Text("not begun"));
        };
        Paths paths;
        paths.data = data;
        Staging staging(paths, newId(Clock::system()), runIdentity);
        if (deed == FolderDeed::Discard) {
            const Status discarded = staging.discard(run, begin);
            return discarded ? bytesOf() : Result<QByteArray>(std::unexpected(discarded.error()));
        }
        m_isStopped = false;
        const auto progress = [this](const AppliedUntilNow &now) { return tell(now); };
        const auto report =
            deed == FolderDeed::Apply
                ? staging.apply(run, begin, isSome ? ChosenChanges(std::move(chosen)) : ChosenChanges(), progress)
                : staging.undo(run, begin, progress);
        if (!report)
            return std::unexpected(report.error());
        QByteArray bytes;
        QDataStream out(&bytes, QIODevice::WriteOnly);
        opener::operator<<(out, *report);
        return bytes;
    }

    // Nothing but Stop comes while changes are applied or undone. False: it has come.
    bool tell(const AppliedUntilNow &now)
    {
        constexpr auto betweenTelling = std::chrono::milliseconds(100);
        pollfd asked{channel, POLLIN, 0};
        opener::Message message;
        if (!m_isStopped && ::poll(&asked, 1, 0) == 1)
            m_isStopped = opener::receive(channel, message) == 0;
        const auto time = std::chrono::steady_clock::now();
        if (!m_isStopped && time - m_told >= betweenTelling) {
            m_told = time;
            send(Request::Progress, bytesOf(now.changes, now.allChanges, now.bytes, now.allBytes));
        }
        return !m_isStopped;
    }

    Result<QByteArray> measure(QDataStream &in)
    {
        QStringList copies;
        TreeSize most;
        in >> copies >> most.bytes >> most.entries;
        std::vector<UniqueFd> folders;
        for (const Folder &folder : m_folders) {
            if (folder.mode == FolderGrant::Mode::ReadWrite)
                folders.push_back(readable(folder.opened.handle->get()));
        }
        for (const QString &copy : std::as_const(copies))
            folders.push_back(readable(AT_FDCWD, QFile::encodeName(copy).constData()));
        m_watch.emplace(std::move(folders), most);
        return bytesOf(m_watch->isCountable());
    }

    std::vector<Folder> m_folders;
    std::optional<opener::SpaceWatch> m_watch;
    int m_handle = -1; // goes with the answer
    bool m_isStopped = false;
    std::chrono::steady_clock::time_point m_told;
};

} // namespace

int main()
{
    std::thread(endWithTheEngine).detach();
    Program program;
    while (program.serveNext()) { }
    return 0;
}
