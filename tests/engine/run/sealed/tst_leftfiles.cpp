// SPDX-License-Identifier: Apache-2.0
// Files that real sealed runs leave are kept, and nothing else is.
#include "lentfixture.h"
#include "traces.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>

#include <sys/stat.h>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestLeftFiles : public LentFixture
{
    Q_OBJECT

    static QStringList pathsOf(const RunResult &result)
    {
        QStringList paths;
        for (const Artifact &artifact : result.artifacts)
            paths.append(artifact.path);
        return paths;
    }
    static QStringList reasonsOf(const RunResult &result)
    {
        QStringList reasons;
        for (const SkippedFiles &skipped : result.skipped)
            reasons.append(toString(skipped.why) + u' ' + QString::number(skipped.count));
        return reasons;
    }
    static QStringList homeOf(const RunResult &result)
    {
        QStringList told;
        for (const RunEvent &event : result.events) {
            if (event.type == EventType::HomeLeft)
                told.append(event.detail.english());
        }
        return told;
    }
    QJsonObject finished(const QString &run)
    {
        return QJsonDocument::fromJson(entries(run).trimmed().split('\n').last()).object();
    }

private Q_SLOTS:
    void cleanup() { m_engine.reset(); }

    void whatARunLeavesIsKeptAndOnRecord_data()
    {
        QTest::addColumn<NativeBuilder>("builder");
        QTest::newRow("direct") << NativeBuilder::Direct;
        QTest::newRow("bwrap") << NativeBuilder::Bubblewrap;
    }
    void whatARunLeavesIsKeptAndOnRecord()
    {
        QFETCH(NativeBuilder, builder);
        open(builder);
        RunRequest wanted = request("python",
                                    "import os\nos.mkdir('sub')\nopen('sub/b.bin', 'wb').write(b'\\0\\1')\n"
                                    "open('a.csv', 'w').write('x,y\\n')\nopen('given.txt', 'a').write('more')\n"
                                    "open('/tmp/elsewhere', 'w').write('not here')\n"
                                    "os.symlink('/etc/passwd', 'link')\nos.link('a.csv', 'z-second')\n"
                                    "os.mkfifo('pipe')\n",
                                    {});
        wanted.files = {{"given.txt", "given"}, {"untouched.txt", "given"}};
        const auto result = m_engine->start(std::move(wanted))->wait();
        QVERIFY(result->outcome == Outcome::Completed);
        QCOMPARE(pathsOf(*result), (QStringList{u"given.txt"_s, u"sub/b.bin"_s}));
        QCOMPARE(m_engine->store().get(result->artifacts[0].digest).value(), QByteArray("givenmore"));
        QCOMPARE(m_engine->store().get(result->artifacts[1].digest).value(), QByteArray("\0\1", 2));
        QCOMPARE(reasonsOf(*result), (QStringList{u"link 1"_s, u"hard_link 2"_s, u"special 1"_s}));
        QCOMPARE(std::ranges::count(result->events, EventType::ArtifactSkipped, &RunEvent::type), 3);
        const QJsonArray recorded = finished(result->id).value("artifacts"_L1).toArray();
        QCOMPARE(recorded.size(), 2);
        QCOMPARE(recorded[0]["path"_L1].toString(), u"given.txt"_s);
        QCOMPARE(recorded[0]["sha256"_L1].toString(), QString::fromLatin1(sha256({"givenmore"}).toHex()));
        QCOMPARE(recorded[0]["size"_L1].toInteger(), 9);
        QCOMPARE(toJson(*result).value("artifacts"_L1).toArray(), recorded);
        const auto reader = m_engine->auditReader();
        QVERIFY(reader);
        const auto digests = (*reader)->artifactDigests(result->id);
        QVERIFY(digests);
        QCOMPARE(digests->value(1), sha256({QByteArray("\0\1", 2)}));
        const auto bodies = (*reader)->bodiesOf(result->id);
        QVERIFY(bodies);
        QCOMPARE(bodies->size(), 3); // code and output, as ever
    }

    void aRunThatLeavesNothingHasNothing_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("python") << QByteArray("python") << QByteArray("import json, sqlite3\nprint(1)");
        QTest::newRow("node") << QByteArray("node") << QByteArray("console.log(1)");
        QTest::newRow("bash") << QByteArray("bash") << QByteArray("echo 1");
        QTest::newRow("sh") << QByteArray("sh") << QByteArray("echo 1");
    }
    void aRunThatLeavesNothingHasNothing()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, code);
        open();
        const auto result = run(language, code, {});
        QVERIFY(result->outcome == Outcome::Completed);
        QCOMPARE(pathsOf(*result), QStringList());
        QCOMPARE(reasonsOf(*result), QStringList());
        QCOMPARE(homeOf(*result), QStringList());
        QCOMPARE(QDir(m_engine->store().folder()).exists(u"incoming"_s), false);
    }

    void whatARunLeavesInItsHomeIsTold_data()
    {
        QTest::addColumn<NativeBuilder>("builder");
        QTest::addColumn<bool>("isWarm");
        QTest::addColumn<bool>("hasSession");
        QTest::newRow("direct") << NativeBuilder::Direct << false << false;
        QTest::newRow("bwrap") << NativeBuilder::Bubblewrap << false << false;
        QTest::newRow("warm") << NativeBuilder::Direct << true << false;
        QTest::newRow("session") << NativeBuilder::Direct << false << true;
        QTest::newRow("session, warm") << NativeBuilder::Direct << true << true;
    }
    void whatARunLeavesInItsHomeIsTold()
    {
        QFETCH(NativeBuilder, builder);
        QFETCH(bool, isWarm);
        QFETCH(bool, hasSession);
        open(builder, isWarm);
        const QString session = hasSession ? m_engine->createSession({}, m_engine->caller()).value().id : QString();
        const auto told = [&](const QByteArray &code) {
            RunRequest wanted = request("sh", code, {});
            wanted.session = session;
            const auto result = m_engine->start(std::move(wanted))->wait();
            return homeOf(*result);
        };
        QCOMPARE(told("echo x > ~/.hidden; echo x > /work/kept"), QStringList());
        // Nor is it in the next one's.
        for (int i = 0; i < 2; ++i)
            QCOMPARE(told("echo x > ~/out.txt; (while :; do echo x > ~/again; done) & mkdir -p ~/d/e; ln -s / ~/l; "
                          "until [ -e ~/again ]; do :; done"),
                     QStringList{u"Files in ~ go with the run, so they aren't kept: \"~/again\", \"~/d/\", "
                                 "\"~/out.txt\"."_s});
    }

    void onlyWhatCouldBeKeptIsToldOfTheHome()
    {
        open();
        const QByteArray code = "echo x > ~/out.txt";
        RunRequest getting = request("sh", code, {});
        getting.keepsFiles = false;
        QCOMPARE(homeOf(*m_engine->start(std::move(getting))->wait()), QStringList());
        QVERIFY(m_engine->settings().setFlag(u"artifacts.files"_s, 0));
        QCOMPARE(homeOf(*run("sh", code, {})), QStringList());
    }

    void aHomeFullOfHostileNamesIsToldBriefly()
    {
        open();
        const auto result = run("python",
                                "import os\nos.chdir(os.environ['HOME'])\n"
                                "for i in range(3000): open(f'\\n\\x1b[31m\\u202e{i}', 'w')\n",
                                {});
        QVERIFY(result->outcome == Outcome::Completed);
        const QString told = homeOf(*result).value(0);
        QVERIFY2(told.endsWith(u"and at least 997 more."_s), qPrintable(told));
        QVERIFY(entries(result->id).contains("home.left"));
    }

    void aFolderShownInTheHomeIsThePersons_data() { whatARunLeavesIsKeptAndOnRecord_data(); }
    void aFolderShownInTheHomeIsThePersons()
    {
        QFETCH(NativeBuilder, builder);
        open(builder);
        QTemporaryDir folder;
        ::chmod(QFile::encodeName(folder.path()).constData(), 0777);
        for (const auto mode : {FolderGrant::Mode::ReadOnly, FolderGrant::Mode::Stage, FolderGrant::Mode::ReadWrite}) {
            RunRequest wanted = request("sh", "echo x > ~/shown/new || true; echo x > ~/own", {});
            wanted.policy.folders = {{folder.path(), u"/run/home/shown"_s, mode}};
            const auto result = m_engine->start(std::move(wanted))->wait();
            QVERIFY2(!nothingRan(result->outcome), qPrintable(result->reason.english()));
            QCOMPARE(homeOf(*result), QStringList{u"Files in ~ go with the run, so they aren't kept: \"~/own\"."_s});
        }
    }

    void aNameInTheHomeHasNoValueOfASecret()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const SecretValue clear = value.value();
        const ScrubPlan plan({{u"KEY"_s, clear.view()}});
        const auto result =
            run("python", "import os\nopen(os.environ['HOME'] + '/' + os.environ['KEY'].replace('/', '%2f') * 3, 'w')",
                {{u"KEY"_s, {}, false}});
        QVERIFY2(homeOf(*result).value(0).contains(u"[secret KEY]"_s), qPrintable(homeOf(*result).value(0)));
        QVERIFY(!plan.finds(QJsonDocument(toJson(*result)).toJson()));
        QVERIFY(!plan.finds(entries(result->id)));
    }

    void whatAKilledRunLeftIsKeptAsItWas()
    {
        open();
        RunRequest wanted = request("sh", "echo begun > log\nsleep 100", {});
        wanted.policy.limits.wall = 1s;
        const auto result = m_engine->start(std::move(wanted))->wait();
        QVERIFY(result->outcome == Outcome::TimedOut);
        QCOMPARE(pathsOf(*result), QStringList{u"log"_s});
    }

    // Case 09: who is left behind goes on swapping while the program's end is noticed, and is dead before anything is read.
    void nobodySwapsAFileWhileItIsRead()
    {
        open();
        for (int i = 0; i < 10; ++i) {
            const auto result = run("sh",
                                    "(while :; do ln -sf /etc/passwd new; mv new out; echo mine > new; mv new out; "
                                    "done) &\nsleep 0.05",
                                    {});
            for (const Artifact &artifact : result->artifacts)
                QVERIFY(m_engine->store().get(artifact.digest).value_or("root") == "mine\n" || artifact.bytes == 0);
        }
    }

    void manyFilesAreCountedAndTheFirstAreKept()
    {
        open();
        QVERIFY(m_engine->settings().setFlag(u"artifacts.files"_s, 20));
        const auto result = run("python", "for i in range(5000): open(f'{i:04}', 'w').write(str(i))", {});
        QVERIFY(result->outcome == Outcome::Completed);
        QCOMPARE(result->artifacts.size(), 20);
        QCOMPARE(reasonsOf(*result), QStringList{u"too_many 4980"_s});
        QVERIFY(m_engine->settings().setFlag(u"artifacts.files"_s, 0));
        QCOMPARE(pathsOf(*run("sh", "echo > a", {})), QStringList());
    }

    // With the same file system below as ever, and without what was the person's.
    void shownFoldersAreNotTheRunsFiles_data() { whatARunLeavesIsKeptAndOnRecord_data(); }
    void shownFoldersAreNotTheRunsFiles()
    {
        QFETCH(NativeBuilder, builder);
        open(builder);
        QTemporaryDir folder;
        ::chmod(QFile::encodeName(folder.path()).constData(), 0777);
        QFile person(folder.filePath(u"person.txt"_s));
        QVERIFY(person.open(QIODevice::WriteOnly) && person.write("person") == 6);
        person.close();
        for (const auto mode : {FolderGrant::Mode::ReadOnly, FolderGrant::Mode::Stage, FolderGrant::Mode::ReadWrite}) {
            RunRequest wanted = request("sh", "echo own > own.txt; test -e shown/person.txt && echo x > shown/new", {});
            wanted.policy.folders = {{folder.path(), u"/work/shown"_s, mode}};
            const auto result = m_engine->start(std::move(wanted))->wait();
            QVERIFY2(!nothingRan(result->outcome), qPrintable(result->reason.english()));
            QCOMPARE(pathsOf(*result), QStringList{u"own.txt"_s});
        }
    }

    void aFileWithALentSecretIsWithheld()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const SecretValue clear = value.value();
        const ScrubPlan plan({{u"KEY"_s, clear.view()}});
        const auto result = run("python",
                                "import os, base64\nk = os.environ['KEY']\nopen('harmless', 'w').write('x')\n"
                                "open('plain', 'w').write('a' * 300000 + k)\n"
                                "open('encoded', 'wb').write(base64.b64encode(k.encode()))\n"
                                "open('name-' + k.replace('/', '%2f'), 'w')\n",
                                {{u"KEY"_s, {}, false}});
        QVERIFY(result->outcome == Outcome::Completed);
        QCOMPARE(result->artifacts.size(), 4);
        QVERIFY(!plan.finds(QJsonDocument(toJson(*result)).toJson()));
        QVERIFY(!plan.finds(entries(result->id)));
        for (const Artifact &artifact : result->artifacts) {
            const bool isHarmless = artifact.path == u"harmless"_s;
            QCOMPARE(artifact.isWithheld(), !isHarmless);
            QCOMPARE(artifact.secrets, isHarmless ? QStringList() : QStringList{u"KEY"_s});
            QCOMPARE(m_engine->store().pass(artifact.digest, {}).has_value(), isHarmless || artifact.bytes == 0);
            // A short value could be guessed from it.
            QCOMPARE(entries(result->id).contains(artifact.digest.toHex()), isHarmless);
        }
        QCOMPARE(std::ranges::count(result->events, EventType::ArtifactSecret, &RunEvent::type), 1);
    }

    void whatIsWithheldIsReleasedByThePersonAndOnRecord()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const auto result = run("sh", "printf %s \"$KEY\" > withheld; echo > zero", {{u"KEY"_s, {}, false}});
        QCOMPARE(pathsOf(*result), (QStringList{u"withheld"_s, u"zero"_s}));
        const Artifact withheld = result->artifacts[0];
        QVERIFY(withheld.isWithheld());
        const QTemporaryDir place;
        const auto saved = saveArtifacts(m_engine->store(), result->artifacts, place.filePath(u"new"_s));
        QVERIFY(saved);
        QCOMPARE(saved->saved, 1);
        QVERIFY(saved->left.value(0).english().contains(u"withheld"_s));
        const auto second = run("sh", "printf %s \"$KEY\" > withheld", {{u"KEY"_s, {}, false}});
        QVERIFY(second->artifacts.value(0).isWithheld());
        reopen(); // and nothing is lent any more
        const auto read = [&] {
            const auto reader = m_engine->auditReader();
            return reader ? artifactsOf(**reader, result->id).value_or(QList<Artifact>()) : QList<Artifact>();
        };
        QCOMPARE(read().value(0), withheld);
        QVERIFY(!m_engine->releaseArtifact(result->id, 7, {}));
        QVERIFY(m_engine->releaseArtifact(result->id, 0, {}));
        QVERIFY(m_engine->releaseArtifact(result->id, 0, {}));
        QCOMPARE(entries(result->id).count("artifact.released"), 1);
        QVERIFY(entries(result->id).contains(withheld.digest.toHex()));
        QVERIFY(!read().value(0).isWithheld());
        const SecretValue clear = value.value();
        QVERIFY(m_engine->store().get(withheld.digest).value() == clear.view());
        // A file that isn't as it was is neither said to be nor released.
        QFile stored(m_engine->store().folder() + u"/withheld/"_s + QString::fromLatin1(withheld.digest.toHex()) + u'.'
                     + second->id);
        QVERIFY(stored.open(QIODevice::Append) && stored.write("x") == 1);
        stored.close();
        QVERIFY(!verifyArtifact(m_engine->store(), second->id, second->artifacts[0]));
        QVERIFY(m_engine->releaseArtifact(second->id, 0, {}).error().code == ErrorCode::Damaged);
        QVERIFY(!entries(second->id).contains("artifact.released"));
        // A file that is gone isn't said to be there.
        QVERIFY(QDir(m_engine->store().folder() + u"/withheld"_s).removeRecursively());
        QVERIFY(QDir(m_engine->store().folder() + u'/' + QString::fromLatin1(withheld.digest.toHex().first(2)))
                    .removeRecursively());
        const Status gone = m_engine->releaseArtifact(second->id, 0, {});
        QVERIFY(!gone);
        QVERIFY(gone.error().code == ErrorCode::NotFound);
        QVERIFY(!entries(second->id).contains("artifact.released"));
    }
};

QTEST_GUILESS_MAIN(TestLeftFiles)
#include "tst_leftfiles.moc"
