// SPDX-License-Identifier: Apache-2.0
// A body that was put is there, whole, once.
#include "engine/artifacts/artifacts.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>
#include <vector>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QStringList filesIn(const QString &folder)
{
    QStringList files;
    for (QDirIterator it(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); it.hasNext();)
        files.append(it.next());
    return files;
}

} // namespace

class TestContentStore : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = std::make_unique<ContentStore>(m_folder->filePath(u"data/store"_s));
    }

    void whatIsPutCanBeGot_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("small") << QByteArray("print(6*7)\n");
        QTest::newRow("binary") << QByteArray("\0\xff\n\0", 4);
        QTest::newRow("64 MiB") << QByteArray(64 << 20, 'x');
    }
    void whatIsPutCanBeGot()
    {
        QFETCH(QByteArray, body);
        QVERIFY(m_store->put(sha256({body}), body));
        QCOMPARE(m_store->get(sha256({body})).value(), body);
    }

    void whatIsHeldIsKeptOrDropped()
    {
        const QByteArray digest = sha256({"abc"});
        const ContentStore::Held first{digest, u"one"_s}, second{digest, u"two"_s};
        QVERIFY(m_store->allHeld().isEmpty());
        QVERIFY(m_store->hold(first, "abc"));
        QVERIFY(m_store->hold(second, "abc"));
        QVERIFY(!m_store->hold({sha256({"other"}), u"one"_s}, "abc"));
        QCOMPARE(m_store->get(digest).value(), QByteArray("abc"));
        QCOMPARE(m_store->allHeld().size(), 2);
        for (const QString &file : filesIn(m_store->folder()))
            QCOMPARE(QFile::permissions(file) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        // Whoever stores the same keeps it, whatever becomes of the others.
        QVERIFY(m_store->drop(first));
        QVERIFY(m_store->drop(first));
        QCOMPARE(m_store->allHeld(), QList<ContentStore::Held>{second});
        QCOMPARE(m_store->get(digest).value(), QByteArray("abc"));
        QVERIFY(m_store->keep(second));
        QVERIFY(m_store->keep(second));
        QVERIFY(m_store->allHeld().isEmpty());
        QCOMPARE(m_store->get(digest).value(), QByteArray("abc"));
        QCOMPARE(filesIn(m_store->folder()).size(), 1);
        QVERIFY(m_store->hold(first, "abc"));
        QVERIFY(m_store->drop(first));
        QCOMPARE(m_store->get(digest).value(), QByteArray("abc"));
    }

    void bodiesArePrivateFilesNamedByTheirDigest()
    {
        QVERIFY(m_store->put(sha256({"abc"}), "abc"));
        const QString path =
            m_store->folder() + u"/ba/7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"_s;
        QCOMPARE(filesIn(m_store->folder()), QStringList{path});
        struct stat info = {};
        QCOMPARE(::stat(qPrintable(path), &info), 0);
        QCOMPARE(info.st_mode & 07777, 0600u);
        QCOMPARE(::stat(qPrintable(m_store->folder()), &info), 0);
        QCOMPARE(info.st_mode & 07777, 0700u);
    }

    void theSameBodyIsStoredOnce()
    {
        QVERIFY(m_store->put(sha256({"abc"}), "abc"));
        struct stat first = {}, second = {};
        QCOMPARE(::stat(qPrintable(filesIn(m_store->folder()).first()), &first), 0);
        QVERIFY(m_store->put(sha256({"abc"}), "abc"));
        QCOMPARE(filesIn(m_store->folder()).size(), 1);
        QCOMPARE(::stat(qPrintable(filesIn(m_store->folder()).first()), &second), 0);
        QCOMPARE(first.st_ino, second.st_ino);
    }

    void whatIsNotThereIsNotFound()
    {
        const auto body = m_store->get(sha256({"never"}));
        QVERIFY(!body);
        QCOMPARE(body.error().code, ErrorCode::NotFound);
    }

    void aDigestThatIsNoneIsRefused()
    {
        QCOMPARE(m_store->put(sha256({"other"}), "abc").error().code, ErrorCode::InvalidInput);
        QCOMPARE(m_store->put("short", "abc").error().code, ErrorCode::InvalidInput);
        QCOMPARE(m_store->get({}).error().code, ErrorCode::InvalidInput);
        QVERIFY(filesIn(m_folder->path()).isEmpty());
    }

    void aChangedOrCutOffFileIsDamagedAndMendedByTheNextPut_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("changed") << QByteArray("abd");
        QTest::newRow("longer") << QByteArray("abcd");
        QTest::newRow("cut off") << QByteArray("a");
        QTest::newRow("empty") << QByteArray("");
    }
    void aChangedOrCutOffFileIsDamagedAndMendedByTheNextPut()
    {
        QFETCH(QByteArray, content);
        QVERIFY(m_store->put(sha256({"abc"}), "abc"));
        QFile file(filesIn(m_store->folder()).first());
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(content);
        file.close();
        QCOMPARE(m_store->get(sha256({"abc"})).error().code, ErrorCode::Damaged);
        QVERIFY(m_store->put(sha256({"abc"}), "abc"));
        QCOMPARE(m_store->get(sha256({"abc"})).value(), "abc");
    }

    void aLinkIsNotFollowed()
    {
        QVERIFY(m_store->put(sha256({"abc"}), "abc"));
        const QString path = filesIn(m_store->folder()).first();
        QVERIFY(QFile::rename(path, m_folder->filePath(u"elsewhere"_s)));
        QVERIFY(QFile::link(m_folder->filePath(u"elsewhere"_s), path));
        QVERIFY(!m_store->get(sha256({"abc"})));
    }

    void manyWritersOfTheSameBodiesAgree()
    {
        std::atomic<int> failures = 0;
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 4; ++t)
                threads.emplace_back([this, &failures] {
                    const ContentStore own(m_store->folder());
                    for (int i = 0; i < 50; ++i) {
                        const QByteArray body = QByteArray::number(i);
                        if (!own.put(sha256({body}), body) || own.get(sha256({body})).value_or(QByteArray()) != body)
                            ++failures;
                    }
                });
        }
        QCOMPARE(failures.load(), 0);
        QCOMPARE(filesIn(m_store->folder()).size(), 50); // and no temporary file
    }

    void aFileInTheWayIsASentence()
    {
        QFile file(m_folder->filePath(u"data"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto status = m_store->put(sha256({"abc"}), "abc");
        QVERIFY(!status);
        QVERIFY(status.error().message.english().contains(u"in its way"));
    }

    void aFailedRenameLeavesNothingBehind()
    {
        QVERIFY(m_store->put(sha256({"abc"}), "abc"));
        const QString path = filesIn(m_store->folder()).first();
        QVERIFY(QFile::remove(path));
        QVERIFY(QDir().mkdir(path)); // a folder can't be replaced by a file
        QVERIFY(!m_store->put(sha256({"abc"}), "abc"));
        QVERIFY(filesIn(m_store->folder()).isEmpty());
        QCOMPARE(m_store->get(sha256({"abc"})).error().code, ErrorCode::Damaged);
    }

    // The limit on file sizes stands for a full disk: write(2) stores a part and then fails.
    void aFullDiskIsASentenceAndLeavesNothingBehind()
    {
        struct rlimit before = {};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
        const struct rlimit small = {64 * 1024, before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const QByteArray body(1 << 20, 'x');
        const auto status = m_store->put(sha256({body}), body);
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, oldHandler);
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::Full);
        QVERIFY(status.error().message.english().contains(u"no space left"));
        QVERIFY(filesIn(m_store->folder()).isEmpty());
        QVERIFY(m_store->put(sha256({body}), body)); // and it goes on when there is space again
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ContentStore> m_store;
};

QTEST_GUILESS_MAIN(TestContentStore)
#include "tst_contentstore.moc"
