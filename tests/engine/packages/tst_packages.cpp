// SPDX-License-Identifier: Apache-2.0
// Packages for real: from an index in the test internet, by pip in a real sandbox. Hostile packages and indexes leave nothing behind.
#include "packageengine.h"

#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestPackages : public QObject, PackageEngine
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { openWithIndex(u"python"_s, u"index.py"_s); }
    void cleanupTestCase() { close(); }

    void packagesAreInstalledOnceAndLentToRuns()
    {
        const PackageWish wish = wishFor(u"branch"_s);
        const auto before = m_engine->packages().find(wish);
        QVERIFY(before && !*before);
        const InternetLog log;
        const auto installed = install(wish);
        QVERIFY2(installed, why(installed));
        QVERIFY(log.has("request https pypi.org GET /simple/branch/"));
        QCOMPARE(installed->lock.summary().english(), u"branch 1.5 and 1 other"_s);
        QCOMPARE(installed->lock.packages.size(), 2);
        // The first run reached the index and nobody else; the second had no network.
        QCOMPARE(m_results.size(), 2);
        QVERIFY(!m_results[0]->egress.isEmpty());
        for (const EgressAttempt &attempt : m_results[0]->egress)
            QVERIFY(attempt.host == u"pypi.org"_s || attempt.host == u"files.pythonhosted.org"_s);
        QVERIFY(m_results[1]->egress.isEmpty());
        const auto networkOf = [](const RunResult &result) {
            return std::ranges::any_of(result.controls,
                                       [](const Control &control) { return control.id == ControlId::EgressListeners; });
        };
        QVERIFY(networkOf(*m_results[0]) && !networkOf(*m_results[1]));
        for (const auto &result : m_results)
            QVERIFY(result->artifacts.isEmpty());

        const InternetLog quiet;
        const auto again = m_engine->packages().find(wish);
        QVERIFY(again && *again);
        QCOMPARE(**again, *installed);
        const auto result = run("import branch, sys\nbranch.main()\nprint(sys.prefix)\n"
                                "import subprocess\nsubprocess.run(['branch'], check=True)\n"
                                "subprocess.run([sys.executable, '-m', 'branch'], check=True)\n",
                                *installed);
        const QByteArray environment = (base() + u'/' + installed->id + u"/env"_s).toUtf8();
        QCOMPARE(result->out.kept(), "branch 2.0\n" + environment + "\nbranch 2.0\n");
        QVERIFY(std::ranges::any_of(result->events, [&](const RunEvent &event) {
            return event.type == EventType::PackagesShown && event.detail.args.value(0) == installed->lock.id();
        }));
        QVERIFY(quiet.lines().join().isEmpty());
        QVERIFY(m_engine->sessions().list().value().isEmpty());
    }

    void anAnswerOfTheIndexHoldsForSevenDays()
    {
        const PackageWish wish = wishFor(u"leaf"_s);
        const auto installed = install(wish);
        QVERIFY2(installed, why(installed));
        const QDir answers(m_home.filePath(u"data/packages/resolved"_s));
        QCOMPARE(answers.entryList(QDir::Files).isEmpty(), false);
        static const QRegularExpression time(u"\"time_us\":\\d+"_s);
        const auto isKnownAfter = [&](std::chrono::hours age) {
            const qint64 then = Clock::system().nowMicroseconds() - std::chrono::microseconds(age).count();
            for (const QString &name : answers.entryList(QDir::Files)) {
                QFile file(answers.filePath(name));
                if (!file.open(QIODevice::ReadWrite))
                    qFatal("An answer can't be changed.");
                const QString text = QString::fromUtf8(file.readAll());
                QString older = text;
                older.replace(time, u"\"time_us\":%1"_s.arg(then));
                file.resize(0);
                file.seek(0);
                file.write(older.toUtf8());
            }
            const auto found = m_engine->packages().find(wish);
            return found && *found;
        };
        QVERIFY(isKnownAfter(std::chrono::hours(7 * 24 - 1)));
        QVERIFY(!isKnownAfter(std::chrono::hours(7 * 24 + 1)));
        QVERIFY(isKnownAfter(std::chrono::hours(1)));
        PackageWish newest = wish;
        newest.refresh = true;
        const auto asked = m_engine->packages().find(newest);
        QVERIFY(asked && !*asked);
    }

    void packagesThatNobodyUsedForNinetyDaysAreRemoved()
    {
        const auto unused = install(wishFor(u"leaf==1.0"_s));
        QVERIFY2(unused, why(unused));
        const QString notes = base() + u'/' + unused->id + u"/installed.json"_s;
        const auto isThereAfter = [&](int days, const QString &others) {
            QProcess::execute(u"touch"_s, {u"-d"_s, u"%1 days ago"_s.arg(days), notes});
            const auto installed = install(wishFor(others));
            return installed && QFile::exists(notes);
        };
        QVERIFY(isThereAfter(90, u"mixed leaf==1.0"_s));
        QVERIFY(!isThereAfter(91, u"branch leaf==1.0"_s));
        QVERIFY(!QFile::exists(QFileInfo(notes).path()));
    }

    void theLogSaysWhatWasInstalled()
    {
        const auto installed = install(wishFor(u"leaf==1.0"_s));
        QVERIFY2(installed, why(installed));
        const auto reader = m_engine->auditReader();
        QVERIFY(reader);
        QJsonObject found;
        const auto entries = (*reader)->entries(1, 10'000);
        QVERIFY(entries);
        for (const StoredEntry &stored : *entries) {
            const auto entry = parseStrictJson(stored.json);
            if (entry && (*entry)[u"kind"_s] == u"package.installed"_s && (*entry)[u"packages"_s] == installed->id)
                found = *entry;
        }
        QCOMPARE(found[u"lock"_s].toString(), installed->lock.id());
        QCOMPARE(found[u"index"_s].toString(), u"https://pypi.org/simple"_s);
        const QJsonObject wheel = found[u"wheels"_s].toArray().first().toObject();
        QCOMPARE(wheel[u"name"_s].toString() + wheel[u"version"_s].toString(), u"leaf1.0"_s);
        QCOMPARE(wheel[u"sha256"_s].toString(), installed->lock.packages.first().hash);
        QCOMPARE(found[u"fetched_by"_s].toString(), m_results[0]->id);
        QCOMPARE(found[u"installed_by"_s].toString(), m_results[1]->id);
    }

    void theLogHasARemovalThatWas()
    {
        const auto removals = [&] {
            int count = 0;
            const auto reader = m_engine->auditReader();
            const auto entries = (*reader)->entries(1, 10'000);
            for (const StoredEntry &stored : *entries) {
                const auto entry = parseStrictJson(stored.json);
                count += entry && (*entry)[u"kind"_s] == u"package.removed"_s ? 1 : 0;
            }
            return count;
        };
        const int before = removals();
        const KeptPackages none{.id = QString(64, u'0')};
        QCOMPARE(m_engine->packages().remove(none, m_engine->caller()).error().code, ErrorCode::NotFound);
        QCOMPARE(removals(), before);
        const auto packages = installed(wishFor(u"leaf==1.0"_s));
        QVERIFY2(packages, why(packages));
        QVERIFY(m_engine->packages().remove({.id = packages->id}, m_engine->caller()));
        QCOMPARE(removals(), before + 1);
    }

    void theSamePackagesAreThereOnce()
    {
        const auto one = installed(wishFor(u"branch"_s));
        const auto other = install(wishFor(u"leaf>=1.5 branch"_s));
        QVERIFY2(one && other, why(other));
        QCOMPARE(one->id, other->id);
        QVERIFY(one->lock.id() != other->lock.id());
    }

    void runsCanOnlyReadThem()
    {
        const auto packages = installed(wishFor(u"branch"_s));
        QVERIFY2(packages, why(packages));
        const auto result = run("import branch, os, sys\n"
                                "for path in (branch.__file__, sys.prefix + '/new', sys.prefix + '/pyvenv.cfg'):\n"
                                "    try:\n"
                                "        open(path, 'a')\n"
                                "        print('written', path)\n"
                                "    except OSError as error:\n"
                                "        print(error.errno)\n"
                                "try:\n"
                                "    os.unlink(branch.__file__)\n"
                                "except OSError as error:\n"
                                "    print(error.errno)\n",
                                *packages);
        const QByteArrayList answers = result->out.kept().trimmed().split('\n');
        QCOMPARE(answers.size(), 4);
        for (const QByteArray &answer : answers)
            QVERIFY2(answer == "30" || answer == "13", result->out.kept()); // EROFS, EACCES
    }

    // What a package brings comes after Python's own modules, and after Glovebox's way in.
    void aPackageComesBeforeNothingOfPythonAndGlovebox()
    {
        const auto installed = install(wishFor(u"trojan shadow startup"_s));
        QVERIFY2(installed, why(installed));
        const auto result = run("import json, os, subprocess, sys, trojan\n"
                                "print(json.dumps([sys.base_prefix, os.environ.get('STARTED')]))\n"
                                "sys.stdout.flush()\nsubprocess.run(['helper'], check=True)\n",
                                *installed);
        QCOMPARE(result->out.kept().split('\n').first(), QByteArray("[\"/usr\", \"yes\"]"));
        QVERIFY2(result->out.kept().endsWith("helped\n"), result->out.kept() + result->err.kept());
        QFile configuration(base() + u'/' + installed->id + u"/env/pyvenv.cfg"_s);
        QVERIFY(configuration.open(QIODevice::ReadOnly));
        QVERIFY(!configuration.readAll().contains("/work"));
        // A sandbox that waits for a run must not run a package's code meanwhile.
        QVERIFY(m_engine->packages().lend(installed->id).value().runsAtStart);
        const auto harmless = this->installed(wishFor(u"branch"_s));
        QVERIFY2(harmless, why(harmless));
        QVERIFY(!m_engine->packages().lend(harmless->id).value().runsAtStart);
    }

    void whatCantBeInstalledLeavesNothing_data()
    {
        QTest::addColumn<QString>("packages");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *packages, const char *why) {
            QTest::newRow(packages) << QString::fromLatin1(packages) << QString::fromLatin1(why);
        };
        row("nosuchthing", "pypi.org has no package \"nosuchthing\". Check its name.");
        row("leaf>=7", "pypi.org has no wheel of \"leaf\" in these versions for Python 3");
        row("elsewhere", "pypi.org has no wheel of \"elsewhere\" in these versions for Python 3");
        row("sourceonly", "pypi.org has \"sourceonly\" only as source code.");
        row("needs-source", "pypi.org has \"sourceonly\" only as source code.");
        row("mixed>1", "pypi.org has no wheel of \"mixed\" in these versions for Python 3");
        row("leaf; python_version < '3'", "None of the packages is for this Python and this machine");
        row("old-branch new-branch", "These packages can't be installed together: \"");
        row("wronghash", "pypi.org sent a file with another hash than the one announced.");
        row("imposter", "A package from pypi.org is damaged. Nothing was installed. pip says: \"");
        row("climber", "A package from pypi.org is damaged. Nothing was installed. pip says: \"");
        row("intruder", "The packages unpack to \"bin/python3\", which no package may have.");
        row("pathfinder", "The packages unpack to \"bin/python3._pth\", which no package may have.");
        row("mover", "The packages unpack to \"bin/pyvenv.cfg\", which no package may have.");
        row("builder", "The packages unpack to \"bin/pybuilddir.txt\", which no package may have.");
        row("endless", "The packages need more than 16 MB, or too many files, while they are installed.");
        row("huge", "The packages need more than 16 MB, or too many files, while they are installed.");
        row("bomb", "The packages need more than 16 MB, or too many files, while they are installed.");
        row("silent", "pypi.org stopped answering for 1 seconds.");
        row("redirected", "pypi.org names a file at www.denied.test, and Glovebox gets packages from the hosts of the "
                          "index only. Nothing was installed.");
    }
    void whatCantBeInstalledLeavesNothing()
    {
        QFETCH(QString, packages);
        QFETCH(QString, why);
        const auto places = [this] {
            QStringList all = QDir(base()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
            all.removeOne(u"data-folder"_s); // says whose they are, from the first try on
            return all;
        };
        const QStringList before = places();
        const InternetLog log;
        const PackageWish wish = wishFor(packages);
        const auto installed = install(wish, {.diskBytes = 16 * mebibyte, .silence = std::chrono::seconds(1)});
        QVERIFY(!installed);
        QVERIFY2(
            installed.error().message.english().startsWith(why),
            (installed.error().message.english() + u'\n' + QString::fromUtf8(m_results.last()->err.kept())).toUtf8());
        QCOMPARE(places(), before);
        QVERIFY(m_engine->sessions().list().value().isEmpty());
        const auto found = m_engine->packages().find(wish);
        QVERIFY(found && !*found);
        QVERIFY(!log.lines().join('\n').contains("denied.test"));
        QVERIFY(!m_results.last()->err.kept().contains("the set-up of a source ran"));
    }

    void anOlderWheelComesBeforeANewerSource()
    {
        const auto installed = install(wishFor(u"mixed"_s));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), QStringList{u"mixed 1.0"_s});
    }

    // The session of an installation is its caller's, who may be an agent.
    void nobodyAddsFilesToAnInstallation_data()
    {
        QTest::addColumn<int>("afterTasks");
        QTest::addColumn<bool>("isInFollow");
        QTest::newRow("while the person is asked") << 1 << false;
        QTest::newRow("after the download") << 1 << true;
        QTest::newRow("after the installation") << 2 << true;
    }
    void nobodyAddsFilesToAnInstallation()
    {
        QFETCH(int, afterTasks);
        QFETCH(bool, isInFollow);
        m_results.clear();
        const auto plant = [&] {
            const QString id = m_engine->sessions().list().value().first().id;
            const QByteArray python = m_results.size() == 1 ? "wheels/leaf-9.0-py3-none-any.whl" : "env/lib/planted.py";
            const QByteArray path = isInFollow ? python : QByteArray("env/lib/planted.py");
            QVERIFY(m_engine->sessions().write(id, path, "print('planted')"));
        };
        const FollowRun follow = [&](const std::shared_ptr<Run> &task) {
            m_results.append(task->wait());
            if (isInFollow && m_results.size() == afterTasks)
                plant();
            return m_results.last();
        };
        PackageWish wish = wishFor(u"new-branch"_s);
        auto fetched = m_engine->packages().fetch(wish, follow);
        if (fetched && !isInFollow)
            plant();
        const auto packages = fetched ? m_engine->packages().install(*fetched, wish, follow)
                                      : Result<InstalledPackages>(std::unexpected(fetched.error()));
        QVERIFY(!packages);
        QVERIFY2(packages.error().message.english().contains(u"was changed meanwhile"_s), why(packages));
        QVERIFY(!m_engine->packages().find(wish).value());
    }

    void aLockIsRepeatedExactly()
    {
        const auto first = install(wishFor(u"leaf<2"_s));
        QVERIFY2(first, why(first));
        PackageWish wish{.language = u"python"_s};
        wish.interpreter = debianPython;
        wish.locked = first->lock;
        const auto found = m_engine->packages().find(wish);
        QVERIFY(found && *found);
        QCOMPARE((*found)->id, first->id);
        // Where they aren't installed, they are fetched by their hashes.
        QVERIFY(removeTree(base() + u'/' + first->id));
        const auto gone = m_engine->packages().find(wish);
        QVERIFY(gone && !*gone);
        const auto repeated = install(wish);
        QVERIFY2(repeated, why(repeated));
        QCOMPARE(*repeated, *first);

        // The lock alone, which somebody else may have written, chooses no host.
        wish.locked->index = u"https://www.allowed.test/simple"_s;
        const auto foreign = m_engine->packages().find(wish);
        QVERIFY(!foreign);
        QVERIFY2(foreign.error().message.english().startsWith(u"The lock file names the package index https://www."_s),
                 why(foreign));
        wish.index = u"https://pypi.org/simple"_s; // the person's word
        QVERIFY(m_engine->packages().find(wish).value());
        wish.index.clear();
        wish.locked = first->lock;

        wish.requirements = readRequirements(u"branch"_s, u"python"_s).value();
        QVERIFY(!m_engine->packages().find(wish));
        wish.requirements.clear();
        wish.locked->packages.first().hash = QString(64, u'0');
        const auto forged = install(wish);
        QVERIFY(!forged);
        QVERIFY2(forged.error().message.english().contains(u"another hash"_s), why(forged));
        wish.locked = first->lock;
        wish.locked->runtime = u"3.1"_s;
        const auto elsewhere = install(wish);
        QVERIFY(!elsewhere);
        QVERIFY2(elsewhere.error().message.english().startsWith(u"The lock file is for Python 3.1, and this is"_s),
                 why(elsewhere));
    }

    void theIndexIsAskedAgainWhenSomebodySaysSo()
    {
        PackageWish wish = wishFor(u"branch"_s);
        QVERIFY(installed(wish));
        QVERIFY(m_engine->packages().find(wish).value());
        wish.refresh = true;
        QVERIFY(!m_engine->packages().find(wish).value());
        wish.refresh = false;
        wish.index = u"https://pypi.org/other"_s; // another index has other packages of that name
        QVERIFY(!m_engine->packages().find(wish).value());
    }

    void newAndDoubtfulNamesAreTold()
    {
        const auto fetched = m_engine->packages().fetch(wishFor(u"requestz"_s));
        QVERIFY2(fetched, fetched ? "" : qPrintable(fetched.error().message.english()));
        QCOMPARE(fetched->newNames, QStringList{u"requestz"_s});
        QCOMPARE(fetched->doubts.size(), 1);
        QVERIFY(installed(wishFor(u"branch"_s)));
        QCOMPARE(m_engine->packages().fetch(wishFor(u"branch"_s)).value().newNames, QStringList());
    }

    void anIndexHasAnAddress_data()
    {
        QTest::addColumn<QString>("address");
        for (const char *address : {"http://pypi.org/simple", "pypi.org", "https://",
                                    "https://user:secret@pypi.org/simple", "https://pypi.org/simple?x=1", "file:///etc",
                                    "https://pypi.org/ --extra-index-url x", "https://127.0.0.1/simple#x"})
            QTest::newRow(address) << QString::fromLatin1(address);
    }
    void anIndexHasAnAddress()
    {
        QFETCH(QString, address);
        PackageWish wish = wishFor(u"leaf"_s);
        wish.index = address;
        const auto found = m_engine->packages().find(wish);
        QVERIFY(!found);
        QVERIFY2(found.error().message.english().contains(u"not the address of a package index"_s), why(found));
        QVERIFY2(!found.error().message.english().contains(u"user:secret"_s), why(found));
    }

    void codeThatRequiresAnotherPythonIsTold()
    {
        PackageWish wish = wishFor(u"leaf"_s);
        wish.requiresPython = u">=3"_s;
        QVERIFY(m_engine->packages().find(wish));
        wish.requiresPython = u">=9"_s;
        const auto found = m_engine->packages().find(wish);
        QVERIFY(!found);
        QVERIFY2(found.error().message.english().startsWith(u"The code requires Python >=9, and this machine has 3."_s),
                 why(found));
    }

    // Of the person's own, beside what the index has; no later run sees it.
    void aFolderOfWheelsIsReadByTheFetchAlone()
    {
        QTemporaryDir wheels;
        const QString room = QFileInfo(qEnvironmentVariable("TEST_INTERNET_LOG")).path();
        for (const QString &file : {u"/hidden-1.0-py3-none-any.whl"_s, u"/leaf-1.0-py3-none-any.whl"_s})
            QVERIFY(QFile::copy(room + u"/www/packages"_s + file, wheels.path() + file));
        QVERIFY(::chmod(QFile::encodeName(wheels.path()).constData(), 0755) == 0);
        QVERIFY(!install(wishFor(u"hidden"_s))); // the index doesn't offer it
        QVERIFY(m_engine->settings().setFlag(u"packages.wheels"_s, wheels.path()));
        const auto fetched = m_engine->packages().fetch(wishFor(u"hidden leaf<2"_s));
        QVERIFY2(fetched, why(fetched));
        const auto installed = m_engine->packages().install(*fetched, wishFor(u"hidden leaf<2"_s));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), (QStringList{u"hidden 1.0"_s, u"leaf 1.0"_s}));
        const auto sourceOf = [&](const QString &packages) {
            const auto asked = m_engine->packages().fetch(wishFor(packages));
            return asked ? asked->source.english() : QString::fromUtf8(why(asked));
        };
        const QString folder = u"the folder "_s + wheels.path();
        QCOMPARE(fetched->source.english(), u"pypi.org and "_s + folder);
        QCOMPARE(sourceOf(u"hidden"_s), folder);
        QCOMPARE(sourceOf(u"leaf<2"_s), u"pypi.org"_s); // which has it, too, and which pip asks first
        QCOMPARE(m_engine->packages().sources(wishFor(u"leaf"_s)).value().english(), u"pypi.org and "_s + folder);
        const auto result = run("import hidden, os\nprint(hidden.NAME, os.path.exists('/wheels'))", *installed);
        QCOMPARE(result->out.kept(), "hidden False\n");
        QVERIFY(m_engine->settings().setFlag(u"packages.wheels"_s, u"/nowhere/wheels"_s));
        const auto missing = install(wishFor(u"leaf<2"_s));
        QVERIFY(!missing);
        QVERIFY2(missing.error().message.english().contains(u"/nowhere/wheels"_s), why(missing));
        QVERIFY(m_engine->settings().setFlag(u"packages.wheels"_s, QString()));
    }

    void installedPackagesAreListedAndRemoved()
    {
        const auto packages = installed(wishFor(u"leaf<2"_s));
        QVERIFY2(packages, why(packages));
        const auto find = [&] {
            const QList<KeptPackages> all = m_engine->packages().list();
            const auto kept = std::ranges::find(all, packages->id, &KeptPackages::id);
            return kept == all.end() ? std::nullopt : std::optional(*kept);
        };
        const auto kept = find();
        QVERIFY(kept && kept->lock && kept->bytes > 100);
        QCOMPARE(kept->lock->names(), QStringList{u"leaf 1.0"_s});
        QCOMPARE(find()->usedMicroseconds, kept->usedMicroseconds); // looking is no use
        QVERIFY(m_engine->packages().remove(*kept, m_engine->caller()));
        QVERIFY(!find());
        QCOMPARE(run("print(1)", *packages)->reason.english(),
                 u"The packages of the run are no longer installed. Install them again."_s);
        const Status again = m_engine->packages().remove(*kept, m_engine->caller());
        QVERIFY(!again && again.error().code == ErrorCode::NotFound);
        QVERIFY(installed(wishFor(u"leaf<2"_s)));
    }

    void packagesThatArentThereAreNotLent()
    {
        const auto packages = installed(wishFor(u"branch"_s));
        QVERIFY2(packages, why(packages));
        InstalledPackages gone = *packages;
        gone.id = QString(64, u'0');
        QCOMPARE(run("print(1)", gone)->reason.english(),
                 u"The packages of the run are no longer installed. Install them again."_s);
        gone.id = u"../"_s + packages->id;
        QVERIFY(run("print(1)", gone)->outcome == Outcome::Rejected);
        RunRequest request;
        request.code = "true";
        request.language = u"sh"_s;
        request.packages = packages->id;
        QCOMPARE(m_engine->start(request)->wait()->reason.english(),
                 u"Packages can be installed for Python and Node.js, not for sh."_s);
    }

private:
    PackageWish wishFor(const QString &packages) const
    {
        PackageWish wish{.language = u"python"_s};
        wish.requirements = readRequirements(packages, u"python"_s).value();
        wish.interpreter = debianPython;
        return wish;
    }

    Result<InstalledPackages> installed(const PackageWish &wish)
    {
        ASSIGN_OR_RETURN(const auto found, m_engine->packages().find(wish));
        if (found)
            return *found;
        return install(wish);
    }
};

GLOVEBOX_INTERNET_TEST_MAIN(TestPackages)
#include "tst_packages.moc"
