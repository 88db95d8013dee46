// SPDX-License-Identifier: Apache-2.0
// The file of secrets: opened by its passphrase only, whole or not at all, and never mistaken when it is damaged.
#include "fixture.h"

#include "engine/vault/file/format.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <random>
#include <thread>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int cheap = 4; // log2 N: nobody guesses here

SecretValue passphrase()
{
    return SecretValue::copyOf("correct horse");
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool writeTo(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

class TestFileStore : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath(u"data/secrets.vault"_s);
        m_store = makeFileStore(m_file, cheap);
    }

    void aFileIsMovedAsideWithAllThatIsInIt()
    {
        QCOMPARE(m_store->moveAside().error().code, ErrorCode::NotFound);
        QStringList aside;
        for (int i = 0; i < 2; ++i) { // twice in a second
            QVERIFY(m_store->create(passphrase()));
            QVERIFY(m_store->write(u"slot"_s, SecretValue::copyOf("kept " + QByteArray::number(i)), {}));
            const auto moved = m_store->moveAside();
            QVERIFY(moved);
            aside.append(*moved);
            QVERIFY(!m_store->exists());
            QVERIFY(m_store->status({}).state == StoreState::Absent);
        }
        for (int i = 0; i < 2; ++i) {
            const auto old = makeFileStore(aside[i], cheap);
            QVERIFY(old->unlock(passphrase()));
            QCOMPARE(old->read(u"slot"_s, {}).value().view().toByteArray(), "kept " + QByteArray::number(i));
        }
    }

    void itIsMadeByThePersonAndThenKeepsValues()
    {
        QVERIFY(m_store->status({}).state == StoreState::Absent);
        QCOMPARE(m_store->unlock(passphrase()).error().code, ErrorCode::NotFound);
        QVERIFY(!m_store->write(u"a"_s, SecretValue::copyOf("value"), {}));
        QVERIFY(!QFile::exists(m_file)); // nothing made it in silence
        QVERIFY(sentence(m_store->create(SecretValue::copyOf("short"))).contains(u"at least 8"));
        QVERIFY(m_store->create(passphrase()));
        QVERIFY(m_store->status({}).state == StoreState::Ready);
        QCOMPARE(m_store->read(u"a"_s, {}).error().code, ErrorCode::NotFound);
        QVERIFY(m_store->write(u"a"_s, SecretValue::copyOf("a value"), {}));
        QVERIFY(m_store->write(u"b"_s, SecretValue::copyOf(QByteArrayView("b\0\xff", 3)), {}));
        QVERIFY(m_store->write(u"a"_s, SecretValue::copyOf("another"), {}));
        QCOMPARE(m_store->read(u"a"_s, {})->view(), QByteArrayView("another"));
        QCOMPARE(m_store->read(u"b"_s, {})->view(), QByteArrayView("b\0\xff", 3));
        QCOMPARE(m_store->list({}).value(), std::optional(QStringList{u"a"_s, u"b"_s}));
        QVERIFY(m_store->remove(u"a"_s, {}));
        QCOMPARE(m_store->remove(u"a"_s, {}).error().code, ErrorCode::NotFound);
        QCOMPARE(QFileInfo(m_file).permissions() & 0x777, QFile::ReadUser | QFile::WriteUser);
        QVERIFY(!m_store->create(passphrase()));
    }

    void aWrongPassphraseIsToldFromADamagedFile()
    {
        QVERIFY(m_store->create(passphrase()));
        QVERIFY(m_store->write(u"a"_s, SecretValue::copyOf("a value"), {}));
        m_store->lock();
        QVERIFY(m_store->status({}).state == StoreState::Locked);
        QCOMPARE(m_store->read(u"a"_s, {}).error().code, ErrorCode::Unavailable);
        QCOMPARE(m_store->unlock(SecretValue::copyOf("wrong horse")).error().code, ErrorCode::PermissionDenied);
        QVERIFY(m_store->status({}).state == StoreState::Locked);
        QVERIFY(m_store->unlock(passphrase()));
        QCOMPARE(m_store->read(u"a"_s, {})->view(), QByteArrayView("a value"));
    }

    void noFlippedBitAndNoCutIsTakenForAPassphraseOrAValue()
    {
        QVERIFY(m_store->create(passphrase()));
        QVERIFY(m_store->write(u"i/NAME/id"_s, SecretValue::copyOf("a value"), {}));
        const QByteArray whole = contentOf(m_file);
        const auto other = makeFileStore(m_file, cheap);
        for (qsizetype i = 0; i < whole.size(); ++i) {
            for (const char bit : {'\x01', '\x80'}) {
                QByteArray flipped = whole;
                flipped[i] = char(flipped[i] ^ bit);
                QVERIFY(writeTo(m_file, flipped));
                const Status unlocked = other->unlock(passphrase());
                QVERIFY2(!unlocked, QByteArray::number(i).constData());
                const bool versions = i >= 8 && i < 12;
                QVERIFY2(unlocked.error().code == (versions ? ErrorCode::Newer : ErrorCode::Damaged),
                         QByteArray::number(i).constData());
                QVERIFY(!m_store->read(u"i/NAME/id"_s, {})); // by a program that has it open
            }
        }
        for (qsizetype size = 0; size < whole.size(); ++size) {
            QVERIFY(writeTo(m_file, whole.first(size)));
            const auto code = other->unlock(passphrase()).error().code;
            QVERIFY2(code == ErrorCode::Damaged, QByteArray::number(size).constData());
            QVERIFY(!m_store->write(u"b"_s, SecretValue::copyOf("b value"), {}));
            QCOMPARE(contentOf(m_file).size(), size); // what is damaged is never replaced
        }
        QVERIFY(writeTo(m_file, whole + 'x'));
        QCOMPARE(other->unlock(passphrase()).error().code, ErrorCode::Damaged);
        QVERIFY(writeTo(m_file, whole));
        QVERIFY(other->unlock(passphrase()));
    }

    void aMendedDigestDoesntHelp()
    {
        QVERIFY(m_store->create(passphrase()));
        QByteArray bytes = contentOf(m_file);
        bytes[76] = char(bytes[76] ^ 1); // of the nonce: authenticated, but not part of the check
        bytes.replace(vaultfile::headerBytes - 32, 32, sha256({bytes.first(vaultfile::headerBytes - 32)}));
        QVERIFY(writeTo(m_file, bytes));
        const auto code = makeFileStore(m_file, cheap)->unlock(passphrase()).error().code;
        QVERIFY(code == ErrorCode::Damaged || code == ErrorCode::PermissionDenied);
    }

    void aHeaderThatAsksForTooMuchWorkIsRefused()
    {
        QVERIFY(m_store->create(passphrase()));
        QByteArray bytes = contentOf(m_file);
        bytes[12] = 40; // log2 N
        bytes.replace(vaultfile::headerBytes - 32, 32, sha256({bytes.first(vaultfile::headerBytes - 32)}));
        QVERIFY(writeTo(m_file, bytes));
        QCOMPARE(makeFileStore(m_file, cheap)->unlock(passphrase()).error().code, ErrorCode::Damaged);
    }

    void listsThatMakeNoSenseAreDamaged()
    {
        std::mt19937 random(7);
        vaultfile::Values values;
        values.try_emplace(u"a"_s, SecretValue::copyOf("value"));
        values.try_emplace(u"b"_s, SecretValue::copyOf("value"));
        const QByteArray plain = vaultfile::plainText(values).view().toByteArray();
        QCOMPARE(vaultfile::valuesFrom(plain)->size(), 2U);
        for (qsizetype size = 1; size < plain.size(); ++size) {
            const bool afterFirst = size == plain.size() / 2;
            QCOMPARE(vaultfile::valuesFrom(plain.first(size)).has_value(), afterFirst);
        }
        QVERIFY(!vaultfile::valuesFrom(plain + plain)); // a name twice
        for (int i = 0; i < 20'000; ++i) {
            QByteArray mutated = plain;
            for (int n = 0; n < 3; ++n)
                mutated[qsizetype(random() % size_t(plain.size()))] = char(random());
            std::ignore = vaultfile::valuesFrom(mutated); // must not read beyond its end
        }
    }

    void valuesAreNotInTheFile()
    {
        QVERIFY(m_store->create(passphrase()));
        QVERIFY(m_store->write(u"i/NAME/id"_s, SecretValue::copyOf("s3cr3t-needle"), {}));
        const QByteArray content = contentOf(m_file);
        QVERIFY(!content.contains("s3cr3t") && !content.contains("NAME") && !content.contains("correct"));
        QVERIFY(m_store->write(u"i/NAME/id"_s, SecretValue::copyOf("s3cr3t-needle"), {}));
        QVERIFY(contentOf(m_file).sliced(vaultfile::headerBytes)
                != content.sliced(vaultfile::headerBytes)); // fresh nonce
    }

    void programsAtOnceLoseNothing()
    {
        QVERIFY(m_store->create(passphrase()));
        const auto other = makeFileStore(m_file, cheap);
        QVERIFY(other->unlock(passphrase()));
        const auto writeMany = [](SecretStore &store, const QString &prefix) {
            for (int i = 0; i < 40; ++i)
                std::ignore = store.write(prefix + QString::number(i), SecretValue::copyOf("value"), {});
        };
        std::thread first([&] { writeMany(*m_store, u"a"_s); });
        std::thread second([&] { writeMany(*other, u"b"_s); });
        first.join();
        second.join();
        QCOMPARE(m_store->list({}).value()->size(), 80);
    }

    void aProgramKilledInTheMiddleLeavesAWholeFile()
    {
        QVERIFY(m_store->create(passphrase()));
        QVERIFY(m_store->write(u"first"_s, SecretValue::copyOf(QByteArray(secretBytesMax, 'x')), {}));
        for (int i = 0; i < 20; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                const auto mine = makeFileStore(m_file, cheap);
                std::ignore = mine->unlock(passphrase());
                for (int n = 0;; ++n)
                    std::ignore = mine->write(u"n%1"_s.arg(n % 5), SecretValue::copyOf(QByteArray(40'000, 'y')), {});
            }
            QTest::qSleep(5 + 3 * i);
            sendSignal(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            const auto other = makeFileStore(m_file, cheap);
            const Status unlocked = other->unlock(passphrase());
            QVERIFY2(unlocked, why(unlocked));
            QCOMPARE(other->read(u"first"_s, {})->size(), secretBytesMax);
        }
        QVERIFY(m_store->write(u"last"_s, SecretValue::copyOf("value"), {}));
        QCOMPARE(QFileInfo(m_file).dir().entryList(QDir::Files).filter(u".new-"_s), QStringList());
    }

    void anotherPassphraseOpensTheSameValues()
    {
        QVERIFY(m_store->create(passphrase()));
        QVERIFY(m_store->write(u"a"_s, SecretValue::copyOf("a value"), {}));
        const auto other = makeFileStore(m_file, cheap);
        QVERIFY(other->unlock(passphrase()));
        const QByteArray before = contentOf(m_file);
        const SecretValue next = SecretValue::copyOf("battery staple");
        QCOMPARE(m_store->changePassphrase(next, next).error().code, ErrorCode::PermissionDenied);
        QCOMPARE(m_store->changePassphrase(passphrase(), SecretValue::copyOf("short")).error().code,
                 ErrorCode::InvalidInput);
        QCOMPARE(contentOf(m_file), before);
        const Status changed = m_store->changePassphrase(passphrase(), next);
        QVERIFY2(changed, why(changed));
        QCOMPARE(m_store->read(u"a"_s, {})->view(), QByteArrayView("a value"));
        QVERIFY(other->status({}).state == StoreState::Locked);
        QVERIFY(!other->write(u"b"_s, SecretValue::copyOf("lost"), {}));
        QCOMPARE(other->unlock(passphrase()).error().code, ErrorCode::PermissionDenied);
        QVERIFY(other->unlock(next));
        QCOMPARE(other->read(u"a"_s, {})->view(), QByteArrayView("a value"));
        const QString backup = m_file + u".old"_s;
        QVERIFY(writeTo(backup, before) && QFile::setPermissions(backup, QFile::ReadOwner | QFile::WriteOwner));
        const auto old = makeFileStore(backup, cheap);
        QCOMPARE(old->unlock(next).error().code, ErrorCode::PermissionDenied);
        QVERIFY(old->unlock(passphrase()));
        QCOMPARE(old->read(u"a"_s, {})->view(), QByteArrayView("a value"));
        QVERIFY(writeTo(m_file, contentOf(m_file).chopped(1)));
        QCOMPARE(m_store->changePassphrase(next, passphrase()).error().code, ErrorCode::Damaged);
        QVERIFY(QFile::remove(m_file));
        QCOMPARE(m_store->changePassphrase(next, passphrase()).error().code, ErrorCode::NotFound);
    }

    void aChangeOfThePassphraseThatIsKilledLeavesAFileThatOneOfThemOpens()
    {
        QVERIFY(m_store->create(passphrase()));
        QVERIFY(m_store->write(u"a"_s, SecretValue::copyOf(QByteArray(secretBytesMax, 'x')), {}));
        const SecretValue next = SecretValue::copyOf("battery staple");
        for (int i = 0; i < 20; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                const auto mine = makeFileStore(m_file, cheap);
                for (;;) {
                    std::ignore = mine->changePassphrase(passphrase(), SecretValue::copyOf("battery staple"));
                    std::ignore = mine->changePassphrase(SecretValue::copyOf("battery staple"), passphrase());
                }
            }
            QTest::qSleep(5 + 3 * i);
            sendSignal(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            const auto other = makeFileStore(m_file, cheap);
            QVERIFY(other->unlock(passphrase()) || other->unlock(next));
            QCOMPARE(other->read(u"a"_s, {})->size(), secretBytesMax);
        }
    }

    void aFullDiskOrAForbiddenFolderLeavesItAsItWas()
    {
        QVERIFY(m_store->create(passphrase()));
        QVERIFY(m_store->write(u"a"_s, SecretValue::copyOf("a value"), {}));
        rlimit before{};
        ::getrlimit(RLIMIT_FSIZE, &before);
        const auto old = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit tiny{1000, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &tiny);
        const Status written = m_store->write(u"b"_s, SecretValue::copyOf(QByteArray(5000, 'x')), {});
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, old);
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::Full);
        QVERIFY(sentence(written).contains(u"stays as it was"));
        QCOMPARE(m_store->list({}).value(), std::optional(QStringList{u"a"_s}));
        QCOMPARE(QFileInfo(m_file).dir().entryList(QDir::Files).filter(u".new-"_s), QStringList());
        if (::geteuid() == 0)
            return; // root may write to every folder
        const QByteArray folder = QFile::encodeName(QFileInfo(m_file).path());
        ::chmod(folder.constData(), 0500);
        const Status refused = m_store->write(u"b"_s, SecretValue::copyOf("b value"), {});
        ::chmod(folder.constData(), 0700);
        QCOMPARE(refused.error().code, ErrorCode::PermissionDenied);
        QCOMPARE(m_store->read(u"a"_s, {})->view(), QByteArrayView("a value"));
    }

    void aFileThatIsNoneIsDamaged()
    {
        QVERIFY(makePrivateFolder(QFileInfo(m_file).path()));
        for (const QByteArray &bytes :
             {QByteArray(), QByteArray("x"), QByteArray("GLVAULT\n"), QByteArray(5000, '\0')}) {
            QVERIFY(writeTo(m_file, bytes));
            QCOMPARE(m_store->unlock(passphrase()).error().code, ErrorCode::Damaged);
            QVERIFY(m_store->status({}).state == StoreState::Denied);
        }
        QVERIFY(QFile::remove(m_file));
        QCOMPARE(::mkfifo(QFile::encodeName(m_file).constData(), 0600), 0);
        QCOMPARE(m_store->unlock(passphrase()).error().code, ErrorCode::Damaged); // and doesn't wait for a writer
    }

    void guessingCosts()
    {
        const auto dear = makeFileStore(m_folder->filePath(u"data/other.vault"_s));
        QElapsedTimer time;
        time.start();
        QVERIFY(dear->create(passphrase()));
        QVERIFY2(time.elapsed() > 100, QByteArray::number(time.elapsed()).constData());
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    std::shared_ptr<PassphraseStore> m_store;
};

QTEST_GUILESS_MAIN(TestFileStore)
#include "tst_filestore.moc"
