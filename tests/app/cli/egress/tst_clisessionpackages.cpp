// SPDX-License-Identifier: Apache-2.0
// `glovebox session install` and `uninstall`: what each run in a session can import, with an index in the test internet.
#include "../session/sessionhome.h"
#include "engine/audit/audit.h"
#include "packageplace.h"
#include "tests/support/testinternet/testinternet.h"

#include <QJsonArray>
#include <QStandardPaths>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QString importsBranch = u"import branch; branch.main()"_s;

} // namespace

class TestCliSessionPackages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        makeIndex(u"sources.py"_s); // and what index.py makes
        makeIndex(u"registry.py"_s);
        m_home.create();
    }

    void cleanupTestCase() { removePackagesOf(m_home); }

    void eachRunInTheSessionImportsItsPackages()
    {
        const Ended refused = install({u"--python"_s, u"branch"_s});
        QCOMPARE(refused.status, 1);
        QVERIFY2(
            refused.err.startsWith("glovebox: The session wants packages that aren't installed: branch. Add --yes "),
            refused.err);
        QCOMPARE(packages(), QJsonArray());
        const Ended installed = install({u"--python"_s, u"branch"_s, u"--yes"_s});
        QVERIFY2(installed.status == 0, installed.err);
        QVERIFY2(installed.err.endsWith("Session shop: each Python run in it can import branch 1.5, leaf 2.0.\n"),
                 installed.err);
        const Ended run = python(importsBranch);
        QVERIFY2(run.out == "branch 2.0\n", run.err);
        QCOMPARE(m_home.session({u"status"_s, u"shop"_s}).out.count("  packages    branch 1.5, leaf 2.0 (python)\n"),
                 1);
        const QJsonObject shown = packages().first().toObject();
        QCOMPARE(shown[u"requirements"_s].toArray(), QJsonArray{u"branch"_s});
        QCOMPARE(shown[u"language"_s].toString(), u"python"_s);
        // Code of another language has nothing of them, and a run outside of the session neither.
        QCOMPARE(m_home.shell(u"echo fine"_s).out, QByteArray("fine\n"));
        QVERIFY(m_home.run({u"run"_s, u"-c"_s, importsBranch}).err.contains("No module named 'branch'"));
        // On record as both.
        const QByteArray log = m_home.run({u"audit"_s, u"list"_s, u"--json"_s}).out;
        QVERIFY2(!log.isEmpty(), log);
        const QJsonObject entry = lastEntry(u"session.changed"_s);
        QCOMPARE(entry[u"action"_s].toString(), u"packages"_s);
        QCOMPARE(entry[u"lock"_s].toString(), shown[u"lock"_s].toString());
        QCOMPARE(lastEntry(u"package.installed"_s)[u"packages"_s].toString(), entry[u"packages"_s].toString());
    }

    // An interpreter can't be shown other packages while it lives.
    void anInterpreterThatStaysIsMadeAnewForOtherPackages()
    {
        QCOMPARE(install({u"--python"_s, u"branch"_s, u"--yes"_s}).status, 0);
        const auto cells = m_home.program({u"run"_s, u"--session"_s, u"shop"_s, u"--stateful"_s});
        cells->start();
        QByteArray out;
        cells->write("x = 'kept'\nprint(x, __import__('leaf').VERSION)\n# %%\n");
        QVERIFY(waitForOutput(*cells, "kept 2.0\n", out));
        QTRY_COMPARE(install({u"--python"_s, u"leaf<2"_s, u"--yes"_s}).status, 0); // once the cell is over
        cells->write("print('x' in globals(), __import__('leaf').VERSION)\n# %%\n");
        QVERIFY2(waitForOutput(*cells, "False 1.0\n", out), out);
        cells->write("print('x' in globals())\n");
        cells->closeWriteChannel();
        const Ended ended = finish(*cells);
        QCOMPARE(ended.status, 0);
        QCOMPARE(ended.err.count("The session's interpreter has other packages, limits or settings now, or is another "
                                 "program, so a new one was "
                                 "started. Nothing of earlier code is in it but the files."),
                 1);
        QCOMPARE(m_home.session({u"uninstall"_s, u"shop"_s, u"leaf"_s, u"--yes"_s}).status, 0);
    }

    void packagesAddUpAndGoAway()
    {
        QCOMPARE(install({u"--python"_s, u"branch"_s, u"--yes"_s}).status, 0);
        const Ended more = install({u"--python"_s, u"leaf<2"_s, u"--yes"_s});
        QVERIFY2(more.status == 0, more.err);
        QCOMPARE(python(importsBranch).out, QByteArray("branch 1.0\n"));
        QCOMPARE(requirements(), (QStringList{u"branch"_s, u"leaf<2"_s}));
        QCOMPARE(install({u"--python"_s, u"leaf>=2"_s, u"--yes"_s}).status, 0); // in place of leaf<2
        QCOMPARE(requirements(), (QStringList{u"branch"_s, u"leaf>=2"_s}));
        QCOMPARE(python(importsBranch).out, QByteArray("branch 2.0\n"));

        const Ended unknown = m_home.session({u"uninstall"_s, u"shop"_s, u"trojan"_s});
        QCOMPARE(unknown.status, 1);
        QVERIFY2(unknown.err.contains("Nobody installed \"trojan\" into the session by name. The session has: branch"),
                 unknown.err);
        QCOMPARE(m_home.session({u"uninstall"_s, u"shop"_s, u"Branch"_s, u"--yes"_s}).status, 0);
        QCOMPARE(requirements(), QStringList{u"leaf>=2"_s});
        QVERIFY(python(importsBranch).err.contains("No module named 'branch'"));
        const InternetLog log;
        QCOMPARE(m_home.session({u"uninstall"_s, u"shop"_s, u"leaf"_s}).status, 0);
        QVERIFY(log.lines().join().isEmpty());
        QCOMPARE(packages(), QJsonArray());
        QVERIFY(python(u"import leaf"_s).err.contains("No module named 'leaf'"));
        QCOMPARE(m_home.session({u"uninstall"_s, u"shop"_s, u"leaf"_s}).err,
                 QByteArray("glovebox: The session shop has no packages.\n"));
        QVERIFY(install({}).err.contains("The session shop has no packages yet."));
    }

    void aNamedSourceIsBuiltForASession()
    {
        const QStringList index{u"--index"_s, u"https://www.allowed.test/private"_s};
        const Ended useless = install({u"--node"_s, u"leaf"_s, u"--allow-source"_s, u"plainsource"_s, u"--yes"_s});
        QCOMPARE(useless.status, 2);
        QVERIFY2(useless.err.contains("--allow-source is for Python packages"), useless.err);
        m_home.session({u"create"_s, u"--name"_s, u"builds"_s});
        const QStringList wanted =
            QStringList{u"install"_s, u"builds"_s, u"--python"_s, u"plainsource"_s, u"--yes"_s} + index;
        const Ended unnamed = m_home.session(wanted);
        QCOMPARE(unnamed.status, 1);
        QVERIFY2(unnamed.err.contains("--allow-source plainsource"), unnamed.err);
        const Ended built = m_home.session(wanted + QStringList{u"--allow-source"_s, u"plainsource"_s});
        QVERIFY2(built.err.endsWith("Session builds: each Python run in it can import plainsource 1.0, leaf 1.0.\n"),
                 built.err);
        // What stays is built again.
        m_home.session({u"create"_s, u"--name"_s, u"less"_s});
        const QStringList named{u"--allow-source"_s,
                                u"several"_s}; // by its own code alone, which takes half of the time
        const Ended both = m_home.session(
            QStringList{u"install"_s, u"less"_s, u"--python"_s, u"several>=1 mixed"_s, u"--yes"_s} + index + named);
        QVERIFY2(both.status == 0, both.err);
        const QStringList less{u"uninstall"_s, u"less"_s, u"mixed"_s, u"--yes"_s};
        const Ended kept = m_home.session(less);
        QVERIFY2(kept.status == 1 && kept.err.contains("name it: --allow-source several with"), kept.err);
        const Ended taken = m_home.session(less + named);
        QVERIFY2(taken.status == 0, taken.err);
    }

    void aFailedInstallChangesNothing()
    {
        QCOMPARE(install({u"--python"_s, u"branch"_s, u"--yes"_s}).status, 0);
        const QJsonArray before = packages();
        for (const QString &wanted : {u"nosuchthing"_s, u"climber"_s, u"leaf<2 leaf>=2"_s}) {
            const Ended failed = install({u"--python"_s, wanted, u"--yes"_s});
            QVERIFY2(failed.status == 1, failed.err);
            QCOMPARE(packages(), before);
        }
        QCOMPARE(python(importsBranch).out, QByteArray("branch 2.0\n"));
    }

    void aRunCanHaveMoreThanItsSession()
    {
        QCOMPARE(install({u"--python"_s, u"branch"_s, u"--yes"_s}).status, 0);
        const Ended more = m_home.run(
            {u"run"_s, u"--session"_s, u"shop"_s, u"--with"_s, u"leaf<2"_s, u"--yes"_s, u"-c"_s, importsBranch});
        QVERIFY2(more.out == "branch 1.0\n", more.err);
        QVERIFY2(
            more.err.contains("The packages of the session shop and those of the run were resolved together for this "
                              "run."),
            more.err);
        QCOMPARE(python(importsBranch).out, QByteArray("branch 2.0\n")); // the session is as it was
    }

    void aForkTakesThemAlong()
    {
        QCOMPARE(install({u"--python"_s, u"branch"_s, u"--yes"_s}).status, 0);
        QCOMPARE(m_home.session({u"fork"_s, u"shop"_s, u"--name"_s, u"twin"_s}).status, 0);
        const Ended run = m_home.run({u"run"_s, u"--session"_s, u"twin"_s, u"-c"_s, importsBranch});
        QVERIFY2(run.out == "branch 2.0\n", run.err);
    }

    void packagesThatAreGoneComeBackByTheLock()
    {
        QCOMPARE(install({u"--python"_s, u"branch<=1.5"_s, u"--yes"_s}).status, 0);
        const QJsonArray before = packages();
        QVERIFY(removeTree(packagesOf(m_home) + u'/' + lastEntry(u"session.changed"_s)[u"packages"_s].toString()));
        const Ended without = python(importsBranch);
        QCOMPARE(without.status, 125);
        QVERIFY2(without.err.contains("The packages of the session are no longer installed. To install the same ones "
                                      "again: glovebox session install shop"),
                 without.err);
        const Ended again = install({u"--yes"_s});
        QVERIFY2(again.status == 0, again.err);
        QCOMPARE(python(importsBranch).out, QByteArray("branch 2.0\n"));
        QCOMPARE(packages(), before);
    }

    void aSessionHasPackagesOfBothLanguages()
    {
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            return qWarning("npm is not installed, and not tried.");
        const QString registry = u"https://registry.npmjs.org/npm"_s;
        QCOMPARE(install({u"--python"_s, u"branch"_s, u"--yes"_s}).status, 0);
        const Ended node = install({u"--node"_s, u"branch @scope/module"_s, u"--index"_s, registry, u"--yes"_s});
        QVERIFY2(node.status == 0, node.err);
        QVERIFY2(
            node.err.endsWith("Session shop: each Node.js run in it can import @scope/module 3.0.0, branch 1.5.0, leaf "
                              "1.0.0.\n"),
            node.err);
        const auto script = [&](const QString &code) {
            return m_home.run({u"run"_s, u"--session"_s, u"shop"_s, u"-l"_s, u"node"_s, u"-c"_s, code});
        };
        QCOMPARE(script(u"console.log(require('branch'))"_s).out, QByteArray("branch on leaf 1.0.0\n"));
        QCOMPARE(script(u"import text from '@scope/module'; console.log(text)"_s).out, QByteArray("a module\n"));
        QCOMPARE(python(importsBranch).out, QByteArray("branch 2.0\n"));
        QCOMPARE(m_home.session({u"uninstall"_s, u"shop"_s, u"@scope/module"_s, u"--yes"_s}).status, 0);
        QVERIFY(script(u"import text from '@scope/module'"_s).err.contains("Cannot find package '@scope/module'"));
        QCOMPARE(script(u"console.log(require('branch'))"_s).out, QByteArray("branch on leaf 1.0.0\n"));
        QCOMPARE(m_home.session({u"uninstall"_s, u"shop"_s, u"branch"_s, u"leaf"_s, u"--yes"_s}).status,
                 1); // leaf: by no name
        const Ended alone = m_home.run({u"run"_s, u"-l"_s, u"node"_s, u"--with"_s, u"leaf@1"_s, u"--index"_s, registry,
                                        u"--yes"_s, u"-c"_s, u"console.log(require('leaf'))"_s});
        QVERIFY2(alone.out == "leaf 1.0.0\n", alone.err);
        const Ended wrong = m_home.run({u"run"_s, u"--with"_s, u"leaf@1"_s, u"-l"_s, u"python"_s, u"-c"_s, u"1"_s});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.err.contains("aren't installed from an address"), wrong.err);
        QCOMPARE(m_home.session({u"uninstall"_s, u"shop"_s, u"branch"_s, u"--yes"_s}).status, 0); // of both
        QCOMPARE(packages(), QJsonArray());
    }

    void scriptsOfNamedPackagesRunForASession()
    {
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            return; // as in tst_nodepackages, which says so
        const QStringList registry{u"--index"_s, u"https://registry.npmjs.org/npm"_s, u"--yes"_s};
        const QStringList asks{u"run"_s,
                               u"--session"_s,
                               u"scripts"_s,
                               u"-l"_s,
                               u"node"_s,
                               u"-c"_s,
                               u"console.log(require('plain-script'))"_s};
        QCOMPARE(m_home.session({u"create"_s, u"--name"_s, u"scripts"_s}).status, 0);
        const auto session = [&](const char *command, const QStringList &words) {
            return m_home.session(QStringList{QString::fromLatin1(command), u"scripts"_s} + words);
        };
        const Ended without = session("install", registry + QStringList{u"--node"_s, u"plain-script"_s});
        QVERIFY2(without.status == 0, without.err);
        QVERIFY2(without.err.contains("To have one run, sealed and without a network: --allow-scripts plain-script\n"),
                 without.err);
        QCOMPARE(m_home.run(asks).out, QByteArray("false\n"));
        const QStringList named{u"--node"_s,       u"plain-script"_s,    u"--allow-scripts"_s,
                                u"plain-script"_s, u"--allow-scripts"_s, u"leaf"_s};
        const Ended with = session("install", registry + named);
        QVERIFY2(with.status == 0, with.err);
        QVERIFY2(with.err.contains(
                     "Install scripts of these packages run, sealed and without a network: plain-script 1.0.0.\n"),
                 with.err);
        QVERIFY2(with.err.contains("--allow-scripts leaf had no effect: "), with.err);
        QCOMPARE(m_home.run(asks).out, QByteArray("true\n"));
        QVERIFY(lastEntry(u"package.installed"_s)[u"wheels"_s][0][u"scripts"_s].toBool());
        const QString run = lastEntry(u"package.installed"_s)[u"installed_by"_s].toString();
        QVERIFY(m_home.run({u"audit"_s, u"show"_s, run}).out.contains("the script says hello"));
        // With others, it is as it was.
        const QString lock = m_home.path(u"scripts.lock"_s);
        const Ended more = session("install", registry + QStringList{u"--node"_s, u"leaf"_s, u"--lock"_s, lock});
        QVERIFY2(more.status == 0 && more.err.contains("scripts of these packages run"), more.err);
        QCOMPARE(m_home.run(asks).out, QByteArray("true\n"));
        const Ended left = session("uninstall", {u"leaf"_s, u"--allow-source"_s, u"x"_s, u"--yes"_s});
        QVERIFY2(left.status == 0, left.err);
        QVERIFY2(left.err.endsWith("--allow-source had no effect: no Python packages were installed again.\n"),
                 left.err);
        QCOMPARE(m_home.run(asks).out, QByteArray("true\n"));
        removePackagesOf(m_home);
        const Ended again = session("install", {u"--yes"_s});
        QVERIFY2(again.status == 0, again.err);
        QCOMPARE(m_home.run(asks).out, QByteArray("true\n"));
        removePackagesOf(m_home);
        const QStringList byLock{u"--locked"_s, lock, u"--yes"_s, u"--index"_s, u"https://registry.npmjs.org/npm"_s};
        const Ended foreign = session("install", byLock);
        QCOMPARE(foreign.status, 1);
        QVERIFY2(foreign.err.contains("add --allow-scripts plain-script."), foreign.err);
        const Ended allowed = session("install", byLock + QStringList{u"--allow-scripts"_s, u"plain-script"_s});
        QVERIFY2(allowed.status == 0, allowed.err);
        QCOMPARE(m_home.run(asks).out, QByteArray("true\n"));
        // A script that fails changes nothing.
        const Ended failed =
            session("install", registry + QStringList{u"--node"_s, u"brittle"_s, u"--allow-scripts"_s, u"brittle"_s});
        QCOMPARE(failed.status, 1);
        QVERIFY2(failed.err.contains(
                     "The install script of \"brittle\" failed or left what can't be used. Nothing was installed."),
                 failed.err);
        QCOMPARE(m_home.run(asks).out, QByteArray("true\n"));
        const Ended wrong = session("install", {u"--python"_s, u"leaf"_s, u"--allow-scripts"_s, u"leaf"_s});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.err.contains("--allow-scripts is for Node.js packages, and none are to be installed."),
                 wrong.err);
    }

    // Those of its lock, which left the scripts out.
    void scriptsOfASessionsOwnPackagesRunOncePermitted()
    {
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            return; // as in tst_nodepackages, which says so
        QCOMPARE(m_home.session({u"create"_s, u"--name"_s, u"later"_s}).status, 0);
        const QStringList install{u"install"_s, u"later"_s, u"--yes"_s};
        const QString lock = m_home.path(u"later.lock"_s);
        const Ended without = m_home.session(install
                                             + QStringList{u"--node"_s, u"plain-script@1.0"_s, u"--lock"_s, lock,
                                                           u"--index"_s, u"https://registry.npmjs.org/npm"_s});
        QVERIFY2(without.status == 0, without.err);
        const auto prints = [&] {
            return m_home
                .run({u"run"_s, u"--session"_s, u"later"_s, u"-l"_s, u"node"_s, u"-c"_s,
                      u"console.log(require('plain-script'))"_s})
                .out;
        };
        QCOMPARE(prints(), QByteArray("false\n"));
        const QStringList permission{u"--allow-scripts"_s, u"plain-script"_s};
        const Ended with = m_home.session(install + permission);
        QVERIFY2(with.status == 0 && !with.err.contains("had no effect"), with.err);
        QCOMPARE(prints(), QByteArray("true\n"));
        removePackagesOf(m_home);
        const QStringList byLock{u"run"_s,
                                 u"-l"_s,
                                 u"node"_s,
                                 u"--locked"_s,
                                 lock,
                                 u"--index"_s,
                                 u"https://registry.npmjs.org/npm"_s,
                                 u"--yes"_s,
                                 u"-c"_s,
                                 u"console.log(require('plain-script'))"_s};
        const Ended hinted = m_home.run(byLock);
        QVERIFY2(hinted.out == "false\n" && hinted.err.contains(": --allow-scripts plain-script\n"), hinted.err);
        const Ended permitted = m_home.run(byLock + permission);
        QVERIFY2(permitted.out == "true\n" && !permitted.err.contains("had no effect"), permitted.err);
    }

    void notesWithPackagesAreOfANewerForm()
    {
        // Of a session without forks, which has a form of its own.
        QCOMPARE(m_home.session({u"create"_s, u"--name"_s, u"plain"_s}).status, 0);
        QCOMPARE(m_home.session({u"install"_s, u"plain"_s, u"--python"_s, u"leaf"_s, u"--yes"_s}).status, 0);
        const QString id = m_home.objects({u"status"_s, u"plain"_s}).first()[u"id"_s].toString();
        const auto schemaOf = [&] {
            return parseStrictJson(contentOfFile(m_home.folderOf(id) + u"/session.json"_s))
                .value()[u"schema"_s]
                .toInt();
        };
        QCOMPARE(schemaOf(), 2);
        QCOMPARE(m_home.session({u"uninstall"_s, u"plain"_s, u"--yes"_s, u"leaf"_s}).status, 0);
        QCOMPARE(schemaOf(), 1);
    }

    void packagesOfADeletedSessionAreNamed()
    {
        QCOMPARE(m_home.session({u"create"_s, u"--name"_s, u"other"_s}).status, 0);
        QCOMPARE(m_home.session({u"install"_s, u"other"_s, u"--python"_s, u"leaf<2"_s, u"--yes"_s}).status, 0);
        QCOMPARE(m_home.session({u"fork"_s, u"other"_s, u"--name"_s, u"third"_s}).status, 0);
        QCOMPARE(m_home.session({u"delete"_s, u"third"_s, u"--yes"_s}).err, QByteArray()); // another has them
        const Ended deleted = m_home.session({u"delete"_s, u"other"_s, u"--yes"_s});
        const QByteArray sentence =
            "glovebox: Installed packages stay for other runs until nobody used them for 90 days. "
            "To remove them: glovebox package remove ";
        QVERIFY2(deleted.err.startsWith(sentence), deleted.err);
        const QString id = QString::fromUtf8(deleted.err.mid(sentence.size()).trimmed());
        QCOMPARE(m_home.run({u"package"_s, u"remove"_s, id}).status, 0);
        QVERIFY(!m_home.run({u"package"_s, u"list"_s}).out.contains(id.toUtf8()));
    }

    void allPackagesAreRemovedButThoseOfSessions()
    {
        QCOMPARE(m_home.session({u"create"_s, u"--name"_s, u"gone"_s}).status, 0);
        QCOMPARE(m_home.session({u"install"_s, u"gone"_s, u"--python"_s, u"leaf<2"_s, u"--yes"_s}).status, 0);
        QCOMPARE(m_home.session({u"delete"_s, u"gone"_s, u"--yes"_s}).status, 0);
        QCOMPARE(install({u"--python"_s, u"leaf"_s, u"--yes"_s}).status, 0);
        const auto remove = [this](const QStringList &words) {
            return m_home.run(QStringList{u"package"_s, u"remove"_s} + words);
        };
        QVERIFY(remove({u"--all"_s, u"0123456789"_s}).status == 2);
        const Ended unasked = remove({u"--all"_s});
        QVERIFY2(unasked.status == 1 && unasked.err.contains("Nobody is here to be asked about "), unasked.err);
        const Ended removed = remove({u"--all"_s, u"--yes"_s});
        QVERIFY2(removed.status == 0 && removed.err.contains("Removed: "), removed.err);
        QVERIFY2(removed.err.contains(", as sessions have ") && removed.err.contains(" --force also removes "),
                 removed.err);
        const QByteArray left = m_home.run({u"package"_s, u"list"_s}).out;
        QVERIFY2(left.contains("; for ") && left.count('\n') == left.count("; for "), left);
        const Ended forced = remove({u"--all"_s, u"--yes"_s, u"--force"_s});
        QVERIFY2(forced.status == 0 && !forced.err.contains("stays"), forced.err);
        QVERIFY(m_home.run({u"package"_s, u"list"_s}).out.startsWith("No packages are installed."));
        const Ended none = remove({u"--all"_s, u"--yes"_s});
        QVERIFY2(none.status == 0 && none.err.contains("There are no packages to remove."), none.err);
    }

private:
    Ended install(const QStringList &options) const
    {
        return m_home.session(QStringList{u"install"_s, u"shop"_s} + options);
    }
    Ended python(const QString &code) const { return m_home.run({u"run"_s, u"--session"_s, u"shop"_s, u"-c"_s, code}); }
    QJsonArray packages() const { return m_home.objects({u"status"_s, u"shop"_s}).first()[u"packages"_s].toArray(); }
    QStringList requirements() const
    {
        QStringList all;
        for (const auto &text : packages().first()[u"requirements"_s].toArray())
            all.append(text.toString());
        return all;
    }
    QJsonObject lastEntry(const QString &kind) const
    {
        const auto reader = AuditReader::open(m_home.path(u"data/audit.db"_s));
        const auto entries = reader ? (*reader)->entries(1, 10'000) : std::unexpected(reader.error());
        if (!entries)
            qFatal("%s", qPrintable(entries.error().message.english()));
        QJsonObject last;
        for (const StoredEntry &stored : *entries) {
            const auto entry = parseStrictJson(stored.json);
            if (entry && (*entry)[u"kind"_s] == kind)
                last = *entry;
        }
        return last;
    }

    const SessionHome m_home;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestCliSessionPackages)
#include "tst_clisessionpackages.moc"
