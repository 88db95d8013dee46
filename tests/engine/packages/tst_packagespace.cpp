// SPDX-License-Identifier: Apache-2.0
// Packages that want more room than there is: 10 GB from an index, and a disk that is full in the middle of an installation.
#include "packageengine.h"

#include <QDirIterator>
#include <QElapsedTimer>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// How much these folders, and this process's memory, have grown at most.
class Watch
{
public:
    explicit Watch(const QStringList &folders)
        : m_diskBefore(diskOf(folders))
        , m_memoryBefore(memory())
        , m_thread([this, folders](const std::stop_token &stop) {
            while (!stop.stop_requested()) {
                m_mostDisk = std::max<qint64>(m_mostDisk, diskOf(folders) - m_diskBefore);
                m_mostMemory = std::max<qint64>(m_mostMemory, memory() - m_memoryBefore);
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
        })
    {
    }
    qint64 mostDisk() const { return m_mostDisk; }
    qint64 mostMemory() const { return m_mostMemory; }

private:
    static qint64 diskOf(const QStringList &folders)
    {
        qint64 bytes = 0;
        for (const QString &folder : folders) {
            QDirIterator files(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                struct stat info = {};
                if (::lstat(QFile::encodeName(files.next()).constData(), &info) == 0)
                    bytes += info.st_blocks * 512;
            }
        }
        return bytes;
    }
    static qint64 memory()
    {
        QFile statm(u"/proc/self/statm"_s);
        return statm.open(QIODevice::ReadOnly) ? statm.readAll().split(' ').value(1).toLongLong() * ::getpagesize() : 0;
    }

    const qint64 m_diskBefore, m_memoryBefore;
    std::atomic<qint64> m_mostDisk = 0, m_mostMemory = 0;
    std::jthread m_thread;
};

// The only thread is to call it, before anything else: whoever isn't root may mount in namespaces of its own.
void enterOwnNamespaces()
{
    const auto uid = ::getuid();
    const auto gid = ::getgid();
    if (uid == 0)
        return; // is in those of the test internet
    const auto write = [](const char *path, const QByteArray &text) {
        QFile file(QString::fromLatin1(path));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.flush();
    };
    const auto mapped = [](quint32 id) { return QByteArray::number(id) + ' ' + QByteArray::number(id) + " 1"; };
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !write("/proc/self/setgroups", "deny")
        || !write("/proc/self/uid_map", mapped(uid)) || !write("/proc/self/gid_map", mapped(gid)))
        qFatal("There are no namespaces of the test's own.");
}

} // namespace

class TestPackageSpace : public QObject, PackageEngine
{
    Q_OBJECT

private Q_SLOTS:
    // All that an engine writes is on a disk of 64 MB.
    void initTestCase()
    {
        QVERIFY(::mount("none", QFile::encodeName(m_home.path()).constData(), "tmpfs", MS_NOSUID | MS_NODEV, "size=64m")
                == 0);
        if (::geteuid() == 0) {
            const QString place = m_home.filePath(u"places"_s);
            QVERIFY(QDir().mkpath(place) && QDir().mkpath(u"/var/lib/glovebox"_s));
            QVERIFY(::chmod(QFile::encodeName(m_home.path()).constData(), 0711) == 0);
            QVERIFY(::mount(QFile::encodeName(place).constData(), "/var/lib/glovebox", nullptr, MS_BIND, nullptr) == 0);
        }
        openWithIndex(u"python"_s, u"index.py"_s);
    }
    void cleanupTestCase()
    {
        close();
        if (::geteuid() == 0)
            ::umount2("/var/lib/glovebox", MNT_DETACH);
        ::umount2(QFile::encodeName(m_home.path()).constData(), MNT_DETACH);
    }

    // 10 GB that are sent, and 10 GB that 10 MB unpack to.
    void tenGigabytesTakeNoneOfThisMachine_data()
    {
        QTest::addColumn<QString>("package");
        QTest::newRow("sent") << u"huge"_s;
        QTest::newRow("unpacked") << u"bomb"_s;
    }
    void tenGigabytesTakeNoneOfThisMachine()
    {
        QFETCH(QString, package);
        constexpr qint64 limit = 16 * mebibyte;
        const Watch watch({m_home.path(), base()});
        QElapsedTimer timer;
        timer.start();
        const auto installed = install(wishFor(package), {.diskBytes = limit, .silence = std::chrono::seconds(10)});
        const qint64 took = timer.elapsed();
        QVERIFY(!installed);
        QCOMPARE(
            installed.error().message.english(),
            u"The packages need more than 16 MB, or too many files, while they are installed. Nothing was installed."_s);
        QVERIFY2(took < 60'000, QByteArray::number(took));
        qint64 received = 0;
        for (const auto &result : std::as_const(m_results)) {
            for (const EgressAttempt &attempt : result->egress)
                received += attempt.received;
            const qint64 peak = result->usage.peakMemoryBytes.value_or(0);
            QVERIFY2(peak < PackageLimits().memoryBytes, QByteArray::number(peak));
        }
        QVERIFY2(received > 10'000'000 && received < 2 * limit, QByteArray::number(received));
        QVERIFY2(watch.mostDisk() < 4 * limit, QByteArray::number(watch.mostDisk()));
        QVERIFY2(watch.mostMemory() < 4 * limit, QByteArray::number(watch.mostMemory()));
    }

    void anIndexThatFloodsIsCutOff()
    {
        PackageWish wish = wishFor(u"flood"_s);
        wish.index = u"https://pypi.org/endless"_s;
        const auto installed = install(wish, {.diskBytes = 16 * mebibyte, .silence = std::chrono::seconds(5)});
        QVERIFY(!installed);
        QCOMPARE(installed.error().message.english(), u"pypi.org sent more than 32 MB. Nothing was installed."_s);
    }

    // Wherever it is that the disk is full: at the download, in between, while the environment is made.
    void aDiskThatIsFullInBetweenLeavesAllAsItWas_data()
    {
        QTest::addColumn<qint64>("room");
        for (const qint64 megabytes : {1, 4, 7, 10, 13, 16})
            QTest::addRow("%lld MB", megabytes) << megabytes * mebibyte;
    }
    void aDiskThatIsFullInBetweenLeavesAllAsItWas()
    {
        QFETCH(qint64, room);
        auto leaf = m_engine->packages().find(wishFor(u"leaf<2"_s)).value();
        if (!leaf) { // in the first row
            const auto installed = install(wishFor(u"leaf<2"_s));
            QVERIFY2(installed, why(installed));
            leaf = *installed;
        }
        auto session = m_engine->createSession({.name = u"shop"_s}, m_engine->caller());
        QVERIFY(session);
        session = m_engine->changeSession(session->id, SetPackages{ofSession(*leaf), {}}, m_engine->caller());
        QVERIFY(session);
        const QStringList before = environments();
        const auto id = [&](const QByteArray &code) {
            RunRequest request;
            request.code = code;
            request.language = u"python"_s;
            request.session = session->id;
            return m_engine->start(request)->wait();
        };
        QFile ballast(m_home.filePath(u"ballast"_s));
        QVERIFY(ballast.open(QIODevice::WriteOnly));
        QVERIFY(::posix_fallocate(ballast.handle(), 0, freeBytes() - room) == 0);
        const auto installed = install(wishFor(u"wide"_s));
        const qint64 left = freeBytes();
        QVERIFY(!installed);
        const QString words = installed.error().message.english();
        QVERIFY2(words.contains(u"space"_s), why(installed));
        QCOMPARE(environments(), before);
        QCOMPARE(m_engine->sessions().list().value().size(), 1);
        QVERIFY(m_engine->sessions().find(session->id).value() == *session);
        QVERIFY2(left > room - mebibyte, QByteArray::number(left)); // some entries in the log
        QVERIFY(ballast.remove());
        const auto used = id("import leaf; print(leaf.VERSION)");
        QVERIFY2(used->out.kept() == "1.0\n", used->err.kept() + used->reason.english().toUtf8());
        const auto now = install(wishFor(u"wide"_s));
        QVERIFY2(now, why(now));
        QVERIFY(removeTree(base() + u'/' + now->id));
        QVERIFY(m_engine->deleteSession(session->id, m_engine->caller()));
    }

private:
    QStringList environments() const
    {
        return QDir(base()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
    }
    qint64 freeBytes() const
    {
        struct statvfs info = {};
        return ::statvfs(QFile::encodeName(m_home.path()).constData(), &info) == 0
                   ? qint64(info.f_bavail * info.f_frsize)
                   : 0;
    }
    static PackageWish wishFor(const QString &packages)
    {
        PackageWish wish{.language = u"python"_s};
        wish.requirements = readRequirements(packages, u"python"_s).value();
        wish.interpreter = debianPython;
        return wish;
    }
};

GLOVEBOX_TEST_FILE
{
    enterTestInternet(argv);
    enterOwnNamespaces();
    QCoreApplication application(argc, argv);
    TestPackageSpace test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_packagespace.moc"
