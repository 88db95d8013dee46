// SPDX-License-Identifier: Apache-2.0
// What is noticed of a folder that a run could write to, and that everything a run may leave can be removed.
#include "engine/folders/folders.h"
#include "engine/folders/tree.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
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
              ".github/workflows/x.yml", ".git/modules/x/hooks/y", "setup.py", "x.desktop", ".claude/settings.json"})
            QTest::newRow(path) << true;
        for (const char *path : {".git/index", ".git/objects/aa/bb", ".github/README.md", "main.py", "src/x.c",
                                 "Makefile/x", "git/hooks/x", "README.md"})
            QTest::newRow(path) << false;
    }
    void knowsWhatOtherProgramsRun()
    {
        QFETCH(bool, sensitive);
        QCOMPARE(isSensitive(QTest::currentDataTag()), sensitive);
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
