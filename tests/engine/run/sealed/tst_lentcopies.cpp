// SPDX-License-Identifier: Apache-2.0
// What a run leaves of a lent secret in a copy of a folder: it is searched before anybody sees it, and not for ever.
#include "lentfixture.h"
#include "traces.h"

#include <QFile>
#include <QJsonDocument>

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestLentCopies : public LentFixture
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    // A harmless file "a", and so many that take no space on the disk.
    std::shared_ptr<Run> leaveHoles(int files, qint64 bytes, qint64 disk)
    {
        m_folder = std::make_unique<QTemporaryDir>();
        ::chmod(QFile::encodeName(m_folder->path()).constData(), 0777);
        RunRequest wanted = request("python",
                                    "import os\nos.chdir('/mnt/x')\nopen('a', 'w').write('harmless')\nfor i in range("
                                        + QByteArray::number(files) + "):\n    open(f'f{i}', 'w').truncate("
                                        + QByteArray::number(bytes) + ")\n",
                                    {{u"KEY"_s, {}, false}});
        wanted.policy.limits.diskBytes = disk;
        wanted.policy.folders = {{m_folder->path(), u"/mnt/x"_s, FolderGrant::Mode::Stage}};
        return m_engine->start(std::move(wanted));
    }

private Q_SLOTS:
    void cleanup() { m_engine.reset(); }

    void aValueLeftInACopyOfAFolderIsTold()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const SecretValue clear = value.value();
        const ScrubPlan plan({{u"KEY"_s, clear.view()}});
        QTemporaryDir folder;
        ::chmod(QFile::encodeName(folder.path()).constData(), 0777); // for the user of runs, where root started this
        const auto wrote = [&](const QByteArray &code) {
            RunRequest wanted = request("python", "import os\nk = os.environ['KEY']\nos.chdir('/mnt/x')\n" + code,
                                        {{u"KEY"_s, {}, false}});
            wanted.policy.folders = {{folder.path(), u"/mnt/x"_s, FolderGrant::Mode::Stage}};
            const auto result = m_engine->start(std::move(wanted))->wait();
            const auto told = std::ranges::find(result->events, EventType::FolderSecret, &RunEvent::type);
            const bool isTold =
                told != result->events.end() && told->detail.english().contains(u"1 file or name holds"_s);
            return !plan.finds(QJsonDocument(toJson(*result)).toJson()) && !plan.finds(entries(result->id))
                           && result->changes.value(0).changes.size() == 1
                       ? isTold ? "told" : "quiet"
                       : "wrong";
        };
        QCOMPARE(wrote("open('a', 'w').write('harmless')"), "quiet");
        QCOMPARE(wrote("open('b', 'w').write('x' * 100000 + k.encode().hex())"), "told");
        QCOMPARE(wrote("open(k.replace('/', '%2f'), 'w')"), "told");
        QCOMPARE(wrote("os.symlink(k, 'link')"), "told");
        // Killed while it wrote.
        QCOMPARE(wrote("open('cut', 'wb', 0).write(b'x' * 100000 + k[:20].encode()); os.kill(os.getpid(), 9)"), "told");
        // Nor do those show it who ask later, and have no value to look for.
        qsizetype withheld = 0;
        for (const PendingChanges &pending : m_engine->staging().pending()) {
            for (const FolderChanges &changes : pending.folders) {
                QVERIFY(!plan.finds(QJsonDocument(toJson(changes)).toJson()));
                for (const FolderChange &change : changes.changes) {
                    withheld += change.isWithheld;
                    const auto shown = m_engine->staging().versions(pending.run, changes.path, change.path, 1'000'000);
                    QCOMPARE(shown.has_value(), !change.isWithheld);
                }
            }
            const auto applied = m_engine->applyChanges(pending.run, {});
            QVERIFY(applied);
            QCOMPARE(applied->applied, 1);
        }
        QCOMPARE(withheld, 4);
    }

    // Nothing can be taken back there.
    void aValueLeftInAWritableFolderIsTold()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const SecretValue clear = value.value();
        const ScrubPlan plan({{u"KEY"_s, clear.view()}});
        QTemporaryDir folder;
        ::chmod(QFile::encodeName(folder.path()).constData(), 0777); // for the user of runs, where root started this
        const auto told = [&](const QByteArray &code, bool getsSecret = true) {
            RunRequest wanted =
                request("python", "import os\nk = os.environ.get('KEY', '')\nos.chdir('/mnt/x')\n" + code,
                        getsSecret ? std::vector<SecretGrant>{{u"KEY"_s}} : std::vector<SecretGrant>());
            wanted.policy.folders = {{folder.path(), u"/mnt/x"_s, FolderGrant::Mode::ReadWrite}};
            const auto result = m_engine->start(std::move(wanted))->wait();
            QStringList sentences;
            for (const RunEvent &event : result->events) {
                if (event.type == EventType::FolderHoldsSecret)
                    sentences.append(event.detail.english());
            }
            return plan.finds(entries(result->id)) ? QStringList{u"the log has it"_s} : sentences;
        };
        const auto holds = [&](const QString &name) {
            return QStringList{u"\"%1\" in %2 holds the value of KEY."_s.arg(name, folder.path())};
        };
        QCOMPARE(told("open('a', 'w').write('harmless')"), QStringList());
        QCOMPARE(told("os.mkdir('d'); open('d/b', 'w').write('x' * 100000 + k.encode().hex())"), holds(u"d/b"_s));
        QCOMPARE(told("os.remove('d/b'); open('c', 'w').write(k); os.kill(os.getpid(), 9)"), holds(u"c"_s));
        QCOMPARE(told("os.remove('c'); open(k.replace('/', '%2f'), 'w')"), holds(u"[secret KEY]"_s));
        QCOMPARE(told("open('e', 'w').write('nobody lent it any')", false), QStringList());
    }

    // Another program that looks all the time, while many files are searched.
    void nobodySeesACopyBeforeItWasSearched()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        QTemporaryDir folder;
        ::chmod(QFile::encodeName(folder.path()).constData(), 0777);
        constexpr int files = 2000;
        for (int i = 0; i < files; ++i)
            QVERIFY(QFile(folder.filePath(QString::number(i))).open(QIODevice::WriteOnly));
        RunRequest wanted = request("python",
                                    "import os\nos.chdir('/mnt/x')\nfor i in range(" + QByteArray::number(files)
                                        + "):\n    open(f'f{i}', 'w').write(os.environ['KEY'])",
                                    {{u"KEY"_s, {}, false}});
        wanted.policy.folders = {{folder.path(), u"/mnt/x"_s, FolderGrant::Mode::Stage}};
        std::atomic<qsizetype> shown = 0;
        qsizetype withheld = 0;
        std::shared_ptr<const RunResult> result;
        {
            const std::jthread other([&](const std::stop_token &stop) {
                const Staging staging(m_engine->paths(), newId(Clock::system()), runIdentity);
                while (!stop.stop_requested()) {
                    for (const PendingChanges &pending : staging.pending()) {
                        for (const FolderChanges &changes : pending.folders)
                            shown += std::ranges::count(changes.changes, false, &FolderChange::isWithheld);
                    }
                    std::this_thread::sleep_for(5ms);
                }
            });
            result = m_engine->start(std::move(wanted))->wait();
        }
        for (const PendingChanges &pending : m_engine->staging().pending()) {
            for (const FolderChanges &changes : pending.folders)
                withheld += std::ranges::count(changes.changes, true, &FolderChange::isWithheld);
        }
        QCOMPARE(result->changes.value(0).changes.size(), files);
        QCOMPARE(withheld, files);
        QCOMPARE(shown.load(), 0);
    }

    // Holes take no space on the disk, so no limit keeps a run from making terabytes of them.
    void filesOfHolesAreNotSearchedForEver()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const auto result = leaveHoles(8, 50'000'000, 64 * mebibyte)->wait();
        QStringList shown;
        for (const FolderChange &change : result->changes.value(0).changes) {
            if (!change.isWithheld)
                shown.append(QString::fromUtf8(change.path));
        }
        QCOMPARE(result->changes.value(0).changes.size(), 9);
        QCOMPARE(shown, (QStringList{u"a"_s, u"f0"_s, u"f1"_s}));
    }

    void aSearchThatTakesLongCanBeCancelled()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const auto live = leaveHoles(100, 1'000'000'000, 64'000 * mebibyte);
        QVERIFY(QTest::qWaitFor([&] { return live->state() == RunState::Collecting; }, 10000));
        live->cancel();
        QVERIFY(QTest::qWaitFor([&] { return live->result() != nullptr; }, 15000));
        const FolderChanges changes = live->result()->changes.value(0);
        QCOMPARE(changes.changes.size(), 101);
        QVERIFY(!changes.changes.first().isWithheld);
        QVERIFY(changes.changes.last().isWithheld); // was not searched any more
    }
};

QTEST_GUILESS_MAIN(TestLentCopies)
#include "tst_lentcopies.moc"
