// SPDX-License-Identifier: Apache-2.0
// The keychain, real and in trouble: whatever it does, there is an answer in time and nothing is left behind.
#include "desktop.h"
#include "fixture.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QTest>

#include <future>

#include <sys/wait.h>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

Patience brief()
{
    return Patience::of(1500ms);
}

// A folder with a glovebox-keychain that does what a test wants.
struct FakeProgram
{
    explicit FakeProgram(const QByteArray &script)
    {
        QFile file(folder.filePath(u"glovebox-keychain"_s));
        if (file.open(QIODevice::WriteOnly)) {
            file.write("#!/bin/sh\n" + script + "\n");
            file.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        }
    }
    QByteArray said(const QString &name) const
    {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QTemporaryDir folder;
};

} // namespace

class TestKeychain : public QObject
{
    Q_OBJECT

    const QString program = QStringLiteral(GLOVEBOX_LIBEXEC) + u"/glovebox-keychain"_s;

private Q_SLOTS:
    void init() { m_store = makeKeychainStore(QStringLiteral(GLOVEBOX_LIBEXEC)); }

    void aReadyKeychainKeepsValues()
    {
        if (const QString why = Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Desktop desktop;
        QVERIFY(desktop.startBus() && desktop.startKeyring(true));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Ready); }));
        QCOMPARE(m_store->read(u"i/A/1"_s, {}).error().code, ErrorCode::NotFound);
        const Status nothing = m_store->remove(u"i/A/1"_s, {}); // libsecret doesn't tell that there was none
        QVERIFY2(nothing || nothing.error().code == ErrorCode::NotFound, why(nothing));
        const QByteArray binary("b\0in\n\xff", 6);
        const QByteArray large(secretBytesMax, 'x');
        for (const auto &[slot, value] : {std::pair(u"i/A/1"_s, QByteArray("a value")), std::pair(u"i/B/2"_s, binary),
                                          std::pair(u"i/C/3"_s, large)}) {
            const Status written = m_store->write(slot, SecretValue::copyOf(value), {});
            QVERIFY2(written, why(written));
            const auto read = m_store->read(slot, {});
            QVERIFY2(read, why(read));
            QCOMPARE(read->view(), QByteArrayView(value));
        }
        QVERIFY(m_store->write(u"i/A/1"_s, SecretValue::copyOf("another value"), {}));
        QCOMPARE(m_store->read(u"i/A/1"_s, {})->view(), QByteArrayView("another value"));
        QStringList listed = m_store->list({}).value().value();
        listed.sort();
        QCOMPARE(listed, (QStringList{u"i/A/1"_s, u"i/B/2"_s, u"i/C/3"_s}));
        QVERIFY(m_store->remove(u"i/A/1"_s, {}));
        QCOMPARE(m_store->read(u"i/A/1"_s, {}).error().code, ErrorCode::NotFound);
        QCOMPARE(m_store->list({})->value().size(), 2);
    }

    void aLockedKeychainSaysSoAndLosesNothing()
    {
        if (const QString why = Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Desktop desktop;
        QVERIFY(desktop.startBus() && desktop.startKeyring(true));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Ready); }));
        QVERIFY(m_store->write(u"i/A/1"_s, SecretValue::copyOf("a value"), {}));
        desktop.stopKeyring();
        QVERIFY(stateIs(StoreState::Absent));
        QVERIFY(desktop.startKeyring(false));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Locked); }));
        QVERIFY(!m_store->status(brief()).remedy.isEmpty());
        QElapsedTimer time;
        time.start();
        QVERIFY(sentence(m_store->read(u"i/A/1"_s, {})).contains(u"is locked"));
        QVERIFY(sentence(m_store->write(u"i/B/2"_s, SecretValue::copyOf("b value"), {})).contains(u"is locked"));
        QVERIFY(sentence(m_store->remove(u"i/A/1"_s, {})).contains(u"is locked"));
        QVERIFY(time.elapsed() < 10'000);
        desktop.stopKeyring();
        QVERIFY(desktop.startKeyring(true));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Ready); }));
        QCOMPARE(m_store->read(u"i/A/1"_s, {})->view(), QByteArrayView("a value"));
    }

    void aPersonWhoDoesntAnswerIsToldApartFromAKeychainThatDoesnt()
    {
        const FakeProgram waits("exec sleep 60");
        const Status late = makeKeychainStore(waits.folder.path())->askToUnlock(Patience::of(200ms));
        QCOMPARE(late.error().code, ErrorCode::TimedOut);
        QVERIFY2(sentence(late).contains(u"Answer its dialog"), why(late));
        const FakeProgram hangs("cat > /dev/null; echo state not-answering"); // as the real one: reads, then answers
        const Status hung = makeKeychainStore(hangs.folder.path())->askToUnlock(brief());
        QVERIFY2(sentence(hung).contains(u"doesn't answer"), why(hung));
    }

    void aLockedKeychainAsksThePerson()
    {
        if (const QString why = Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Desktop desktop;
        QVERIFY(desktop.startBus());
        QCOMPARE(m_store->askToUnlock(brief()).error().code, ErrorCode::Unavailable);
        QVERIFY(desktop.startKeyring(true));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Ready); }));
        QVERIFY(m_store->askToUnlock(brief())); // without a dialog
        QVERIFY(m_store->write(u"i/A/1"_s, SecretValue::copyOf("a value"), {}));
        desktop.stopKeyring();
        QVERIFY(desktop.startKeyring(false));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Locked); }));
        const Status undisplayable = m_store->askToUnlock(Patience::of(10s));
        QCOMPARE(undisplayable.error().code, ErrorCode::PermissionDenied);
        QVERIFY(sentence(undisplayable).contains(u"could not be shown"));

        if (const QString why = desktop.startDialogs(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const auto ask = [&](const Patience &patience) {
            return std::async(std::launch::async, [this, patience] { return m_store->askToUnlock(patience); });
        };
        auto dismissed = ask(Patience::of(25s));
        QVERIFY(Desktop::until([&] { return desktop.isDialogShown(); }));
        desktop.pressInDialog(u"Escape"_s);
        QCOMPARE(dismissed.get().error().code, ErrorCode::PermissionDenied);
        QVERIFY(stateIs(StoreState::Locked));

        auto unanswered = ask(Patience::of(3s));
        QVERIFY(Desktop::until([&] { return desktop.isDialogShown(); }));
        const Status late = unanswered.get();
        QCOMPARE(late.error().code, ErrorCode::TimedOut);
        QVERIFY2(sentence(late).contains(u"Answer its dialog"), why(late));
        QCOMPARE(toString(m_store->status(Patience::of(8s)).state), u"locked"_s);
        QVERIFY(desktop.isDialogShown()); // and can still be answered

        auto answered = ask(Patience::of(25s));
        QVERIFY(Desktop::until([&] { return desktop.isDialogShown(); }));
        desktop.typeIntoDialog(u"not the password"_s);
        desktop.pressInDialog(u"Return"_s);
        QCOMPARE(answered.wait_for(1500ms), std::future_status::timeout); // it asks again
        desktop.typeIntoDialog(u"the login password"_s);
        desktop.pressInDialog(u"Return"_s);
        const Status unlocked = answered.get();
        QVERIFY2(unlocked, why(unlocked));
        QCOMPARE(m_store->read(u"i/A/1"_s, {})->view(), QByteArrayView("a value"));

        desktop.stopKeyring();
        QVERIFY(desktop.startKeyring(false));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Locked); }));
        auto orphaned = ask(Patience::of(25s));
        QVERIFY(Desktop::until([&] { return desktop.isDialogShown(); }));
        desktop.stopKeyring();
        QCOMPARE(orphaned.wait_for(5s), std::future_status::ready);
        QVERIFY(!orphaned.get());
    }

    void aStoppedKeychainIsGivenUpInTime()
    {
        if (const QString why = Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Desktop desktop;
        QVERIFY(desktop.startBus() && desktop.startKeyring(true));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Ready); }));
        desktop.signalKeyring(SIGSTOP);
        QElapsedTimer time;
        time.start();
        QVERIFY(m_store->status(brief()).state == StoreState::NotAnswering);
        const auto read = m_store->read(u"i/A/1"_s, brief());
        QCOMPARE(read.error().code, ErrorCode::TimedOut);
        QVERIFY(sentence(read).contains(u"doesn't answer"));
        QVERIFY(time.elapsed() < 5000);
        desktop.signalKeyring(SIGCONT);
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Ready); }));
    }

    void aKeychainThatIsKilledInTheMiddleIsAnError()
    {
        if (const QString why = Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Desktop desktop;
        QVERIFY(desktop.startBus() && desktop.startKeyring(true));
        QVERIFY(Desktop::until([&] { return stateIs(StoreState::Ready); }));
        desktop.signalKeyring(SIGSTOP);
        auto answer = std::async(std::launch::async, [&] {
            return m_store->write(u"i/A/1"_s, SecretValue::copyOf("a value"), Patience::of(10s));
        });
        QCOMPARE(answer.wait_for(300ms), std::future_status::timeout);
        desktop.stopKeyring();
        const Status written = answer.get();
        QVERIFY(!written);
        QVERIFY2(sentence(written).contains(u"keychain"), why(written));
        QVERIFY(stateIs(StoreState::Absent));
    }

    void withoutABusOrAKeyringThereIsNone()
    {
        if (const QString why = Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        QVERIFY(stateIs(StoreState::Absent));
        QVERIFY(sentence(m_store->read(u"i/A/1"_s, {})).contains(u"has no keychain"));
        Desktop desktop;
        QVERIFY(desktop.startBus());
        QVERIFY(stateIs(StoreState::Absent));
        QVERIFY(m_store->status(brief()).remedy.english().contains(u"vault.store"));
        QVERIFY(desktop.startKeyring(false)); // which nobody has put anything into yet
        QVERIFY(Desktop::until(
            [&] { return m_store->status(Patience::of(8s)).reason.english().contains(u"no keyring yet"); }));
        QVERIFY(sentence(m_store->write(u"i/A/1"_s, SecretValue::copyOf("a value"), {})).contains(u"no keyring yet"));
        QVERIFY(stateIs(StoreState::Absent));
    }

    void aBuildWithoutTheProgramSaysSo()
    {
        const QTemporaryDir empty;
        const auto store = makeKeychainStore(empty.path());
        QVERIFY(store->status({}).state == StoreState::Absent);
        QVERIFY(sentence(store->read(u"i/A/1"_s, {})).contains(u"no keychain"));
    }

    void aProgramThatHangsIsKilled()
    {
        const FakeProgram fake("echo $$ > \"$(dirname \"$0\")/pid\"; exec sleep 60");
        const auto store = makeKeychainStore(fake.folder.path());
        QElapsedTimer time;
        time.start();
        QCOMPARE(store->read(u"i/A/1"_s, Patience::of(500ms)).error().code, ErrorCode::TimedOut);
        QVERIFY(time.elapsed() < 3000);
        const pid_t pid = fake.said(u"pid"_s).trimmed().toInt();
        QVERIFY(pid > 0);
        // On a busy machine the kernel takes longer over its end than anybody waits; only of a live child this is 0.
        QTRY_VERIFY(::waitpid(pid, nullptr, WNOHANG) != 0);
    }

    void waitingCanBeStopped()
    {
        const FakeProgram fake("exec sleep 60");
        const auto store = makeKeychainStore(fake.folder.path());
        std::stop_source stop;
        auto answer = std::async(std::launch::async,
                                 [&] { return store->read(u"i/A/1"_s, Patience::of(20s, stop.get_token())); });
        QCOMPARE(answer.wait_for(200ms), std::future_status::timeout);
        stop.request_stop();
        QCOMPARE(answer.wait_for(3s), std::future_status::ready);
        QCOMPARE(answer.get().error().code, ErrorCode::Cancelled);
    }

    void aProgramThatMisbehavesIsAnError()
    {
        for (const QByteArray &script :
             {QByteArray("exit 1"), QByteArray("kill -SEGV $$"), QByteArray("printf 'half a line'"),
              QByteArray("exec </dev/null; exit 0"), QByteArray("exec head -c 3000000 /dev/zero"),
              QByteArray("printf 'no such word\\n'")}) {
            const FakeProgram fake(script);
            const auto store = makeKeychainStore(fake.folder.path());
            for (int i = 0; i < 3; ++i) {
                QVERIFY2(!store->write(u"i/A/1"_s, SecretValue::copyOf(QByteArray(65536, 'x')), {}),
                         script.constData());
                QVERIFY2(!store->read(u"i/A/1"_s, {}), script.constData());
            }
            QVERIFY(store->status({}).state != StoreState::Ready);
        }
    }

    void theValueIsInNoArgumentAndNoVariable()
    {
        qputenv("GLOVEBOX_TEST_OTHER", "not its business");
        const FakeProgram fake("cd \"$(dirname \"$0\")\"; tr '\\0' '\\n' < /proc/$$/cmdline > seen; env >> seen; "
                               "cat > request; echo ok");
        const auto store = makeKeychainStore(fake.folder.path());
        QVERIFY(store->write(u"i/A/1"_s, SecretValue::copyOf("s3cr3t-needle"), {}));
        QCOMPARE(fake.said(u"request"_s), "write i/A/1\ns3cr3t-needle");
        QVERIFY(fake.said(u"seen"_s).contains("glovebox-keychain"));
        QVERIFY(!fake.said(u"seen"_s).contains("s3cr3t"));
        QVERIFY(!fake.said(u"seen"_s).contains("not its business"));
    }

private:
    bool stateIs(StoreState state) const { return m_store->status(Patience::of(8s)).state == state; }

    std::shared_ptr<SecretStore> m_store;
};

QTEST_GUILESS_MAIN(TestKeychain)
#include "tst_keychain.moc"
