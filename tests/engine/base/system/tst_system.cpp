// SPDX-License-Identifier: Apache-2.0
// What systems do differently is promised by one header, and held to it: where POSIX has no way that is as safe, it refuses.
#include "engine/base/base.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <tuple>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

#ifdef GLOVEBOX_POSIX
constexpr bool byPosix = true;
#else
constexpr bool byPosix = false;
#endif

// A listener of 127.0.0.1, what connected to it, and what it took.
struct Loopback
{
    UniqueFd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    UniqueFd client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    UniqueFd taken;

    Loopback()
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto *where = reinterpret_cast<sockaddr *>(&address);
        if (::bind(listener.get(), where, size) == 0 && ::listen(listener.get(), 1) == 0
            && ::getsockname(listener.get(), where, &size) == 0 && ::connect(client.get(), where, size) == 0)
            taken.reset(::accept(listener.get(), nullptr, nullptr));
    }
};

} // namespace

class TestSystem : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_room;
    UniqueFd m_folder;

    QByteArray at(const char *name) const { return QFile::encodeName(m_room->filePath(QString::fromLatin1(name))); }
    void write(const char *name, const QByteArray &bytes, mode_t mode = 0600) const
    {
        const UniqueFd file(::open(at(name).constData(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        QVERIFY(writeWhole(file.get(), {bytes.constData(), std::size_t(bytes.size())}));
        QCOMPARE(::fchmod(file.get(), mode), 0);
    }
    QByteArray read(const char *name) const
    {
        const UniqueFd file(::open(at(name).constData(), O_RDONLY | O_CLOEXEC));
        return file ? QByteArray::fromStdString(readWhole(file.get())) : QByteArray("(none)");
    }
    struct stat infoOf(const char *name) const
    {
        struct stat info = {};
        ::lstat(at(name).constData(), &info);
        return info;
    }

private Q_SLOTS:
    void init()
    {
        m_room = std::make_unique<QTemporaryDir>();
        m_folder.reset(::open(QFile::encodeName(m_room->path()).constData(), folderFlags));
        QVERIFY(m_folder);
    }

    void aPlaceIsHeldWithoutBeingRead()
    {
        write("file", "text");
        QCOMPARE(::mkdir(at("folder").constData(), 0700), 0);
        for (const char *name : {"file", "folder"}) {
            const UniqueFd place = openPlace(m_folder.get(), name);
            struct stat info = {};
            QVERIFY(place && ::fstat(place.get(), &info) == 0);
            QCOMPARE(info.st_ino, infoOf(name).st_ino);
            QVERIFY(::fcntl(place.get(), F_GETFD) & FD_CLOEXEC);
        }
        QVERIFY(!openPlace(m_folder.get(), "nothing"));
        QCOMPARE(errno, ENOENT);
    }

    // Where a link can't be held, nobody gets what it leads to instead; and whoever waits for a FIFO may do so for ever.
    void aPlaceIsNeverWhatALinkLeadsToAndWaitsForNothing()
    {
        write("file", "text");
        QCOMPARE(::symlink("file", at("link").constData()), 0);
        QCOMPARE(::mkfifo(at("fifo").constData(), 0600), 0);
        for (const char *name : {"link", "fifo"}) {
            errno = 0;
            const UniqueFd place = openPlace(m_folder.get(), name);
            QCOMPARE(bool(place), !byPosix);
            if (byPosix) {
                QCOMPARE(errno, ENOTSUP);
                continue;
            }
            struct stat info = {};
            QCOMPARE(::fstat(place.get(), &info), 0);
            QCOMPARE(info.st_ino, infoOf(name).st_ino);
        }
    }

    // Also when its name is another file's by now.
    void aHeldFileIsChangedWhateverItsName()
    {
        write("file", "text", 0640);
        const UniqueFd place = openPlace(m_folder.get(), "file");
        QCOMPARE(::rename(at("file").constData(), at("moved").constData()), 0);
        write("file", "other", 0644);
        QVERIFY(changeMode(place.get(), 0600));
        QCOMPARE(infoOf("moved").st_mode & 07777, 0600U);
        const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = 1'000'000, .tv_nsec = 0}};
        QVERIFY(changeTimes(place.get(), times));
        QCOMPARE(infoOf("moved").st_mtim.tv_sec, 1'000'000);
        QVERIFY(changeOwner(place.get(), ::geteuid(), ::getegid()));
        QCOMPARE(infoOf("file").st_mode & 07777, 0644U);
        errno = 0;
        const UniqueFd opened = openHeld(place.get(), O_RDONLY | O_CLOEXEC);
        QCOMPARE(bool(opened), !byPosix);
        QCOMPARE(byPosix ? std::to_string(errno) : readWhole(opened.get()), byPosix ? std::to_string(ENOTSUP) : "text");
    }

    void aFolderIsHeldForWhatIsInIt()
    {
        QCOMPARE(::mkdir(at("folder").constData(), 0700), 0);
        QCOMPARE(::symlink("folder", at("link").constData()), 0);
        write("folder/file", "text");
        for (const char *name : {"folder", "link"}) {
            const UniqueFd folder = openFolderPlace(at(name).constData());
            const UniqueFd file(::openat(folder.get(), "file", fileFlags));
            QCOMPARE(readWhole(file.get()), "text");
        }
        QVERIFY(!openFolderPlace(at("link").constData(), O_NOFOLLOW));
        QVERIFY(!openFolderPlace(at("folder/file").constData()));
    }

    void nothingBeneathLeadsOut()
    {
        QVERIFY(QDir(m_room->path()).mkpath(u"within/deep"_s));
        write("outside", "secret");
        write("within/deep/file", "text");
        QCOMPARE(::symlink("../outside", at("within/link").constData()), 0);
        QCOMPARE(::symlink("..", at("within/up").constData()), 0);
        QCOMPARE(::symlink("deep", at("within/down").constData()), 0);
        const UniqueFd within = openFolderPlace(at("within").constData());
        const auto content = [&](const QByteArray &path) {
            const UniqueFd file = openBeneath(within.get(), path.constData(), O_RDONLY | O_CLOEXEC);
            return file ? QByteArray::fromStdString(readWhole(file.get())) : QByteArray::number(errno);
        };
        for (const char *path : {"deep/file", "./deep/file", "deep//file", "deep/./file"})
            QCOMPARE(content(path), QByteArray("text"));
        for (const QByteArray &path : {QByteArray("../outside"), QByteArray("deep/../../outside"), at("outside")})
            QCOMPARE(content(path), QByteArray::number(EXDEV));
        for (const char *path : {"link", "up/outside", "up/within/deep/file"})
            QVERIFY2(content(path) != "secret" && content(path) != "text", path);
        QCOMPARE(content("down/file") == "text", !byPosix);
        QCOMPARE(content("nothing"), QByteArray::number(ENOENT));
        QCOMPARE(content(""), QByteArray::number(ENOENT));
    }

    void aDescriptorHasAPath()
    {
        write("file", "text");
        const UniqueFd file(::open(at("file").constData(), fileFlags));
        const QByteArray path = pathOfDescriptor(file.get());
        const UniqueFd again(::open(path.constData(), O_RDONLY | O_CLOEXEC));
        QCOMPARE(readWhole(again.get()), "text");
        QCOMPARE(descriptorOfPath(path), std::optional(file.get()));
        QCOMPARE(descriptorOfPath("/dev/fd/7"), std::optional(7));
        for (const char *other : {"/dev/fd/", "/dev/fd/x", "/dev/null", "7", "", "/dev/fd/7/file"})
            QCOMPARE(descriptorOfPath(other), std::optional<int>());
    }

    // A new name is never one that somebody has.
    void renamingReplacesNothing()
    {
        write("one", "1");
        write("two", "2");
        QCOMPARE(renameToNew(m_folder.get(), "one", "two"), EEXIST);
        QCOMPARE(read("one") + read("two"), QByteArray("12"));
        QCOMPARE(renameToNew(m_folder.get(), "one", "three"), 0);
        QVERIFY(!QFile::exists(QFile::decodeName(at("one"))));
        QCOMPARE(read("three"), QByteArray("1"));
        QCOMPARE(infoOf("three").st_nlink, nlink_t(1));
        QCOMPARE(renameToNew(m_folder.get(), "nothing", "four"), ENOENT);
        QCOMPARE(::mkdir(at("folder").constData(), 0700), 0);
        QCOMPARE(renameToNew(m_folder.get(), "folder", "other"), byPosix ? EOPNOTSUPP : 0);
        QVERIFY(QFile::exists(QFile::decodeName(at(byPosix ? "folder" : "other"))));
    }

    void aLinkGetsANewNameAsItself()
    {
        QCOMPARE(::symlink("nowhere", at("link").constData()), 0);
        QCOMPARE(renameToNew(m_folder.get(), "link", "named"), 0);
        QCOMPARE(linkTarget(m_folder.get(), "named"), QByteArray("nowhere"));
        QVERIFY(!QFileInfo(QFile::decodeName(at("link"))).isSymLink());
    }

    // As where the system can't do it at once.
    void renamingByALinkReplacesNothing()
    {
        write("one", "1");
        write("two", "2");
        QCOMPARE(renameByLink(m_folder.get(), "one", "two"), EEXIST);
        QCOMPARE(renameByLink(m_folder.get(), "one", "three"), 0);
        QCOMPARE(read("one") + read("two") + read("three"), QByteArray("(none)21"));
        QCOMPARE(::mkdir(at("folder").constData(), 0700), 0);
        QCOMPARE(renameByLink(m_folder.get(), "folder", "other"), EOPNOTSUPP);
    }

    void aNamelessFileGetsANameThatNobodyHas()
    {
        const UniqueFd file = openNameless(m_folder.get(), ".", O_WRONLY);
        if (!file) {
            QCOMPARE(errno, EOPNOTSUPP); // by POSIX, and on some file systems
            QVERIFY(nameFile(m_folder.get(), m_folder.get(), "name") != 0);
            return;
        }
        QVERIFY(!byPosix && writeWhole(file.get(), "text"));
        QVERIFY(QDir(m_room->path()).isEmpty());
        write("taken", "other");
        QCOMPARE(nameFile(file.get(), m_folder.get(), "taken"), EEXIST);
        QCOMPARE(nameFile(file.get(), m_folder.get(), "name"), 0);
        QCOMPARE(read("name") + read("taken"), QByteArray("textother"));
    }

    void twoNamesAreExchangedOrStay()
    {
        write("one", "1");
        QCOMPARE(::symlink("one", at("two").constData()), 0);
        const int error = exchangeNames(at("one").constData(), at("two").constData());
        QCOMPARE(error, byPosix ? ENOTSUP : 0);
        QCOMPARE(QFileInfo(QFile::decodeName(at("one"))).isSymLink(), !byPosix);
        QCOMPARE(QFileInfo(QFile::decodeName(at("two"))).isSymLink(), byPosix);
    }

    // The group's bits may be the mask of a list that gives it less.
    void noGroupGetsMoreThanItHad()
    {
        for (const auto &[mode, isPlain] : {std::pair(0664U, false), {0644U, true}, {0600U, true}, {0750U, false}}) {
            write("from", "", mode);
            write("to", "");
            const UniqueFd from(::open(at("from").constData(), fileFlags));
            const UniqueFd to(::open(at("to").constData(), O_WRONLY | O_CLOEXEC));
            QCOMPARE(copyAttributes(from.get(), to.get()), isPlain || !byPosix);
            QCOMPARE(plainPermissions(m_folder.get(), "from", mode),
                     byPosix ? mode & (~070U | (mode & 7U) << 3) : mode);
            QCOMPARE(removeAccessList(to.get()), !byPosix);
        }
    }

    void aFolderMayBeMarkedAsMadeByGlovebox()
    {
        QCOMPARE(::mkdir(at("folder").constData(), 0700), 0);
        QVERIFY(!isMarkedAsMade(at("folder").constData()));
        const bool isMarked = markAsMade(at("folder").constData()); // not every file system can
        QVERIFY(!(byPosix && isMarked));
        QCOMPARE(isMarkedAsMade(at("folder").constData()), isMarked);
        QVERIFY(!markAsMade(at("folder").constData())); // twice
    }

    void bytesAreCopiedOrItIsSaid()
    {
        write("from", "0123456789");
        write("to", "..");
        const UniqueFd from(::open(at("from").constData(), fileFlags));
        const UniqueFd to(::open(at("to").constData(), O_RDWR | O_CLOEXEC));
        const qint64 copied = copyRange(from.get(), 3, to.get(), 1, 4);
        QVERIFY(copied == 4 || copied == -1);
        QVERIFY(!byPosix || copied == -1);
        QCOMPARE(read("to"), copied < 0 ? QByteArray("..") : QByteArray(".3456"));
    }

    void whatIsWrittenBelowIsSynced()
    {
        QVERIFY(QDir(m_room->path()).mkpath(u"deep/er"_s));
        write("deep/er/file", "text");
        QCOMPARE(::symlink("nowhere", at("deep/link").constData()), 0);
        QCOMPARE(::mkfifo(at("deep/fifo").constData(), 0600), 0);
        QVERIFY(syncBelow(m_folder.get()));
        QVERIFY(!syncBelow(-1));
        QVERIFY(errno != 0);
    }

    void aProcessIsKnownOrNotAtAll()
    {
        const qint64 self = ::getpid();
        QCOMPARE(programOfProcess(self),
                 byPosix ? QString() : QFileInfo(QCoreApplication::applicationFilePath()).canonicalFilePath());
        QCOMPARE(folderOfProcess(self), byPosix ? QString() : QDir::currentPath());
        QCOMPARE(parentOfProcess(self), byPosix ? 0 : qint64(::getppid()));
        QCOMPARE(processesOfMachine().contains(self), !byPosix);
        QCOMPARE(argumentsOfProcess(self).contains("tst_system"), !byPosix);
        QCOMPARE(environmentOfProcess(self).contains("PATH="), !byPosix);
        QCOMPARE(statusOfProcess(self)["Pid"], byPosix ? QByteArray() : QByteArray::number(self));
        QCOMPARE(startOfProcess(pid_t(self)).isEmpty(), byPosix);
        QVERIFY(programOfProcess(0).isEmpty() && parentOfProcess(0) == 0 && statusOfProcess(0).isEmpty());
    }

    // How much is held is never told as nothing by a system that doesn't say.
    void processesBelowAreKnownOrNotAtAll()
    {
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        UniqueFd out(ends[0]), in(ends[1]);
        const pid_t child = ::fork();
        if (child == 0) {
            in.reset();
            char byte = 0;
            std::ignore = ::read(out.get(), &byte, 1);
            ::_exit(0);
        }
        const auto below = processesBelow(::getpid());
        const QByteArray states = statesOfProcess(child);
        const auto held = namelessBelow(::getpid(), {});
        in.reset();
        ::waitpid(child, nullptr, 0);
        QCOMPARE(below, byPosix ? std::vector<pid_t>() : std::vector{child});
        QCOMPARE(states.size(), byPosix ? 0 : 1);
        QCOMPARE(held, byPosix ? std::nullopt : std::optional<qint64>(0));
        QVERIFY(statesOfProcess(child).isEmpty());
    }

    void theOtherEndIsThisUsersOrNobodysKnown()
    {
        const Loopback connection;
        QVERIFY(connection.taken);
        const auto peer = loopbackPeerOf(connection.taken.get());
        QCOMPARE(peer.has_value(), !byPosix);
        if (peer) {
            QCOMPARE(peer->uid, ::getuid());
            QCOMPARE(processOf(*peer), qint64(::getpid()));
        }
        QVERIFY(!loopbackPeerOf(connection.listener.get()));
        QVERIFY(!loopbackPeerOf(-1));

        std::array<int, 2> ends{};
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        const UniqueFd one(ends[0]), other(ends[1]);
        QCOMPARE(peerOf(one.get()), byPosix ? std::nullopt : std::optional(Peer{::getpid(), ::getuid()}));
        QVERIFY(!peerOf(-1));
    }

    // A listener that can't tell runs from programs of this machine must not be one.
    void packetsFromAfarAreRefusedOrItIsSaid()
    {
        const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        errno = 0;
        QCOMPARE(refuseFewerHops(listener.get(), 60), !byPosix);
        QCOMPARE(errno, byPosix ? ENOTSUP : 0);
    }

    void aSocketHasAnAddressOrItsPathIsTooLong()
    {
        const auto connects = [](const sockaddr_un &address) {
            const auto *where = reinterpret_cast<const sockaddr *>(&address);
            const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
            const UniqueFd visitor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
            return ::bind(listener.get(), where, sizeof address) == 0 && ::listen(listener.get(), 1) == 0
                   && ::connect(visitor.get(), where, sizeof address) == 0;
        };
        const auto address = unixAddress(m_folder.get(), m_room->path(), u"door"_s);
        QVERIFY(address && connects(*address));
        QVERIFY(S_ISSOCK(infoOf("door").st_mode));

        const QString deep = m_room->path() + u'/' + QString(120, u'd');
        QVERIFY(QDir().mkpath(deep));
        const UniqueFd folder = openFolderPlace(QFile::encodeName(deep).constData());
        const auto farther = unixAddress(folder.get(), deep, u"door"_s);
        QCOMPARE(farther.has_value(), !byPosix);
        QVERIFY(!farther || connects(*farther));
        QVERIFY(!unixAddress(m_folder.get(), m_room->path(), QString(108, u'n')));
    }

    void aFileOfMemoryHasNoName()
    {
        const UniqueFd file = openMemoryFile("test");
        QVERIFY(file && writeWhole(file.get(), "text"));
        struct stat info = {};
        QVERIFY(::fstat(file.get(), &info) == 0 && info.st_nlink == 0);
        QVERIFY(::fcntl(file.get(), F_GETFD) & FD_CLOEXEC);
        QCOMPARE(::lseek(file.get(), 0, SEEK_SET), off_t(0));
        QCOMPARE(readWhole(file.get()), "text");
        QCOMPARE(availableMemory().has_value(), !byPosix);
    }

    void pagesAreKeptFromChildren()
    {
        const auto size = std::size_t(::sysconf(_SC_PAGESIZE));
        void *const pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        QVERIFY(pages != MAP_FAILED);
        auto *const bytes = static_cast<char *>(pages);
        keepOutOfCopies(pages, size);
        bytes[0] = 's';
        const pid_t child = ::fork();
        if (child == 0)
            ::_exit(bytes[0]);
        int status = 0;
        ::waitpid(child, &status, 0);
        QCOMPARE(WEXITSTATUS(status), byPosix ? int('s') : 0);
        QCOMPARE(bytes[0], 's');
        ::munmap(pages, size);
    }

    void whatIsOpenIsNotTheNextPrograms()
    {
        const pid_t child = ::fork();
        if (child == 0) {
            const int kept = ::fcntl(STDIN_FILENO, F_DUPFD, 20), one = ::fcntl(STDIN_FILENO, F_DUPFD, 30);
            closeOnExecFrom(kept + 1);
            const bool isRight =
                (::fcntl(kept, F_GETFD) & FD_CLOEXEC) == 0 && (::fcntl(one, F_GETFD) & FD_CLOEXEC) != 0;
            ::_exit(isRight ? 0 : 1);
        }
        int status = 1;
        ::waitpid(child, &status, 0);
        QCOMPARE(status, 0);
        struct stat one = {}, other = {};
        QCOMPARE(::stat(pathOfThisProgram().constData(), &one), 0);
        QCOMPARE(::stat(QFile::encodeName(QCoreApplication::applicationFilePath()).constData(), &other), 0);
        QCOMPARE(one.st_ino, other.st_ino);
    }

    // In a child, which has no threads, and comes back to nobody.
    void aNamespaceIsEnteredOrTheProcessStaysAsItWas()
    {
        const uid_t user = ::geteuid();
        const pid_t child = ::fork();
        if (child == 0) {
            const bool isIn = enterUserNamespaceOfOne();
            ::_exit(!isIn ? 2 : ::geteuid() == user && isInUserNamespace() ? 0 : 1);
        }
        int status = 1;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        QVERIFY(WEXITSTATUS(status) == 2 || (!byPosix && WEXITSTATUS(status) == 0));
        QCOMPARE(uidOfUnmapped().has_value(), !byPosix);
    }
};

QTEST_GUILESS_MAIN(TestSystem)
#include "tst_system.moc"
