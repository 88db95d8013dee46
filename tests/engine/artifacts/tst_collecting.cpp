// SPDX-License-Identifier: Apache-2.0
// Files that a run left are taken into the store, whatever it left: the workspace is hostile.
#include "engine/artifacts/artifacts.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

std::atomic<int> diskWaits = 0, wholeDiskWaits = 0;
std::atomic<bool> isDiskBroken = false;

} // namespace

// In place of the C library's: counted, and passed on.
extern "C" int fsync(int fd)
{
    ++diskWaits;
    return int(::syscall(SYS_fsync, fd));
}
extern "C" int syncfs(int fd) noexcept
{
    ++wholeDiskWaits;
    if (!isDiskBroken)
        return int(::syscall(SYS_syncfs, fd));
    errno = EIO;
    return -1;
}

class TestCollecting : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<ContentStore> m_store;
    UniqueFd m_workspace;

    void leave(const QByteArray &path, const QByteArray &content) const
    {
        const UniqueFd file(::openat(m_workspace.get(), path.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
        QVERIFY2(file, path.constData());
        QVERIFY(writeWhole(file.get(), content.toStdString()));
    }
    void makeFolder(const QByteArray &path) const { QCOMPARE(::mkdirat(m_workspace.get(), path.constData(), 0755), 0); }
    Collection collect(LeftFiles left = {}) const
    {
        left.workspace = m_workspace.get();
        left.run = u"run"_s;
        return collectFiles(*m_store, left);
    }
    static QStringList pathsOf(const Collection &collection)
    {
        QStringList paths;
        for (const Artifact &artifact : collection.kept)
            paths.append(artifact.path);
        return paths;
    }
    static std::optional<SkippedFiles> skippedFor(const Collection &collection, NotKept why)
    {
        for (const SkippedFiles &skipped : collection.skipped) {
            if (skipped.why == why)
                return skipped;
        }
        return {};
    }

private Q_SLOTS:
    void cleanup()
    {
        std::error_code ignored; // some names are more than Qt removes
        std::filesystem::remove_all(m_home->path().toStdString(), ignored);
    }
    void init()
    {
        m_home = std::make_unique<QTemporaryDir>();
        m_store = std::make_unique<ContentStore>(m_home->filePath(u"store"_s));
        QVERIFY(QDir(m_home->path()).mkdir(u"work"_s));
        m_workspace.reset(
            ::open(QFile::encodeName(m_home->filePath(u"work"_s)).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        QVERIFY(m_workspace);
    }

    void filesAreKeptWithTheirFoldersInOneOrder()
    {
        makeFolder("b");
        makeFolder("b/c");
        makeFolder("empty");
        leave("z.txt", "z");
        leave("b/c/deep.json", "{}");
        leave("b/same.txt", "z");
        leave("a.csv", "x,y\n1,2\n");
        leave("nothing", "");
        const Collection collection = collect();
        QCOMPARE(collection.skipped, QList<SkippedFiles>());
        QCOMPARE(pathsOf(collection),
                 (QStringList{u"a.csv"_s, u"nothing"_s, u"z.txt"_s, u"b/same.txt"_s, u"b/c/deep.json"_s}));
        QCOMPARE(collection.kept[0], (Artifact{u"a.csv"_s, sha256({"x,y\n1,2\n"}), 8, u"text/csv"_s, {}, false}));
        QCOMPARE(collection.kept[1].digest, sha256({}));
        QCOMPARE(collection.kept[2].digest, collection.kept[3].digest);
        QCOMPARE(collection.kept[4].mediaType, u"application/json"_s);
        for (const Artifact &artifact : collection.kept)
            QVERIFY(m_store->pass(artifact.digest, {}));
    }

    void nothingLeftIsNothingKept()
    {
        QCOMPARE(collect(), Collection());
        QVERIFY(!QFile::exists(m_store->folder()));
    }

    void whatWasGivenIsTheRunsOwnOnlyIfItChanged()
    {
        leave("main.py", "print(1)");
        leave("data.csv", "1,2");
        leave("changed.csv", "1,3");
        makeFolder("sub");
        leave("sub/main.py", "print(1)");
        leave("shown", "");
        const Collection collection = collect(
            {.given = {{"main.py", "print(1)"}, {"data.csv", "1,2"}, {"changed.csv", "1,2"}}, .mounted = {"shown"}});
        QCOMPARE(pathsOf(collection), (QStringList{u"changed.csv"_s, u"sub/main.py"_s}));
    }

    void linksPipesSocketsAndSecondNamesAreNotKept()
    {
        const QByteArray secret = QFile::encodeName(m_home->filePath(u"host-secret"_s));
        QFile host(QFile::decodeName(secret));
        QVERIFY(host.open(QIODevice::WriteOnly) && host.write("host") == 4);
        host.close();
        leave("good", "good");
        QCOMPARE(::symlinkat(secret.constData(), m_workspace.get(), "link"), 0);
        QCOMPARE(::symlinkat("..", m_workspace.get(), "up"), 0);
        QCOMPARE(::symlinkat(".", m_workspace.get(), "loop"), 0);
        QCOMPARE(::linkat(AT_FDCWD, secret.constData(), m_workspace.get(), "hard", 0), 0);
        QCOMPARE(::mkfifoat(m_workspace.get(), "pipe", 0644), 0);
        const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
        const QByteArray place = QFile::encodeName(m_home->filePath(u"work/socket"_s));
        QVERIFY(place.size() < qsizetype(sizeof address.sun_path));
        std::copy(place.begin(), place.end(), address.sun_path);
        QCOMPARE(::bind(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
        const Collection collection = collect();
        QCOMPARE(pathsOf(collection), QStringList{u"good"_s});
        QCOMPARE(skippedFor(collection, NotKept::Link).value_or(SkippedFiles()).count, 3);
        QCOMPARE(skippedFor(collection, NotKept::HardLink).value_or(SkippedFiles()).paths, QStringList{u"hard"_s});
        QCOMPARE(skippedFor(collection, NotKept::Special).value_or(SkippedFiles()).count, 2);
        QCOMPARE(m_store->pass(sha256({"host"}), {}).error().code, ErrorCode::NotFound);
        for (const SkippedFiles &skipped : collection.skipped)
            QVERIFY2(skipped.sentence.english().contains(u"kept"_s), qPrintable(skipped.sentence.english()));
    }

    void hostileNamesAreKeptAsWhatTheyAre()
    {
        const QByteArrayList names{"new\nline",
                                   "esc\x1b[31m",
                                   "...",
                                   ".. ",
                                   "-rf",
                                   "caf\xc3\xa9",
                                   "lat\xe9n",
                                   "lat\\xe9n",
                                   ("\xe2\x80\xae"
                                    "evil.txt")};
        for (const QByteArray &name : names)
            leave(name, name);
        const Collection collection = collect();
        QCOMPARE(collection.kept.size(), names.size() - 1);
        QVERIFY(pathsOf(collection).contains(u"new\nline"_s));
        // Two names that look alike: the first of them is kept.
        QCOMPARE(pathsOf(collection).count(u"lat\\xe9n"_s), 1);
        QCOMPARE(skippedFor(collection, NotKept::SameName).value_or(SkippedFiles()).count, 1);
        QJsonArray all;
        for (const Artifact &artifact : collection.kept)
            all.append(toJson(artifact));
        QVERIFY(canonicalJson({{u"artifacts"_s, all}}));
    }

    void whatIsTooMuchIsCountedAndNotKept()
    {
        for (int i = 0; i < 60; ++i)
            leave("f" + QByteArray::number(i).rightJustified(3, '0'), QByteArray(1000, 'x') + QByteArray::number(i));
        Collection few = collect({.limits = {.files = 5}});
        QCOMPARE(pathsOf(few), (QStringList{u"f000"_s, u"f001"_s, u"f002"_s, u"f003"_s, u"f004"_s}));
        QCOMPARE(skippedFor(few, NotKept::TooMany).value_or(SkippedFiles()).count, 55);
        QCOMPARE(collect({.limits = {.files = 0}}), Collection());
        const Collection small = collect({.limits = {.bytes = 2500}});
        QCOMPARE(small.kept.size(), 2);
        QCOMPARE(skippedFor(small, NotKept::TooLarge).value_or(SkippedFiles()).count, 58);
        // A hole of 2 GB isn't even read.
        const UniqueFd holes(::openat(m_workspace.get(), "a-hole", O_WRONLY | O_CREAT, 0644));
        QCOMPARE(::ftruncate(holes.get(), qint64(2) << 30), 0);
        const Collection withHole = collect();
        QCOMPARE(withHole.kept.size(), 60);
        QCOMPARE(skippedFor(withHole, NotKept::TooLarge).value_or(SkippedFiles()).paths, QStringList{u"a-hole"_s});
    }

    void deepFoldersEndSomewhere()
    {
        UniqueFd folder(::openat(m_workspace.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        const QByteArray name(200, 'd');
        for (int i = 0; i < 40; ++i) {
            QCOMPARE(::mkdirat(folder.get(), name.constData(), 0755), 0);
            folder.reset(::openat(folder.get(), name.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
            QVERIFY(folder);
        }
        leave("top", "x");
        const Collection collection = collect();
        QCOMPARE(pathsOf(collection), QStringList{u"top"_s});
        QCOMPARE(skippedFor(collection, NotKept::TooDeep).value_or(SkippedFiles()).count, 1);
    }

    void longNamesLeaveASentence()
    {
        for (int i = 0; i < 30; ++i) {
            const QByteArray name = QByteArray::number(i + 100) + QByteArray("\xf0\x9f\x98\x80").repeated(60);
            QCOMPARE(::symlinkat("x", m_workspace.get(), name.constData()), 0);
        }
        const SkippedFiles links = skippedFor(collect(), NotKept::Link).value_or(SkippedFiles());
        QCOMPARE(links.count, 30);
        const QString sentence = links.sentence.english();
        QVERIFY2(sentence.contains(u": \"1"_s) && sentence.size() < 1000, qPrintable(sentence));
        QVERIFY(sentence.isValidUtf16());
        const auto quoted = [](const QString &path) { return u'"' + path + u'"'; };
        QCOMPARE(shortPath(QString(80, u'a')), quoted(QString(80, u'a')));
        QCOMPARE(shortPath(QString(50, u'a') + QString(50, u'b')),
                 quoted(QString(40, u'a') + u"..."_s + QString(37, u'b')));
        QCOMPARE(shortPath(u"x\" (1 in all). All is kept. \""_s), uR"("x\x22 (1 in all). All is kept. \x22")"_s);
    }

    void oneWhoStopsItGetsTheRestAsSkipped()
    {
        leave("a", "x");
        std::stop_source stop;
        stop.request_stop();
        const Collection collection = collect({.limits = {.timeAfterStop = 0ms}, .stop = stop.get_token()});
        QVERIFY(collection.kept.isEmpty());
        QCOMPARE(skippedFor(collection, NotKept::Late).value_or(SkippedFiles()).paths, QStringList{u"a"_s});
    }

    // The limit on file sizes stands for a full disk.
    void aFullDiskKeepsWhatFitsAndSaysSo()
    {
        leave("a", "small");
        leave("b", QByteArray(200'000, 'x'));
        leave("c", "small, too");
        struct rlimit before = {};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
        const struct rlimit small = {64 * 1024, before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const Collection collection = collect();
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, oldHandler);
        QCOMPARE(pathsOf(collection), (QStringList{u"a"_s, u"c"_s}));
        QCOMPARE(skippedFor(collection, NotKept::NoSpace).value_or(SkippedFiles()).paths, QStringList{u"b"_s});
        QVERIFY(QDir(m_store->folder() + u"/incoming"_s).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void manyFilesWaitForTheDiskOnce()
    {
        for (int i = 0; i < 100; ++i)
            leave("f" + QByteArray::number(100 + i), QByteArray::number(i));
        diskWaits = 0;
        wholeDiskWaits = 0;
        const Collection collection = collect();
        QCOMPARE(collection.kept.size(), 100);
        QVERIFY2(diskWaits <= 4 * 4, qPrintable(QString::number(diskWaits))); // a file, and up to three new folders
        QCOMPARE(wholeDiskWaits.load(), 1);
        for (const Artifact &artifact : collection.kept)
            QVERIFY(m_store->get(artifact.digest));
    }

    void fewFilesDontWaitForAllOfTheDisk()
    {
        leave("a", "1");
        leave("b", "2");
        diskWaits = 0;
        wholeDiskWaits = 0;
        QCOMPARE(collect().kept.size(), 2);
        QVERIFY(diskWaits >= 2 * 2);
        QCOMPARE(wholeDiskWaits.load(), 0);
    }

    void whatIsNotOnTheDiskForSureIsNotKept()
    {
        for (int i = 0; i < 10; ++i)
            leave("f" + QByteArray::number(i), QByteArray::number(i));
        isDiskBroken = true;
        const Collection collection = collect();
        isDiskBroken = false;
        QCOMPARE(pathsOf(collection), (QStringList{u"f0"_s, u"f1"_s, u"f2"_s, u"f3"_s}));
        QCOMPARE(skippedFor(collection, NotKept::NotStored).value_or(SkippedFiles()).count, 6);
    }

    void typesAreToldByNameAndBeginning_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QByteArray>("beginning");
        QTest::addColumn<QString>("type");
        QTest::newRow("png") << u"x.txt"_s << QByteArray("\x89PNG\r\n\x1a\n....") << u"image/png"_s;
        QTest::newRow("jpeg") << u"x"_s << QByteArray("\xff\xd8\xff\xe0") << u"image/jpeg"_s;
        QTest::newRow("webp") << u"x"_s << QByteArray("RIFF1234WEBPVP8 ") << u"image/webp"_s;
        QTest::newRow("bmp") << u"x"_s << QByteArray("BM\x46\0\0\0\0\0\0\0\x36\0\0\0", 14) << u"image/bmp"_s;
        QTest::newRow("no bmp") << u"x"_s << QByteArray("BM is two letters") << u"text/plain"_s;
        QTest::newRow("csv") << u"A.CSV"_s << QByteArray("a;b") << u"text/csv"_s;
        QTest::newRow("csv that is none") << u"a.csv"_s << QByteArray("a\0b", 3) << u"application/octet-stream"_s;
        QTest::newRow("cut off character") << u"a"_s << QByteArray("caf\xc3") << u"text/plain"_s;
        QTest::newRow("Latin-1") << u"a"_s << QByteArray("caf\xe9 au lait") << u"application/octet-stream"_s;
        QTest::newRow("empty") << u"a"_s << QByteArray() << u"text/plain"_s;
        QTest::newRow("short") << u"a"_s << QByteArray("R") << u"text/plain"_s;
    }
    void typesAreToldByNameAndBeginning()
    {
        QFETCH(QString, path);
        QFETCH(QByteArray, beginning);
        QFETCH(QString, type);
        QCOMPARE(mediaTypeOf(path, beginning), type);
    }
};

QTEST_GUILESS_MAIN(TestCollecting)
#include "tst_collecting.moc"
