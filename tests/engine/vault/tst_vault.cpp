// SPDX-License-Identifier: Apache-2.0
// Secrets are kept, changed and taken stock of, whatever the store does and whoever else is there.
#include "fixture.h"

#include <QDirIterator>
#include <QTest>

#include <thread>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestVault : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_clock = {};
        m_store = std::make_shared<MoodyStore>();
        m_program = std::make_unique<Program>(m_folder->path(), m_clock, m_store);
    }

    void cleanup() { m_program.reset(); }

    void aSecretIsKeptUntilItIsRemoved()
    {
        QVERIFY(vault().list()->isEmpty());
        const Status added = vault().add(u"API_KEY"_s, u"of the shop"_s, {}, SecretValue::copyOf("v4lue-one"), {}, {});
        QVERIFY2(added, why(added));
        QCOMPARE(vault().info(u"API_KEY"_s)->note, u"of the shop"_s);
        QCOMPARE(vault().reveal(u"API_KEY"_s, {})->view(), QByteArrayView("v4lue-one"));
        QCOMPARE(vault().info(u"API_KEY"_s)->uses, 0);
        m_clock.now += 5;
        QVERIFY(vault().replace(u"API_KEY"_s, SecretValue::copyOf("v4lue-two"), {}, {}));
        QCOMPARE(vault().reveal(u"API_KEY"_s, {})->view(), QByteArrayView("v4lue-two"));
        QCOMPARE(vault().info(u"API_KEY"_s)->changedMicroseconds, vault().info(u"API_KEY"_s)->createdMicroseconds + 5);
        QVERIFY(vault().rename(u"API_KEY"_s, u"TOKEN"_s, {}));
        QCOMPARE(vault().reveal(u"TOKEN"_s, {})->view(), QByteArrayView("v4lue-two"));
        QCOMPARE(vault().info(u"API_KEY"_s).error().code, ErrorCode::NotFound);
        QVERIFY(vault().remove(u"TOKEN"_s, {}, {}));
        QVERIFY(vault().list()->isEmpty());
        QCOMPARE(m_store->list({}).value(), std::optional(QStringList()));
    }

    void valuesAreNowhereButInTheStore()
    {
        QVERIFY(m_program->add(u"API_KEY"_s, "s3cr3t-needle"));
        QVERIFY(vault().replace(u"API_KEY"_s, SecretValue::copyOf("s3cr3t-needle-2"), {}, {}));
        QDirIterator files(m_folder->path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        int looked = 0;
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray content = file.readAll();
            QVERIFY2(!content.contains("s3cr3t"), qPrintable(file.fileName()));
            looked += content.contains("API_KEY") ? 1 : 0;
        }
        QVERIFY(looked > 0);
    }

    void valuesThatMakeNoSenseAreRefused()
    {
        QVERIFY(sentence(m_program->add(u"A"_s, "")).contains(u"empty"));
        QVERIFY(sentence(m_program->add(u"A"_s, "abc")).contains(u"at least 4 bytes"));
        QVERIFY(sentence(m_program->add(u"A"_s, QByteArray(1024 * 1024, 'x'))).contains(u"at most 65536 bytes"));
        QVERIFY(m_program->add(u"A"_s, "abcd"));
        QVERIFY(m_program->add(u"B"_s, QByteArray(secretBytesMax, 'x')));
        QVERIFY(m_program->add(u"LINES"_s, "-----BEGIN KEY-----\nabc\n"));
        QVERIFY(m_program->add(u"BINARY"_s, QByteArrayView("a\0b\0\xff", 5)));
        QCOMPARE(vault().reveal(u"BINARY"_s, {})->view(), QByteArrayView("a\0b\0\xff", 5));
        QVERIFY(!vault().replace(u"A"_s, SecretValue::copyOf("abc"), {}, {}));
        QCOMPARE(vault().reveal(u"A"_s, {})->view(), QByteArrayView("abcd"));
    }

    void namesNotesAndLimitsThatMakeNoSenseAreRefused()
    {
        QVERIFY(sentence(m_program->add(u"my key"_s, "abcd")).contains(u"my key"));
        QVERIFY(sentence(m_program->add(QString(10000, u'x'), "abcd")).size() < 250);
        QVERIFY(sentence(m_program->add(u"A"_s, "abcd", {.languages = {u"pyhton"_s}})).contains(u"python, node"));
        QVERIFY(sentence(m_program->add(u"A"_s, "abcd", {.callers = {u"me"_s}})).contains(u"cli, workbench, mcp"));
        QVERIFY(!m_program->add(u"A"_s, "abcd", {.hosts = QStringList{u"http://x/"_s}}));
        const QString longNote(secretNoteMax + 1, u'n');
        QVERIFY(!vault().add(u"A"_s, longNote, {}, SecretValue::copyOf("abcd"), {}, {}));
        QVERIFY(vault().list()->isEmpty());
        QCOMPARE(m_store->list({}).value(), std::optional(QStringList()));
    }

    void aTakenNameIsRefusedAndItsValueStays()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        QVERIFY(sentence(m_program->add(u"A"_s, "second value")).contains(u"a secret A already"));
        QVERIFY(m_program->add(u"B"_s, "third value"));
        QVERIFY(sentence(vault().rename(u"B"_s, u"A"_s, {})).contains(u"a secret A already"));
        QVERIFY(vault().rename(u"A"_s, u"A"_s, {}));
        QVERIFY(sentence(vault().rename(u"A"_s, u"PATH"_s, {})).contains(u"decides how programs start"));
        QVERIFY(sentence(m_program->add(u"LD_PRELOAD"_s, "a value")).contains(u"decides how programs start"));
        QCOMPARE(vault().reveal(u"A"_s, {})->view(), QByteArrayView("first value"));
        QCOMPARE(m_store->list({}).value()->size(), 2);
    }

    void aStoreInTroubleChangesNothing()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        m_store->trouble = true;
        QCOMPARE(sentence(m_program->add(u"B"_s, "abcd")), u"It is locked."_s);
        QCOMPARE(sentence(vault().replace(u"A"_s, SecretValue::copyOf("second value"), {}, {})), u"It is locked."_s);
        QCOMPARE(sentence(vault().remove(u"A"_s, {}, {})), u"It is locked."_s);
        QCOMPARE(sentence(vault().reveal(u"A"_s, {})), u"It is locked."_s);
        QCOMPARE(vault().list()->size(), 1); // also while it is locked
        QVERIFY(vault().edit(*vault().info(u"A"_s), u"still editable"_s, {}, {}));
        const VaultReport report = vault().check({}).value();
        QVERIFY(report.secrets.first().state == SecretCheck::State::Unknown);
        QCOMPARE(report.secrets.first().reason.english(), u"It is locked."_s);
        m_store->trouble = false;
        QCOMPARE(vault().reveal(u"A"_s, {})->view(), QByteArrayView("first value"));
    }

    void whatOthersTookOutOfTheStoreIsShownAsGone()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        QVERIFY(m_program->add(u"B"_s, "second value"));
        QVERIFY(m_store->remove(vault().info(u"A"_s)->slot, {}));
        for (const bool lists : {true, false}) {
            m_store->lists = lists;
            const VaultReport report = vault().check({}).value();
            QVERIFY(report.secrets[0].state == SecretCheck::State::Gone);
            QVERIFY(report.secrets[1].state == SecretCheck::State::Present);
        }
        QVERIFY(sentence(vault().reveal(u"A"_s, {})).contains(u"its value is gone"));
        QVERIFY(vault().replace(u"A"_s, SecretValue::copyOf("a new value"), {}, {}));
        QVERIFY(m_store->remove(vault().info(u"A"_s)->slot, {}));
        QVERIFY(vault().remove(u"A"_s, {}, {}));
        QCOMPARE(vault().list()->size(), 1);
    }

    // The person may have done it: "Begin a new file" leaves every secret of the old one without its value, until it is put back.
    void nobodyIsBlamedForAValueThatIsGone()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        QVERIFY(m_store->remove(vault().info(u"A"_s)->slot, {}));
        const QString reason = vault().check({})->secrets.first().reason.english();
        QVERIFY2(!reason.contains(u"nother program") && reason.contains(u"a new value"), qPrintable(reason));
        QVERIFY(!reason.contains(u"secrets.vault"));
        QVERIFY(!sentence(vault().reveal(u"A"_s, {})).contains(u"nother program"));

        const auto file = makeFileStore(m_folder->filePath(u"secrets.vault"_s), 10);
        QVERIFY(file->create(SecretValue::copyOf("a passphrase")));
        Program program(m_folder->filePath(u"other"_s), m_clock, file);
        QVERIFY(program.add(u"A"_s, "first value"));
        const auto aside = file->moveAside();
        QVERIFY2(aside, why(aside));
        QVERIFY(file->create(SecretValue::copyOf("another passphrase")));
        const QString ofFile = program.vault.check({})->secrets.first().reason.english();
        QVERIFY2(ofFile.contains(u"secrets.vault.old-"), qPrintable(ofFile));
        QVERIFY(aside->contains(u"secrets.vault.old-"));
        QVERIFY(sentence(program.vault.reveal(u"A"_s, {})).contains(u"secrets.vault.old-"));
    }

    void valuesThatNobodyKnowsAreStrays()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        const QString own = vault().info(u"A"_s)->slot.section(u'/', 0, 0);
        const QString stray = own + u"/LOST/"_s + newId(m_clock);
        const QString others = u"0123456789abcdef/LOST/"_s + newId(m_clock);
        QVERIFY(m_store->write(stray, SecretValue::copyOf("abcd"), {}));
        QVERIFY(m_store->write(others, SecretValue::copyOf("abcd"), {}));
        QVERIFY(m_store->write(own + u"/junk"_s, SecretValue::copyOf("abcd"), {}));
        QVERIFY(vault().check({})->strays.isEmpty()); // another program may be about to put it into the index
        m_clock.now += 3600LL * 1'000'000;
        QCOMPARE(vault().check({})->strays, QStringList{stray});
        QVERIFY(vault().removeStrays({}));
        QVERIFY(vault().check({})->strays.isEmpty());
        QCOMPARE(m_store->list({}).value()->size(), 3);
    }

    void aSecretWhoseStoreIsGoneForGoodCanBeForgotten()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        m_store->trouble = true;
        QVERIFY(vault().forget(u"A"_s, {}));
        QVERIFY(vault().list()->isEmpty());
    }

    void whatHoldsAValueThatCantBeUsedHereSaysSo()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        const Vault elsewhere({.log = m_program->log.get(),
                               .auditFile = m_program->file,
                               .clock = &m_clock,
                               .stores = {makeFileStore(m_folder->filePath(u"none.vault"_s))}});
        QVERIFY(sentence(elsewhere.reveal(u"A"_s, {})).contains(u"can't be used here"));
        QVERIFY(elsewhere.store().status({}).state == StoreState::Absent);
        QVERIFY(elsewhere.check({})->secrets.first().state == SecretCheck::State::Unknown);
    }

    void withoutALogNothingIsChanged()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        Vault readOnly({.whyReadOnly = Text("Nothing can be recorded."),
                        .auditFile = m_program->file,
                        .clock = &m_clock,
                        .stores = {m_store}});
        QCOMPARE(readOnly.list()->size(), 1);
        QCOMPARE(sentence(readOnly.add(u"B"_s, {}, {}, SecretValue::copyOf("abcd"), {}, {})),
                 u"Nothing can be recorded."_s);
        QCOMPARE(sentence(readOnly.remove(u"A"_s, {}, {})), u"Nothing can be recorded."_s);
        QVERIFY(!readOnly.grant({{u"A"_s}}, {}, {}));
        QCOMPARE(m_store->list({}).value()->size(), 1);
    }

    void aSecretThatIsRenamedWhileItIsRemovedIsGone()
    {
        Program other(m_folder->path(), m_clock, m_store);
        QVERIFY(m_program->add(u"A"_s, "first value"));
        m_store->whenRemoved = [&] { QVERIFY(other.vault.rename(u"A"_s, u"B"_s, {})); };
        const Status removed = vault().remove(u"A"_s, {}, {});
        QVERIFY2(removed, why(removed));
        QVERIFY(vault().list()->isEmpty());
    }

    void aValueThatIsReplacedWhileItIsRemovedStays()
    {
        Program other(m_folder->path(), m_clock, m_store);
        QVERIFY(m_program->add(u"A"_s, "first value"));
        m_store->whenRemoved = [&] {
            QVERIFY(other.vault.replace(u"A"_s, SecretValue::copyOf("second value"), {}, {}));
        };
        QVERIFY(sentence(vault().remove(u"A"_s, {}, {})).contains(u"Another program changed"));
        QCOMPARE(vault().reveal(u"A"_s, {})->view(), QByteArrayView("second value"));
    }

    // Two programs that add, replace and remove the same three names: at the end every secret of the list has its value.
    void programsAtOnceLoseNothing()
    {
        Program other(m_folder->path(), m_clock, m_store);
        const auto meddle = [](Program &program, int seed) {
            for (int i = 0; i < 60; ++i) {
                const QString name = u"KEY_%1"_s.arg((i * seed) % 3);
                const QByteArray value = "value of " + QByteArray::number(seed) + " at " + QByteArray::number(i);
                switch ((i + seed) % 4) {
                case 0:
                    std::ignore = program.add(name, value);
                    break;
                case 1:
                    std::ignore = program.vault.replace(name, SecretValue::copyOf(value), {}, {});
                    break;
                case 2:
                    std::ignore = program.vault.rename(name, u"KEY_%1"_s.arg((i + 1) % 3), {});
                    break;
                default:
                    std::ignore = program.vault.remove(name, {}, {});
                }
            }
        };
        std::thread first([&] { meddle(*m_program, 5); });
        std::thread second([&] { meddle(other, 7); });
        first.join();
        second.join();
        for (int i = 0; i < 3; ++i)
            std::ignore = m_program->add(u"KEY_%1"_s.arg(i), "at the end");
        const VaultReport report = vault().check({}).value();
        QCOMPARE(report.secrets.size(), 3);
        QCOMPARE(m_store->list({}).value()->size(), 3); // no stray either
        for (const SecretCheck &check : report.secrets)
            QVERIFY2(check.state == SecretCheck::State::Present, qPrintable(check.name));
    }

    void anEditOfWhatAnotherProgramEditedIsRefused()
    {
        QVERIFY(m_program->add(u"A"_s, "first value"));
        const SecretInfo seen = vault().info(u"A"_s).value();
        QVERIFY(vault().edit(seen, u"mine"_s, {}, {}));
        QVERIFY(sentence(vault().edit(seen, u"theirs"_s, {}, {})).contains(u"Another program changed"));
        QCOMPARE(vault().info(u"A"_s)->note, u"mine"_s);
    }

private:
    Vault &vault() { return m_program->vault; }

    std::unique_ptr<QTemporaryDir> m_folder;
    SetClock m_clock;
    std::shared_ptr<MoodyStore> m_store;
    std::unique_ptr<Program> m_program;
};

QTEST_GUILESS_MAIN(TestVault)
#include "tst_vault.moc"
