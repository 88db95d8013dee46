// SPDX-License-Identifier: Apache-2.0
#include "hangingfilesystem.h"

#include <QFile>

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace glovebox::test {

namespace {

void write(const char *file, const QByteArray &text)
{
    QFile out(QString::fromLatin1(file));
    if (out.open(QIODevice::WriteOnly))
        out.write(text);
}

void reply(int device, const fuse_in_header &request, const void *body, std::size_t size, int error = 0)
{
    fuse_out_header head{
        .len = std::uint32_t(sizeof(fuse_out_header) + size), .error = -error, .unique = request.unique};
    const iovec parts[]{{&head, sizeof head}, {const_cast<void *>(body), size}};
    [[maybe_unused]] const ssize_t written = ::writev(device, parts, size == 0 ? 1 : 2);
}

} // namespace

QString enterOwnMounts()
{
    const uid_t uid = ::geteuid();
    const gid_t gid = ::getegid();
    if (::unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return QStringLiteral("unshare: ") + errnoText(errno);
    if (uid != 0) {
        write("/proc/self/setgroups", "deny");
        write("/proc/self/uid_map", QByteArray::number(uid) + ' ' + QByteArray::number(uid) + " 1");
        write("/proc/self/gid_map", QByteArray::number(gid) + ' ' + QByteArray::number(gid) + " 1");
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return QStringLiteral("mount: ") + errnoText(errno);
    return {};
}

HangingFileSystem::HangingFileSystem(QString folder, Answers answers)
    : m_folder(std::move(folder))
    , m_answers(answers)
    , m_device(::open("/dev/fuse", O_RDWR | O_CLOEXEC))
    , m_end(::eventfd(0, EFD_CLOEXEC))
{
    if (!m_device) {
        m_problem = QStringLiteral("/dev/fuse: ") + errnoText(errno);
        return;
    }
    const QByteArray options = "fd=" + QByteArray::number(m_device.get()) + ",rootmode=40000,user_id="
                               + QByteArray::number(::geteuid()) + ",group_id=" + QByteArray::number(::getegid());
    if (::mount("hanging", QFile::encodeName(m_folder).constData(), "fuse", MS_NOSUID | MS_NODEV, options.constData())
        != 0) {
        m_problem = QStringLiteral("mount: ") + errnoText(errno);
        return;
    }
    m_thread = std::jthread([this] { serve(); });
}

HangingFileSystem::~HangingFileSystem()
{
    if (!m_thread.joinable())
        return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_end.get(), &one, sizeof one);
    m_thread.join();
    m_device.reset();
    ::umount2(QFile::encodeName(m_folder).constData(), MNT_DETACH);
}

void HangingFileSystem::serve()
{
    std::vector<char> buffer(256 * 1024);
    for (;;) {
        std::array<pollfd, 2> sources{{{m_device.get(), POLLIN, 0}, {m_end.get(), POLLIN, 0}}};
        ::poll(sources.data(), sources.size(), -1);
        if (sources[1].revents)
            return;
        if (::read(m_device.get(), buffer.data(), buffer.size()) < ssize_t(sizeof(fuse_in_header)))
            continue;
        fuse_in_header request{};
        std::memcpy(&request, buffer.data(), sizeof request);
        const bool answers = m_answers == Answers::UntilTold && !m_isSilent;
        const bool looks = m_answers == Answers::Looks || answers;
        if (request.opcode == FUSE_INIT) {
            const fuse_init_out init{
                .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096};
            reply(m_device.get(), request, &init, sizeof init);
        } else if (looks && request.opcode == FUSE_GETATTR) {
            fuse_attr_out out{};
            out.attr.ino = 1;
            out.attr.mode = S_IFDIR | 0755;
            out.attr.nlink = 2;
            out.attr.uid = ::geteuid();
            out.attr.gid = ::getegid();
            reply(m_device.get(), request, &out, sizeof out);
        } else if (looks && request.opcode == FUSE_OPENDIR) {
            const fuse_open_out out{};
            reply(m_device.get(), request, &out, sizeof out);
        } else if (answers && (request.opcode == FUSE_READDIR || request.opcode == FUSE_READDIRPLUS)) {
            reply(m_device.get(), request, nullptr, 0); // there is nothing in it
        } else if (answers && request.opcode == FUSE_STATFS) {
            const fuse_statfs_out out{};
            reply(m_device.get(), request, &out, sizeof out);
        } else if (looks && request.opcode != FUSE_READDIR && request.opcode != FUSE_READDIRPLUS) {
            if (request.opcode != FUSE_FORGET && request.opcode != FUSE_BATCH_FORGET)
                reply(m_device.get(), request, nullptr, 0, ENOSYS);
        } else {
            ++m_left;
        }
    }
}

} // namespace glovebox::test
