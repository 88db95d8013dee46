// SPDX-License-Identifier: Apache-2.0
// The install has one signing key for ever, or a sentence that says why it can't be had.
#include "engine/identity/identity.h"
#include "tests/engine/vault/fixture.h"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTest>

#include <unistd.h>

#include <future>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestSigningKey : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_audit = m_folder->filePath(u"data/audit.db"_s);
        m_file = m_folder->filePath(u"data/signing.key"_s);
        m_log = AuditLog::open(m_audit, u"engine-1"_s, Clock::system()).value();
        m_keychain = std::make_unique<MoodyStore>();
    }

    void cleanup() { m_log.reset(); }

    void itIsMadeOnceAndOpenedFromThenOn()
    {
        const auto made = open();
        QVERIFY2(made, why(made));
        QCOMPARE(made->publicKey.size(), 32);
        QCOMPARE(made->seed.size(), 32);
        QCOMPARE(QFileInfo(m_file).permissions() & 0x777, QFile::ReadUser | QFile::WriteUser);
        QCOMPARE(open()->publicKey, made->publicKey);
        QVERIFY(open()->seed == made->seed);
        const KeyRecord record = recordedKey(*AuditReader::open(m_audit).value()).value();
        QCOMPARE(record.place, u"file"_s);
        QCOMPARE(record.publicKey, made->publicKey);
        QVERIFY(AuditReader::open(m_audit).value()->entry(1)->json.contains("key.created"));
        QVERIFY(!AuditReader::open(m_audit).value()->entry(2)); // recorded once
    }

    void oneThatIsGoneIsNotReplaced()
    {
        QVERIFY(open());
        QVERIFY(QFile::rename(m_file, m_file + u".away"_s));
        QCOMPARE(open().error().code, ErrorCode::NotFound);
        QVERIFY(sentence(open()).contains(u"never creates another"));
        QVERIFY(!QFile::exists(m_file));
        QVERIFY(QFile::rename(m_file + u".away"_s, m_file));
        QVERIFY(open());
    }

    void oneThatOthersCanReadOrThatIsDamagedIsRefused()
    {
        QVERIFY(open());
        QVERIFY(QFile::setPermissions(m_file, QFile::ReadOwner | QFile::ReadOther));
        QCOMPARE(open().error().code, ErrorCode::PermissionDenied);
        QFile file(m_file);
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner) && file.open(QIODevice::ReadWrite));
        const QByteArray whole = file.readAll();
        for (qsizetype i = 0; i < whole.size(); i += 7) {
            QVERIFY(file.resize(0) && file.seek(0) && file.write(whole.first(i)) == i && file.flush());
            QVERIFY(!open());
        }
    }

    // Each is told with its own reason and way out: nobody looks for permissions in an empty file.
    void whatIsInItsPlaceIsTold_data()
    {
        QTest::addColumn<QString>("command"); // of a shell, in the key's folder
        QTest::addColumn<QString>("reason");
        QTest::addColumn<bool>("isOfPermissions");
        QTest::newRow("empty") << u": > signing.key; chmod 600 signing.key"_s << u"The file is empty."_s << false;
        QTest::newRow("truncated") << u"head -c 60 signing.key > x; cat x > signing.key"_s << u"no whole Ed25519 key"_s
                                   << false;
        QTest::newRow("bytes") << u"head -c 100000 /dev/urandom > signing.key"_s << u"no whole Ed25519 key"_s << false;
        QTest::newRow("of another kind") << u"openssl genpkey -algorithm X25519 > signing.key 2>&1"_s
                                         << u"no whole Ed25519 key"_s << false;
        QTest::newRow("with a passphrase")
            << u"openssl genpkey -algorithm ED25519 -aes-256-cbc -pass pass:x > signing.key 2>&1"_s
            << u"no whole Ed25519 key without a passphrase"_s << false;
        QTest::newRow("a FIFO") << u"rm signing.key; mkfifo -m 600 signing.key"_s << u"No regular file is there."_s
                                << false;
        QTest::newRow("a folder") << u"rm signing.key; mkdir -m 700 signing.key"_s << u"No regular file is there."_s
                                  << false;
        QTest::newRow("others can read it") << u"chmod 640 signing.key"_s << u"(mode 640)"_s << true;
        if (::geteuid() == 0)
            QTest::newRow("another user's") << u"chown 12345 signing.key"_s << u"belongs to another user"_s << false;
    }

    void whatIsInItsPlaceIsTold()
    {
        QFETCH(const QString, command);
        QFETCH(const QString, reason);
        QFETCH(const bool, isOfPermissions);
        const auto place = [&] {
            QProcess shell;
            shell.setWorkingDirectory(QFileInfo(m_file).path());
            shell.start(u"/bin/sh"_s, {u"-c"_s, command});
            return shell.waitForFinished() && shell.exitCode() == 0;
        };
        const auto said = [](const auto &result) {
            return result.error().message.english() + u' ' + result.error().detail.english();
        };
        QVERIFY(open() && looksLikeKey(m_file) && place());
        QCOMPARE(looksLikeKey(m_file), command.contains(u"X25519")); // only OpenSSL can tell
        const auto known = open();
        QVERIFY(!known && said(known).contains(reason));
        QVERIFY2(said(known).contains(isOfPermissions ? u"chmod 600 "_s + m_file : u"never creates another"_s),
                 qPrintable(said(known)));
        // Before any is on record, the way out is another.
        cleanup();
        init();
        QFile fresh(m_file);
        QVERIFY(fresh.open(QIODevice::WriteOnly) && fresh.setPermissions(QFile::ReadOwner | QFile::WriteOwner)
                && fresh.write(QByteArray(200, 'x')) == 200);
        fresh.close();
        QVERIFY(place());
        const auto none = open();
        QVERIFY(!none && said(none).contains(reason));
        QVERIFY2(said(none).contains(isOfPermissions ? u"chmod 600"_s : u"Move the file aside: the next run makes"_s),
                 qPrintable(said(none)));
    }

    void anotherKeyIsNotTakenForIt()
    {
        QVERIFY(open());
        const QString other = m_folder->filePath(u"other/audit.db"_s);
        const auto log = AuditLog::open(other, u"engine-2"_s, Clock::system()).value();
        const QString otherFile = m_folder->filePath(u"other/signing.key"_s);
        QVERIFY(openSigningKey({.file = otherFile}, other, *log, {}, {}));
        QVERIFY(QFile::remove(m_file) && QFile::copy(otherFile, m_file));
        QCOMPARE(open().error().code, ErrorCode::Damaged);
    }

    void oneThatAKilledProgramLeftIsTakenOver()
    {
        const QByteArray key = open()->publicKey;
        m_log.reset();
        QVERIFY(QFile::remove(m_audit)); // as if it had never been recorded
        QFile::remove(m_audit + u"-wal"_s);
        QFile::remove(m_audit + u"-shm"_s);
        m_log = AuditLog::open(m_audit, u"engine-1"_s, Clock::system()).value();
        QCOMPARE(open()->publicKey, key);
    }

    void programsAtOnceAgreeOnOne()
    {
        for (int round = 0; round < 10; ++round) {
            cleanup();
            init();
            const auto other = AuditLog::open(m_audit, u"engine-2"_s, Clock::system()).value();
            auto second = std::async(std::launch::async,
                                     [&] { return openSigningKey({.file = m_file}, m_audit, *other, {}, {}); });
            const auto first = open();
            const auto theirs = second.get();
            QVERIFY2(first && theirs, why(first) + why(theirs));
            QCOMPARE(first->publicKey, theirs->publicKey);
        }
    }

    void theKeychainHasItByChoice()
    {
        const auto made = inKeychain();
        QVERIFY2(made, why(made));
        QCOMPARE(made->place, u"keychain"_s);
        QVERIFY(!QFile::exists(m_file));
        const KeyRecord record = recordedKey(*AuditReader::open(m_audit).value()).value();
        QCOMPARE(record.place, u"keychain"_s);
        QCOMPARE(record.publicKey, made->publicKey);
        QVERIFY(inKeychain()->seed == made->seed);
        // The record says where it is, whatever is chosen later.
        QVERIFY(openSigningKey({m_file, m_keychain.get(), u"file"_s}, m_audit, *m_log, {}, {})->seed == made->seed);
        QVERIFY(!QFile::exists(m_file));
    }

    void oneInTheKeychainIsNotReplacedWhateverTheKeychainDoes()
    {
        m_keychain->trouble = true;
        QVERIFY(!inKeychain()); // nor made in a file instead
        QVERIFY(!QFile::exists(m_file));
        QVERIFY(recordedKey(*AuditReader::open(m_audit).value())->place.isEmpty());
        m_keychain->trouble = false;
        const auto made = inKeychain();
        QVERIFY2(made, why(made));
        m_keychain->trouble = true;
        QVERIFY(sentence(inKeychain()).contains(u"never creates another"));
        QVERIFY(sentence(open()).contains(u"never creates another")); // a program without a keychain
        m_keychain->trouble = false;
        const QStringList slotNames = m_keychain->list({})->value();
        QCOMPARE(slotNames.size(), 1);
        QVERIFY(m_keychain->write(slotNames.first(), SecretValue::copyOf(QByteArray(32, 'x')), {}));
        QCOMPARE(inKeychain().error().code, ErrorCode::Damaged);
        QVERIFY(m_keychain->remove(slotNames.first(), {}));
        QCOMPARE(inKeychain().error().code, ErrorCode::NotFound);
        QVERIFY(m_keychain->list({})->value().isEmpty());
        QVERIFY(!QFile::exists(m_file));
    }

    // A shutdown stops waiting for a keychain that has the request already.
    void oneThatNobodyWaitedForIsNotLeftInTheKeychain()
    {
        std::stop_source stop;
        m_keychain->whenWritten = [&] {
            stop.request_stop();
            return fail(ErrorCode::Cancelled, Text("Nobody waits for it."));
        };
        QVERIFY(!openSigningKey({m_file, m_keychain.get(), u"keychain"_s}, m_audit, *m_log, {},
                                {.stop = stop.get_token()}));
        QCOMPARE(m_keychain->list({})->value(), QStringList());
    }

    void oneThatCantBeRecordedIsNotLeftInTheKeychain()
    {
        std::stop_source stop;
        const auto other = AuditLog::open(m_audit, u"engine-2"_s, Clock::system()).value();
        m_keychain->whenWritten = [&] {
            stop.request_stop();
            // Another program, with a key in its file.
            return openSigningKey({.file = m_file}, m_audit, *other, {}, {}) ? Status() : fail(ErrorCode::Io, Text());
        };
        const auto theirs =
            openSigningKey({m_file, m_keychain.get(), u"keychain"_s}, m_audit, *m_log, {}, {.stop = stop.get_token()});
        QVERIFY2(theirs, why(theirs));
        QCOMPARE(theirs->place, u"file"_s);
        QCOMPARE(m_keychain->list({})->value(), QStringList());
    }

    void programsAtOnceAgreeOnOneInTheKeychain()
    {
        for (int round = 0; round < 10; ++round) {
            cleanup();
            init();
            const auto other = AuditLog::open(m_audit, u"engine-2"_s, Clock::system()).value();
            MoodyStore keychain;
            const SigningKeyPlaces places{m_file, &keychain, u"keychain"_s};
            auto second =
                std::async(std::launch::async, [&] { return openSigningKey(places, m_audit, *other, {}, {}); });
            const auto first = openSigningKey(places, m_audit, *m_log, {}, {});
            const auto theirs = second.get();
            QVERIFY2(first && theirs, why(first) + why(theirs));
            QCOMPARE(first->publicKey, theirs->publicKey);
            QCOMPARE(keychain.list({})->value().size(), 1);
        }
    }

    void keysThatAreNotTheOneOnRecordAreStrays()
    {
        const auto store = std::make_shared<MoodyStore>();
        const SetClock clock;
        const QString folder = m_folder->filePath(u"other"_s);
        Program program(folder, clock, store, [file = folder + u"/data/audit.db"_s](const QString &slot) {
            return isKeyTooMany(slot, file);
        });
        const QString own = AuditReader::open(program.file).value()->id().value();
        const QString lost = own + u"/signing-key/"_s + QString(64, u'a');
        const QString others = u"0123456789abcdef/signing-key/"_s + QString(64, u'b');
        QVERIFY(store->write(lost, SecretValue::copyOf("a private key"), {}));
        QVERIFY(store->write(others, SecretValue::copyOf("a private key"), {}));
        QVERIFY(program.vault.check({})->strays.isEmpty()); // another program may be about to record it
        const SigningKeyPlaces places{m_folder->filePath(u"other/signing.key"_s), store.get(), u"keychain"_s};
        const auto key = openSigningKey(places, program.file, *program.log, {}, {});
        QVERIFY2(key, why(key));
        QCOMPARE(program.vault.check({})->strays, QStringList{lost});
        QVERIFY(program.vault.removeStrays({}));
        QVERIFY(program.vault.check({})->strays.isEmpty());
        QCOMPARE(store->list({})->value().size(), 2);
        QVERIFY(openSigningKey(places, program.file, *program.log, {}, {})->seed == key->seed);
    }

    void theLogTakesOneKey()
    {
        const auto reader = AuditReader::open(m_audit).value();
        QCOMPARE(recordedKey(*reader).value(), KeyRecord());
        const KeyRecord key{u"file"_s, QByteArray(32, 'k')};
        QVERIFY(m_log->appendNow(keyCreated({}, key)));
        QCOMPARE(m_log->appendNow(keyCreated({}, key)).error().code, ErrorCode::InvalidInput);
        QCOMPARE(recordedKey(*reader).value(), key);
        QCOMPARE(reader->lastEntry().value(), 1);
    }

private:
    Result<SigningKey> inKeychain()
    {
        return openSigningKey({m_file, m_keychain.get(), u"keychain"_s}, m_audit, *m_log, {}, {});
    }
    Result<SigningKey> open() { return openSigningKey({.file = m_file}, m_audit, *m_log, {}, {}); }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_audit, m_file;
    std::unique_ptr<AuditLog> m_log;
    std::unique_ptr<MoodyStore> m_keychain;
};

QTEST_GUILESS_MAIN(TestSigningKey)
#include "tst_signingkey.moc"
