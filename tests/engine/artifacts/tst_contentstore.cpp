// SPDX-License-Identifier: Apache-2.0
// A body that was put is there, whole, once.
#include "engine/artifacts/artifacts.h"

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

    void textIsFoundInABodyWhereverItStands()
    {
        const auto put = [this](const QByteArray &body) {
            const QByteArray digest = sha256({body});
            return m_store->put(digest, body) ? digest : QByteArray();
        };
        const auto isIn = [this](const QByteArray &digest, const QString &text) {
            return isInBody(*m_store, digest, text).value_or(false);
        };
        // Across every border that pieces might have.
        QByteArray big;
        for (int i = 0; big.size() < 3'000'000; ++i)
            big += QByteArray(997, ' ') + "Nadel" + QByteArray::number(i) + "\xc3\x84pfel;";
        const QByteArray digest = put(big);
        for (int i = 0; i < 2'900; i += 3)
            QVERIFY2(isIn(digest, u" nadel%1\u00e4pfel;"_s.arg(i)), qPrintable(QString::number(i)));
        QVERIFY(!isIn(digest, u"nadel0\u00e4pfel;x"_s));
        QVERIFY(!isIn(put("no%text"), u"o_t"_s));
        QVERIFY(!isIn(sha256({QByteArrayView("never put")}), u"p"_s));

        int asked = 0;
        const auto ended = isInBody(*m_store, digest, u"not there"_s, [&] { return ++asked < 3; });
        QVERIFY(!ended && ended.error().code == ErrorCode::Cancelled);
        QCOMPARE(asked, 3);
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

    void aBodyThatComesInPiecesIsStoredAsAWholeOneIs()
    {
        auto pieces = IncomingBody::begin(*m_store, 3);
        QVERIFY(pieces);
        QVERIFY(pieces->add("a"));
        QVERIFY(pieces->add("bc"));
        QCOMPARE(m_store->get(sha256({"abc"})).error().code, ErrorCode::NotFound);
        QCOMPARE(pieces->keep().value(), sha256({"abc"}));
        QCOMPARE(m_store->get(sha256({"abc"})).value(), QByteArray("abc"));
        QCOMPARE(filesIn(m_store->folder()).size(), 1);
        struct stat info = {};
        QCOMPARE(::stat(qPrintable(filesIn(m_store->folder()).first()), &info), 0);
        QCOMPARE(info.st_mode & 07777, 0600u);
        // Again: one file, and a damaged one is mended.
        QFile damage(filesIn(m_store->folder()).first());
        QVERIFY(damage.open(QIODevice::Append) && damage.write("x") == 1);
        damage.close();
        QCOMPARE(m_store->pass(sha256({"abc"}), {}).error().code, ErrorCode::Damaged);
        auto again = IncomingBody::begin(*m_store, 3);
        QVERIFY(again && again->add("abc") && again->keep());
        QVERIFY(m_store->pass(sha256({"abc"}), {}));
        QCOMPARE(filesIn(m_store->folder()).size(), 1);
        auto empty = IncomingBody::begin(*m_store, 0);
        QVERIFY(empty);
        QCOMPARE(empty->keep().value(), sha256({}));
    }

    void whatIsNotKeptLeavesNothing()
    {
        {
            auto begun = IncomingBody::begin(*m_store, 3);
            QVERIFY(begun && begun->add("abc"));
            m_store->recover(); // leaves alone what somebody is writing
            QCOMPARE(filesIn(m_store->folder()).size(), 1);
        }
        QVERIFY(filesIn(m_store->folder()).isEmpty());
        QFile left(m_store->folder() + u"/incoming/.new-killed"_s);
        QVERIFY(left.open(QIODevice::WriteOnly));
        left.close();
        m_store->recover();
        QVERIFY(filesIn(m_store->folder()).isEmpty());
    }

    void whatIsWithheldIsNotThereUntilItIsReleased()
    {
        const ContentStore::Held held{sha256({"abc"}), u"run"_s};
        auto body = IncomingBody::begin(*m_store, 3);
        QVERIFY(body && body->add("abc"));
        QCOMPARE(body->withhold(held.owner).value(), held.digest);
        QVERIFY(m_store->verifyWithheld(held));
        QVERIFY(!m_store->verifyWithheld({held.digest, u"other"_s}));
        QCOMPARE(m_store->get(held.digest).error().code, ErrorCode::NotFound);
        QCOMPARE(m_store->pass(held.digest, {}).error().code, ErrorCode::NotFound);
        QCOMPARE(m_store->release({held.digest, u"other"_s}).error().code, ErrorCode::NotFound);
        QVERIFY(m_store->allHeld().isEmpty());
        QVERIFY(m_store->release(held));
        QVERIFY(m_store->release(held));
        QCOMPARE(m_store->get(held.digest).value(), QByteArray("abc"));
        QVERIFY(!m_store->verifyWithheld(held));
    }

    void whatIsWithheldIsRemovedAfterThirtyDays()
    {
        for (const auto &[content, days] : {std::pair("new", 29), {"old", 31}}) {
            auto body = IncomingBody::begin(*m_store, 3);
            QVERIFY(body && body->add(content) && body->withhold(u"run"_s));
            QFile file(m_store->folder() + u"/withheld/"_s + QString::fromLatin1(sha256({content}).toHex())
                       + u".run"_s);
            QVERIFY(file.open(QIODevice::ReadWrite));
            QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-days), QFile::FileModificationTime));
        }
        m_store->recover();
        QVERIFY(m_store->verifyWithheld({sha256({"new"}), u"run"_s}));
        QVERIFY(!m_store->verifyWithheld({sha256({"old"}), u"run"_s}));
    }

    void aBodyThatCannotFitIsRefusedBeforeAnyIsWritten()
    {
        const auto body = IncomingBody::begin(*m_store, qint64(1) << 60);
        QVERIFY(!body);
        QCOMPARE(body.error().code, ErrorCode::Full);
        QVERIFY(filesIn(m_store->folder()).isEmpty());
        QVERIFY(IncomingBody::begin(*m_store, 1));
    }

    // The limit on file sizes kills the child in the middle of the file that it saves.
    void aKilledSaverLeavesNoHalfFile()
    {
        const QByteArray content(200'000, 'x');
        const Artifact artifact{.path = u"a"_s, .digest = sha256({content}), .bytes = content.size()};
        QVERIFY(m_store->put(artifact.digest, content));
        const QTemporaryDir place;
        const pid_t child = ::fork();
        if (child == 0) {
            const struct rlimit small = {64 * 1024, 64 * 1024};
            ::setrlimit(RLIMIT_FSIZE, &small);
            std::signal(SIGXFSZ, SIG_DFL);
            std::ignore = saveArtifact(*m_store, artifact, place.filePath(u"a"_s));
            ::_exit(0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
        QVERIFY(filesIn(place.path()).isEmpty());
        QVERIFY(saveArtifact(*m_store, artifact, place.filePath(u"a"_s)));
        QCOMPARE(filesIn(place.path()).size(), 1);
        const Status again = saveArtifact(*m_store, artifact, place.filePath(u"a"_s));
        QVERIFY(!again && again.error().message.english().contains(u"already"_s));
        const Status tooLong = saveArtifact(*m_store, artifact, place.filePath(QString(300, u'n')));
        QVERIFY(!tooLong && tooLong.error().message.english().contains(u"too long"_s));
        QCOMPARE(filesIn(place.path()).size(), 1);
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
        QVERIFY(status.error().message.english().contains(u"limits the size of files"));
        QVERIFY(filesIn(m_store->folder()).isEmpty());
        QVERIFY(m_store->put(sha256({body}), body)); // and it goes on when there is space again
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ContentStore> m_store;
};

QTEST_GUILESS_MAIN(TestContentStore)
#include "tst_contentstore.moc"
