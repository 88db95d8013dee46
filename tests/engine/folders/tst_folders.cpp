// SPDX-License-Identifier: Apache-2.0
// What is noticed of a folder that a run could write to, and that everything a run may leave can be removed.
#include "engine/folders/folders.h"
#include "engine/folders/obeyed/obeyed.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTest>

#include <fcntl.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestFolders : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_room;

    QString at(const QString &name) const { return m_room->filePath(name); }
    void shell(const QString &script) const
    {
        QCOMPARE(QProcess::execute(u"/bin/sh"_s, {u"-c"_s, u"set -e; cd \"$0\"; "_s + script, m_room->path()}), 0);
    }
    UniqueFd descriptor() const { return UniqueFd(::open(QFile::encodeName(m_room->path()).constData(), O_PATH)); }

private Q_SLOTS:
    void init() { m_room = std::make_unique<QTemporaryDir>(); }

    void knowsWhatOtherProgramsRun_data()
    {
        QTest::addColumn<bool>("sensitive");
        for (const char *path :
             {".git/hooks/pre-commit", ".git/config", ".git", "sub/.git/hooks", ".envrc", ".vscode/tasks.json",
              ".vscode", ".mcp.json", "Makefile", "a/b/Makefile", ".bashrc", "package.json", ".husky/pre-push",
              ".github/workflows/x.yml", ".git/modules/x/hooks/y", "setup.py", "x.desktop", ".claude/settings.json",
              ".bazelrc", ".bazelversion", "gradle/wrapper/gradle-wrapper.properties", ".venv/bin/python",
              "venv/Scripts/activate.bat", "a/node_modules/.bin/tsc", "devbox.json", "MLproject", "nextflow.config",
              "CMakeCache.txt", "spec/spec_helper.rb", ".ansible-lint", ".dvc/config", "alembic.ini",
              "electron-builder.yml", "dotnet-tools.json", ".yarn/releases/yarn.cjs", "eslint.config.mjs", ".eslintrc",
              ".eslintrc.json", "a/jest.config.ts", "vite.config.js", "webpack.config.prod.js", "babel.config.cjs",
              "manage.py", "tests/conftest.py", ".npmrc", ".vimrc", ".idea/workspace.xml", "x.sublime-project",
              ".kateproject", ".GIT/config", "makefile", "MAKEFILE", "BUILD", "a/BUILD", ".env",
              ".env.production.local", "x.csproj", "AGENTS.md", ".git/config.worktree", "jupyter_notebook_config.py",
              "docs/conf.py", "schema.prisma", ".terraform/providers/x", "cdk.json", "binding.gyp", "BUILD.gn",
              ".pdm-python", ".pnp.js", "dangerfile.ts", "gunicorn.conf.py", "Doxyfile", ".local/bin/ls",
              "debian/rules", "x.spec", "mkdocs.yml", ".goreleaser.yaml", "locustfile.py", ".ddev/config.yaml",
              "codegen.yml", ".autoenv.zsh", "supervisord.conf", "tauri.conf.json",
              // Tools that load whatever is called so.
              "some.config.mjs", ".somethingrc", ".somethingrc.json", ".erlang", "latexmkrc", "build.ninja", "x-gdb.py",
              ".RData", "x.pro.user", ".git/rebase-merge/git-rebase-todo", ".git/remotes/origin",
              ".githooks/pre-commit", ".github/instructions/x.md",
              // Names that some file system takes for another (git: core.protectNTFS, core.protectHFS).
              "git~1/hooks/post-checkout", ".git./config", ".git . /config", ".git::$INDEX_ALLOCATION/config",
              ".git\\hooks\\post-checkout", "VSCODE~1/tasks.json", "GITMOD~1", "bashrc~1", ".g\u200cit/config",
              ".\ufeffgit/hooks/x", ".vscode\u2060/tasks.json", "Ma\u212aefile", ".ba\u017fhrc", ".Bashrc.",
              "a/.envrc ", ".envrc:x"})
            QTest::newRow(path) << true;
        for (const char *path : {".git/index",
                                 ".git/objects/aa/bb",
                                 ".github/README.md",
                                 "venv/lib/python3.11/site-packages/a.py",
                                 "node_modules/a/index.js",
                                 "main.py",
                                 "src/x.c",
                                 "Makefile/x",
                                 "git/hooks/x",
                                 "README.md",
                                 "build",
                                 "build/x.o",
                                 "workspace",
                                 "config",
                                 "HEAD",
                                 "env",
                                 "x.environment",
                                 "desktop",
                                 ".hidden",
                                 "a.",
                                 "service",
                                 "file~",
                                 "foo.~1~",
                                 "a~b.c",
                                 "long-name~1",
                                 "rc",
                                 "config.js",
                                 "src/codegen.cpp",
                                 "x.spec.ts",
                                 "conf",
                                 "local/bin/x",
                                 "src/rc.c",
                                 ":x",
                                 ".github/ISSUE_TEMPLATE/bug.md",
                                 "gitx/config"})
            QTest::newRow(path) << false;
    }
    void knowsWhatOtherProgramsRun()
    {
        QFETCH(bool, sensitive);
        const auto why = whySensitive(QTest::currentDataTag());
        QCOMPARE(why.has_value(), sensitive);
        QVERIFY(!why || why->english().endsWith(u'.'));
    }

    void knowsLinksThatLeadOut_data()
    {
        QTest::addColumn<QByteArray>("target");
        QTest::addColumn<bool>("out");
        QTest::newRow("absolute") << QByteArray("/etc/passwd") << true;
        QTest::newRow("above the folder") << QByteArray("../../x") << true;
        QTest::newRow("to the folder") << QByteArray("..") << false;
        QTest::newRow("beside") << QByteArray("b") << false;
        QTest::newRow("below") << QByteArray("./b/c") << false;
        QTest::newRow("over another folder") << QByteArray("../other/x") << false;
        QTest::newRow("back from what may be a link") << QByteArray("b/../../x") << true;
        QTest::newRow("back, within") << QByteArray("b/../c") << true;
        QTest::newRow("unreadable") << QByteArray() << true;
    }
    void knowsLinksThatLeadOut()
    {
        QFETCH(QByteArray, target);
        QFETCH(bool, out);
        QCOMPARE(whySensitive("a/link", &target).has_value(), out);
    }

    // git obeys the configuration of whatever folder looks like a repository (core.fsmonitor runs a command at `git status`).
    void aRepositoryUnderAnotherNameIsNoticed_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QStringList>("told");
        QTest::newRow("bare, below")
            << u"mkdir -p docs/x/objects docs/x/refs; echo ref > docs/x/HEAD; echo evil > docs/x/config"_s
            << QStringList{u"docs/x/HEAD"_s, u"docs/x/config"_s};
        QTest::newRow("bare, the folder itself")
            << u"mkdir -p objects refs hooks; echo ref > HEAD; echo evil > hooks/post-checkout"_s
            << QStringList{u"HEAD"_s, u"config"_s, u"hooks"_s, u"hooks/post-checkout"_s};
        QTest::newRow("in two parts") << u"mkdir -p a b/objects b/refs; echo ref > a/HEAD; echo ../b > a/commondir; "
                                         u"echo evil > b/config"_s
                                      << QStringList{u"a/HEAD"_s, u"a/commondir"_s, u"b/config"_s};
        QTest::newRow("bare, folded")
            << u"mkdir -p \"a /objects\" a\\ /REFS.; echo ref > \"a /Head\"; echo evil > \"a /config:x\""_s
            << QStringList{u"a /Head"_s, u"a /config:x"_s};
        QTest::newRow("none") << u"mkdir -p a/objects; echo x > a/HEAD; echo x > a/config"_s << QStringList();
    }
    void aRepositoryUnderAnotherNameIsNoticed()
    {
        QFETCH(QString, script);
        QFETCH(QStringList, told);
        shell(u"echo mine > config"_s); // obeyed once there is a repository around it
        const SensitiveFiles before(descriptor().get());
        shell(script);
        QStringList found;
        for (const FolderChange &change : before.changes())
            found.append(QString::fromUtf8(change.path));
        QCOMPARE(found, told);
    }

    void nothingHidesBehindManyOthers()
    {
        QList<FolderChange> changes;
        for (int i = 0; i < 1500; ++i)
            changes.append({.path = "a" + QByteArray::number(i)});
        changes.append({.path = "z/.git/hooks/pre-commit", .isSensitive = true});
        changes.append({.path = "zz", .isWithheld = true});
        const auto reviewed = inOrderOfReview(changes);
        QCOMPARE(reviewed.size(), changes.size());
        QCOMPARE(reviewed[0].path, "zz");
        QCOMPARE(reviewed[1].path, "z/.git/hooks/pre-commit");
        QCOMPARE(reviewed[2].path, "a0");
        // Nor behind many that are marked for another reason.
        changes.clear();
        for (int i = 0; i < 1500; ++i)
            changes.append({.path = ".env." + QByteArray::number(i), .isSensitive = true, .why = Text("Tools.")});
        changes.append({.path = "z/.git/hooks/pre-commit", .isSensitive = true, .why = Text("Git.")});
        QCOMPARE(inOrderOfReview(changes)[0].path, ".env.0");
        QCOMPARE(inOrderOfReview(changes)[1].path, "z/.git/hooks/pre-commit");
        QCOMPARE(inOrderOfReview(changes)[2].path, ".env.1");
    }

    void tellsWhatWasDoneToSensitiveFiles()
    {
        shell(u"mkdir -p .git/hooks .vscode src; echo a > .git/hooks/old; echo a > .git/config; echo a > Makefile; "
              u"echo a > src/x; "
              "echo a > .envrc; echo same > .bashrc; ln -s Makefile GNUmakefile"_s);
        const SensitiveFiles before(descriptor().get());
        shell(u"echo b > .git/hooks/pre-commit; rm .git/hooks/old; touch -r .git/config ref; echo b > .git/config; "
              "touch -r ref .git/config; chmod +x Makefile; echo b > src/x; echo b > src/Makefile; rm .envrc; mkdir "
              ".envrc; "
              "echo b > .vscode/tasks.json; ln -sf src/x GNUmakefile; rm ref"_s);
        QStringList told;
        for (const FolderChange &change : before.changes())
            told.append(QString::fromUtf8(change.path)
                        + u" +~-"_s.at(1 + (change.kind == FolderChange::Kind::Changed)
                                       + 2 * (change.kind == FolderChange::Kind::Removed)));
        QCOMPARE(told, (QStringList{u".envrc~"_s, u".git/config~"_s, u".git/hooks/old-"_s, u".git/hooks/pre-commit+"_s,
                                    u".vscode/tasks.json+"_s, u"GNUmakefile~"_s, u"Makefile~"_s, u"src/Makefile+"_s}));
        QVERIFY(before.isWhole());
    }

    void whatWasWrittenIsTakenSmallFilesFirst()
    {
        const SensitiveFiles before(descriptor().get());
        shell(u"printf longer > b; printf x > a; mkdir d; printf mid > d/c; ln -s a link; mkfifo fifo; truncate -s 70M "
              "big"_s);
        QVERIFY(before.changes().isEmpty());
        QTemporaryFile to;
        QVERIFY(to.open());
        const WrittenFiles written = before.written(to.handle());
        QCOMPARE(written.files.first(3), (QList<std::pair<QByteArray, qint64>>{{"a", 1}, {"d/c", 3}, {"b", 6}}));
        QCOMPARE(written.files.size(), 4);
        QCOMPARE(written.files.last().first, "big");
        QVERIFY(written.files.last().second > 0); // its beginning
        QCOMPARE(written.left, 1);
        QVERIFY(to.seek(0));
        QCOMPARE(to.read(10), "xmidlonger");
        QVERIFY(to.size() <= WrittenFiles::mostBytes);

        const UniqueFd programs(::open("/usr/bin", O_PATH)); // which nobody changed just now
        const SensitiveFiles old(programs.get());
        std::ignore = old.changes();
        QCOMPARE(old.written(to.handle()), WrittenFiles());
    }

    void aFolderThatIsRenamedAwayIsNoticed()
    {
        shell(u"mkdir -p .git/hooks; echo a > .git/hooks/x"_s);
        const SensitiveFiles before(descriptor().get());
        shell(u"mv .git away; mkdir -p .git/hooks; echo evil > .git/hooks/x"_s);
        const auto changes = before.changes();
        QVERIFY(std::ranges::any_of(changes, [](const FolderChange &c) { return c.path == ".git/hooks/x"; }));
    }

    void neverFollowsLinksOutOfTheFolder()
    {
        shell(u"mkdir in out; echo a > out/Makefile; ln -s ../out in/.vscode; ln -s / in/root"_s);
        const UniqueFd in(::open(QFile::encodeName(at(u"in"_s)).constData(), O_PATH));
        const SensitiveFiles before(in.get());
        shell(u"echo b > out/Makefile"_s);
        QVERIFY(before.changes().isEmpty());
        QCOMPARE(measureTree(in.get())->entries, 2);
    }

    void removesWhateverARunLeft()
    {
        // deeper than a path may be long, without permissions, with names that are no text
        shell(
            u"mkdir left; cd left; mkdir -p a/b; touch a/b/c; chmod 0 a/b; chmod 0 a; ln -s / root; mkfifo fifo; "
            "touch \"$(printf '\\377\\n')\"; python3 -c 'import os\n"
            "for i in range(400): os.mkdir(\"d\" * 30); os.mkdir(\"e\"); open(\"e/f\", \"w\").close(); os.chdir(\"d\" * 30)'"_s);
        const Status removed = removeTree(at(u"left"_s));
        QVERIFY2(removed, qPrintable(removed ? QString()
                                             : removed.error().message.english() + removed.error().detail.english()));
        QVERIFY(!QFile::exists(at(u"left"_s)));
        QVERIFY(QFile::exists(u"/etc/passwd"_s));
        QVERIFY(removeTree(at(u"left"_s))); // nothing there is no failure
    }
};

QTEST_GUILESS_MAIN(TestFolders)
#include "tst_folders.moc"
