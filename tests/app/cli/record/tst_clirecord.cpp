// SPDX-License-Identifier: Apache-2.0
// Runs on record are shown safely.
#include "tests/app/cli/program.h"
#include "tests/app/cli/terminal/desk.h"

#include "engine/base/base.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliRecord : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anEmptyRecordIsAFriendlySentence();
    void listIsNewestFirstAndPaged();
    void listIsFiltered();
    void showFindsARunByIdPrefixOrNumber();
    void showCountsRunsBack();
    void showEscapesEverythingAlsoWhenPiped();
    void showTellsThatLooksForKeysAreNotKnown();
    void showGivesTheEntriesAsTheyAre();
    void showTellsWhenABodyIsGoneOrDamaged();
    void showTellsWhatWasChangedInTheLog();
    void readingTheRecordChangesNothing();
    void filesThatARunLeftAreListedGivenAndVerified();
    void filesThatARunLeftAreSavedInANewFolder();
    void whatIsNotKeptIsAnEventOfItsReason();
    void aListHasTwentyRunsUnlessMoreAreWanted();
    void whatARefusedRunAskedForIsNotToldAsGiven();
};

static void makeRuns(const Home &home)
{
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('one')"_s}).status, 0);
    QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"echo two; exit 3"_s}).status, 3);
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('three')"_s}).status, 0);
}

void TestCliRecord::whatARefusedRunAskedForIsNotToldAsGiven()
{
    const Home home;
    QTemporaryDir folder;
    QVERIFY(QFile::setPermissions(folder.path(), {})); // nobody's, but root's
    const Ended ended = home.run({u"run"_s, u"--mount"_s, folder.path() + u":/mnt/x"_s, u"--allow"_s, u"203.0.113.9"_s,
                                  u"--json"_s, u"-c"_s, u"pass"_s});
    QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.json()[u"outcome"_s].toString(), u"rejected"_s);
    const Ended shown = home.run({u"audit"_s, u"show"_s});
    QVERIFY2(shown.out.contains("never ran")
                 && shown.out.contains("what was asked for is named below; the code had none of it"),
             shown.out);
    QVERIFY2(!shown.out.contains("was shown") && !ended.out.contains("was shown"), shown.out + ended.out);
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"pass"_s}).status, 0);
    QVERIFY(!home.run({u"audit"_s, u"show"_s}).out.contains("never ran"));
}

void TestCliRecord::anEmptyRecordIsAFriendlySentence()
{
    Home home;
    const Ended list = home.run({u"audit"_s, u"list"_s});
    QCOMPARE(list.status, 0);
    QVERIFY2(list.out.contains("Nothing has run yet"), list.out);
    QCOMPARE(home.run({u"audit"_s, u"list"_s, u"--json"_s}).out, QByteArray());
    const Ended shown = home.run({u"audit"_s, u"show"_s, u"--json"_s});
    QVERIFY2(shown.err.contains("Nothing has run yet"), shown.err);
    QCOMPARE(shown.out, QByteArray());
    QCOMPARE(shown.status, 1); // a script that goes on would read nothing as an object
    QVERIFY(QDir(home.path()).isEmpty()); // looking makes nothing
}

void TestCliRecord::listIsNewestFirstAndPaged()
{
    Home home;
    makeRuns(home);
    const auto rows = home.runsOnRecord();
    QCOMPARE(rows.size(), 3);
    QCOMPARE(rows[0].value("first_line"_L1).toString(), u"print('three')"_s);
    QCOMPARE(rows[1].value("exit_code"_L1).toInt(), 3);
    QCOMPARE(rows[1].value("language"_L1).toString(), u"sh"_s);
    QCOMPARE(rows[1].value("outcome"_L1).toString(), u"failed"_s);
    QCOMPARE(rows[1].value("caller"_L1)["kind"_L1].toString(), u"cli"_s);
    QCOMPARE(rows[1].value("backend"_L1).toString(), u"native"_s);
    QVERIFY(rows[0].value("time_us"_L1).toInteger() > rows[1].value("time_us"_L1).toInteger());
    for (const QString &key : {u"seq"_s, u"run"_s, u"duration_ms"_s, u"session"_s})
        QVERIFY2(rows[0].contains(key), qPrintable(key));

    const Ended page = home.run({u"audit"_s, u"list"_s, u"--json"_s, u"--limit"_s, u"1"_s, u"--before"_s,
                                 QString::number(rows[0].value("seq"_L1).toInteger())});
    QCOMPARE(page.json().value("run"_L1), rows[1].value("run"_L1));
    const Ended table = home.run({u"audit"_s, u"list"_s});
    QCOMPARE(table.out.count('\n'), 4); // a heading
    QVERIFY(table.out.indexOf("three") < table.out.indexOf("echo two"));
}

void TestCliRecord::listIsFiltered()
{
    Home home;
    makeRuns(home);
    QCOMPARE(home.run({u"audit"_s, u"list"_s, u"--json"_s, u"--outcome"_s, u"failed"_s}).out.count('\n'), 1);
    QCOMPARE(home.run({u"audit"_s, u"list"_s, u"--json"_s, u"--language"_s, u"python"_s}).out.count('\n'), 2);
    QCOMPARE(home.run({u"audit"_s, u"list"_s, u"--json"_s, u"--language"_s, u"node"_s}).out, QByteArray());

    const std::tuple<QString, QString, int> times[] = {
        {u"--since"_s, u"1h"_s, 3},
        {u"--since"_s, u"2100-01-01"_s, 0},
        {u"--until"_s, u"1h"_s, 0},
        {u"--until"_s, u"2100-01-01"_s, 3},
    };
    for (const auto &[option, time, count] : times)
        QCOMPARE(home.run({u"audit"_s, u"list"_s, u"--json"_s, option, time}).out.count('\n'), count);
    const Ended never = home.run({u"audit"_s, u"list"_s, u"--since"_s, u"1h"_s, u"--until"_s, u"2h"_s});
    QCOMPARE(never.status, 2);
    QCOMPARE(never.err.left(never.err.indexOf('\n')),
             "glovebox: --until is before --since: no run can be between them. See \"glovebox help audit list\".");

    // Code and output, and not only first lines.
    QCOMPARE(
        home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"echo first\n# Pear\nprintf nee; printf 'dle\\n'"_s}).status,
        0);
    for (const QString &text : {u"NEEDLE"_s, u"pear"_s}) {
        const Ended found = home.run({u"audit"_s, u"list"_s, u"--json"_s, u"--search"_s, text});
        QVERIFY2(found.out.count('\n') == 1 && found.json().value("first_line"_L1) == "echo first"_L1, found.out);
    }
    QCOMPARE(home.run({u"audit"_s, u"list"_s, u"--json"_s, u"--search"_s, u"apple"_s}).out, QByteArray());
    const Ended nothing = home.run({u"audit"_s, u"list"_s, u"--search"_s, u""_s});
    QCOMPARE(nothing.status, 2);
    QVERIFY2(nothing.err.contains("--search"), nothing.err);
}

void TestCliRecord::showFindsARunByIdPrefixOrNumber()
{
    Home home;
    makeRuns(home);
    const QJsonObject row = home.runsOnRecord()[1];
    const QString id = row.value("run"_L1).toString();
    for (const QString &name : {id, id.first(20), u"#%1"_s.arg(row.value("seq"_L1).toInteger()),
                                QString::number(row.value("seq"_L1).toInteger())}) {
        const Ended ended = home.run({u"audit"_s, u"show"_s, name});
        QVERIFY2(ended.status == 0, ended.err);
        QVERIFY2(ended.out.contains(id.toUtf8()) && ended.out.contains("    echo two; exit 3\n")
                     && ended.out.contains("    two\n") && ended.out.contains("exit status 3"),
                 ended.out);
    }
    for (const QString &name : {u"ffffffff"_s, u"#999"_s, u"abc"_s, u"#"_s, u"9999999999999999999999"_s}) {
        const Ended ended = home.run({u"audit"_s, u"show"_s, name});
        QCOMPARE(ended.status, 1);
        QVERIFY2(ended.err.startsWith("glovebox: "), ended.err);
    }
}

void TestCliRecord::showCountsRunsBack()
{
    Home home;
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"open('x', 'w').write('1')"_s}).status, 0);
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('two')"_s}).status, 0);
    const QList<QJsonObject> runs = home.runsOnRecord();
    const auto shown = [&](const QStringList &name) {
        return home.run(QStringList{u"audit"_s, u"show"_s, u"--json"_s} + name).json()["run"_L1].toString();
    };
    const QString latest = runs[0]["run"_L1].toString(), first = runs[1]["run"_L1].toString();
    QVERIFY(!latest.isEmpty() && latest != first);
    for (const QStringList &name : {QStringList(), {u"last"_s}, {u"latest"_s}, {u"-1"_s}})
        QCOMPARE(shown(name), latest);
    QCOMPARE(shown({u"-2"_s}), first);
    QVERIFY2(home.run({u"artifact"_s, u"list"_s, u"-2"_s}).out.contains("x"), "the first run's file");
    for (const QString &name : {u"-3"_s, u"-99999999999999999999"_s, u"-0"_s}) {
        const Ended ended = home.run({u"audit"_s, u"show"_s, name});
        QCOMPARE(ended.status, 1);
        QVERIFY2(ended.err.contains("glovebox: "), ended.err);
    }
    QCOMPARE(home.run({u"audit"_s, u"list"_s, u"-1"_s}).status, 2); // no option there
    // The matches of a beginning that several have are named.
    const Ended several = home.run({u"audit"_s, u"show"_s, latest.first(8)});
    QCOMPARE(several.status, 1);
    QVERIFY2(several.err.contains(latest.toUtf8() + ", " + first.toUtf8()), several.err);
}

void TestCliRecord::showEscapesEverythingAlsoWhenPiped()
{
    Home home;
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('\\x1b[31mred\\rx') # \x1b[2J\u202e"_s}).status, 0);
    const Ended ended = home.run({u"audit"_s, u"show"_s, u"1"_s});
    QVERIFY2(ended.out.contains("    \\x1b[31mred\\rx\n"), ended.out);
    QVERIFY2(ended.out.contains("# \\x1b[2J\\u{202e}\n"), ended.out);
    for (const QByteArray &text : {ended.out, home.run({u"audit"_s, u"list"_s}).out}) {
        QVERIFY(!text.contains('\x1b') && !text.contains('\r'));
        QVERIFY(!text.contains("\xe2\x80\xae"));
    }
}

void TestCliRecord::showTellsThatLooksForKeysAreNotKnown()
{
    Home home;
    QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"cat /root/.ssh/id_rsa"_s}).status, 1);
    const QByteArray shown = home.run({u"audit"_s, u"show"_s, u"1"_s}).out;
    QVERIFY2(shown.contains("places of secrets are "), shown);
    const bool isWatched = shown.contains("places of secrets are watched");
    QCOMPARE(shown.contains("\n  event       file.refused: The run looked for \"/root/.ssh/id_rsa\""), isWatched);
    QCOMPARE(shown.contains("\n  not known   whether the run looked for keys: places of secrets are not watched ("),
             !isWatched);
}

void TestCliRecord::showGivesTheEntriesAsTheyAre()
{
    Home home;
    makeRuns(home);
    const QJsonObject object = home.run({u"audit"_s, u"show"_s, u"--json"_s, u"1"_s}).json();
    const QJsonArray entries = object.value("entries"_L1).toArray();
    QCOMPARE(entries.size(), 2);
    QCOMPARE(entries[0]["entry"_L1]["kind"_L1].toString(), u"run.accepted"_s);
    QCOMPARE(entries[1]["entry"_L1]["kind"_L1].toString(), u"run.finished"_s);
    QCOMPARE(entries[0]["leaf"_L1].toString().size(), 64);
    const QJsonArray bodies = object.value("bodies"_L1).toArray();
    QCOMPARE(bodies.size(), 3);
    for (const auto body : bodies)
        QCOMPARE(body["state"_L1].toString(), u"kept"_s);
    // The bytes are those of the log: the leaf is their hash.
    const QByteArray text = home.run({u"audit"_s, u"show"_s, u"--json"_s, u"1"_s}).out;
    const qsizetype begin = text.indexOf("\"entry\":") + 8;
    const QByteArray entry = text.sliced(begin, text.indexOf("},{\"seq\"", begin) - begin);
    QCOMPARE(
        QString::fromLatin1(QCryptographicHash::hash(QByteArray(1, '\0') + entry, QCryptographicHash::Sha256).toHex()),
        entries[0]["leaf"_L1].toString());
}

static QString bodyFile(const Home &home, const QString &what)
{
    const QJsonObject object = home.run({u"audit"_s, u"show"_s, u"--json"_s, u"1"_s}).json();
    for (const auto body : object.value("bodies"_L1).toArray()) {
        const QString digest = body["sha256"_L1].toString();
        if (body["what"_L1].toString() == what)
            return home.path(u"data/store/%1/%2"_s.arg(digest.first(2), digest.sliced(2)));
    }
    return {};
}

void TestCliRecord::showTellsWhenABodyIsGoneOrDamaged()
{
    Home home;
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('secret')"_s}).status, 0);
    const QString out = bodyFile(home, u"stdout"_s);
    const QString code = bodyFile(home, u"code"_s);
    QVERIFY(QFile::exists(out) && QFile::exists(code));
    QVERIFY(QFile::remove(out));
    QVERIFY(QFile::setPermissions(code, QFile::ReadOwner | QFile::WriteOwner));
    QFile file(code);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("print('forged')") > 0);
    file.close();

    const Ended shown = home.run({u"audit"_s, u"show"_s, u"1"_s});
    QCOMPARE(shown.status, 0);
    QVERIFY2(!shown.out.contains("forged"), shown.out);
    const QJsonObject object = home.run({u"audit"_s, u"show"_s, u"--json"_s, u"1"_s}).json();
    for (const auto body : object.value("bodies"_L1).toArray()) {
        const QString what = body["what"_L1].toString();
        QCOMPARE(body["state"_L1].toString(), what == "code"_L1     ? u"damaged"_s
                                              : what == "stdout"_L1 ? u"missing"_s
                                                                    : u"kept"_s);
    }
}

// By somebody who can write to the log's file.
void TestCliRecord::showTellsWhatWasChangedInTheLog()
{
    const QString unlocked =
        u"DROP TRIGGER entries_no_update; DROP TRIGGER entries_no_delete; PRAGMA foreign_keys=OFF; "_s;
    const auto show = [&](const QString &change, const QStringList &options = {}) {
        const Home home;
        const QString script =
            u"import sqlite3, sys\nlog = sqlite3.connect(sys.argv[1])\nlog.executescript(sys.argv[2])\nlog.close()"_s;
        const QString file = home.path(u"data/audit.db"_s);
        if (home.run({u"run"_s, u"-c"_s, u"print('one')"_s}).status != 0
            || QProcess::execute(u"python3"_s, {u"-c"_s, script, file, change}) != 0)
            return Ended();
        return home.run(QStringList{u"audit"_s, u"show"_s, u"#1"_s} + options);
    };
    const Ended whole = show({});
    QCOMPARE(whole.status, 0);
    QCOMPARE(whole.err, "");

    const QByteArray changed =
        "glovebox: Entry 2 was changed after it was written: the log has another hash or number of it.\n";
    const QString forged = unlocked
                           + u"UPDATE entries SET json = CAST(replace(CAST(json AS TEXT), "
                             "'\"outcome\":\"completed\"', '\"outcome\":\"failed\"') AS BLOB) WHERE seq = 2"_s;
    for (const QStringList &options : {QStringList(), {u"--json"_s}}) {
        const Ended ended = show(forged, options);
        QCOMPARE(ended.status, 1);
        QCOMPARE(ended.err, changed);
    }
    const Ended broken = show(unlocked + u"UPDATE entries SET json = x'7b7b' WHERE seq = 2"_s, {u"--json"_s});
    QCOMPARE(broken.status, 1);
    QCOMPARE(broken.err, changed);
    QCOMPARE(broken.out, "");
    const Ended gone = show(unlocked + u"DELETE FROM entries WHERE seq = 2"_s);
    QCOMPARE(gone.status, 1);
    QCOMPARE(gone.err, "glovebox: Entry 2, the end of this run, is missing from the log.\n");
    QVERIFY2(!gone.out.contains("it still runs"), gone.out);
    const Ended swapped =
        show(u"UPDATE bodies SET digest = (SELECT digest FROM bodies WHERE what = 'code' AND seq = 1) "
             "WHERE what = 'stdout' AND seq = 2"_s);
    QVERIFY2(swapped.out.contains("; the entry has the hash of another content, so this one isn't shown\n"),
             swapped.out);
}

static QMap<QString, QByteArray> contents(const QString &folder)
{
    QMap<QString, QByteArray> found;
    QDirIterator walk(folder, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
    while (walk.hasNext()) {
        QFile file(walk.next());
        found.insert(file.fileName(),
                     walk.fileInfo().isFile() && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
    }
    return found;
}

void TestCliRecord::readingTheRecordChangesNothing()
{
    Home home;
    makeRuns(home);
    const auto before = contents(home.path(u"data/store"_s));
    const auto log = contents(home.path()).value(home.path(u"data/audit.db"_s));
    home.run({u"audit"_s, u"list"_s});
    home.run({u"audit"_s, u"show"_s, u"1"_s});
    QCOMPARE(contents(home.path(u"data/store"_s)), before);
    QCOMPARE(contents(home.path()).value(home.path(u"data/audit.db"_s)), log);
    QVERIFY(QDir(home.path(u"data/engines"_s)).isEmpty());
}

void TestCliRecord::filesThatARunLeftAreListedGivenAndVerified()
{
    Home home;
    const QString code =
        u"open('a.csv', 'w').write('x,y')\nopen('b\\x1b]52;c;evil\\x07\\n', 'w').write('\\x1b[31mred')"_s;
    const QJsonObject result = QJsonDocument::fromJson(home.run({u"run"_s, u"--json"_s, u"-c"_s, code}).out).object();
    QCOMPARE(result.value("artifacts"_L1).toArray().size(), 2);
    const QString id = result.value("id"_L1).toString();
    const Ended list = home.run({u"artifact"_s, u"list"_s, id});
    QCOMPARE(list.status, 0);
    QCOMPARE(list.out.count('\n'), 2);
    QVERIFY2(list.out.contains("           3  text/csv                  a.csv\n"), list.out);
    QVERIFY(!list.out.contains('\x1b'));
    const QByteArray json = home.run({u"artifact"_s, u"list"_s, id, u"--json"_s}).out;
    QJsonObject first = result.value("artifacts"_L1).toArray().first().toObject();
    first[u"schema"_s] = 1;
    QCOMPARE(QJsonDocument::fromJson(json.split('\n').first()).object(), first);
    QCOMPARE(home.run({u"artifact"_s, u"get"_s, id, u"a.csv"_s}).out, QByteArray("x,y"));
    QCOMPARE(home.run({u"artifact"_s, u"get"_s, id, u"b\x1b]52;c;evil\x07\n"_s}).out, QByteArray("\x1b[31mred"));
    QCOMPARE(home.run({u"artifact"_s, u"get"_s, id, u"b\\x1b]52;c;evil\\x07\\n"_s}).out, QByteArray("\x1b[31mred"));
    Desk desk(home, {u"artifact"_s, u"get"_s, id, u"b\\x1b]52;c;evil\\x07\\n"_s});
    QCOMPARE(desk.status(), 0);
    QVERIFY2(desk.seen.contains("\\x1b[31mred") && !desk.seen.contains('\x1b'), desk.seen);
    QCOMPARE(home.run({u"artifact"_s, u"get"_s, id, u"none"_s}).status, 1);
    const Ended show = home.run({u"audit"_s, u"show"_s, id});
    QVERIFY2(show.out.contains("a.csv, 3 bytes, text/csv"), show.out);
    QVERIFY(!show.out.contains('\x1b'));
    const Ended verified = home.run({u"artifact"_s, u"verify"_s, id});
    QCOMPARE(verified.status, 0);
    QVERIFY2(verified.out.startsWith("ok        a.csv\n"), verified.out);
    const QString digest = result.value("artifacts"_L1).toArray().first()["sha256"_L1].toString();
    QFile stored(home.path() + u"/data/store/"_s + digest.first(2) + u'/' + digest.sliced(2));
    QVERIFY2(stored.open(QIODevice::Append) && stored.write("x") == 1, qPrintable(stored.fileName()));
    stored.close();
    const Ended damaged = home.run({u"artifact"_s, u"verify"_s, id});
    QCOMPARE(damaged.status, 1);
    QVERIFY2(damaged.out.startsWith("damaged   a.csv\n"), damaged.out);
    const Ended given = home.run({u"artifact"_s, u"get"_s, id, u"a.csv"_s});
    QCOMPARE(given.status, 1);
    QCOMPARE(given.out, QByteArray());
}

void TestCliRecord::filesThatARunLeftAreSavedInANewFolder()
{
    Home home;
    const QTemporaryDir place;
    const QString folder = place.filePath(u"out"_s);
    const QString code = u"import os\nos.mkdir('sub')\nopen('sub/a.txt', 'w').write('a')\n"
                         "open('es\\x1bc', 'w').write('b')\nos.symlink('/etc/passwd', 'link')"_s;
    const Ended saved = home.run({u"run"_s, u"--artifacts"_s, folder, u"-c"_s, code});
    QCOMPARE(saved.status, 0);
    QVERIFY2(saved.err.contains("link"), saved.err);
    QFile a(folder + u"/sub/a.txt"_s), b(folder + u"/es_c"_s);
    QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
    QCOMPARE(a.readAll() + b.readAll(), QByteArray("ab"));
    QCOMPARE(a.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot).size(), 2);
    // Nothing runs where nothing could be saved, and no file is replaced.
    const Ended refused = home.run({u"run"_s, u"--artifacts"_s, folder, u"-c"_s, u"print('ran')"_s});
    QCOMPARE(refused.status, 125);
    QCOMPARE(refused.out, QByteArray());
    const Ended object = home.run({u"run"_s, u"--json"_s, u"--artifacts"_s, folder, u"-c"_s, u"print('ran')"_s});
    QCOMPARE(object.status, 125);
    QCOMPARE(object.json()["outcome"_L1].toString(), u"rejected"_s);
    const QString id = home.runsOnRecord().first().value("run"_L1).toString();
    QVERIFY(home.run({u"artifact"_s, u"list"_s, id}).err.contains("Symbolic links aren't kept"));
    QCOMPARE(home.run({u"artifact"_s, u"get"_s, id, u"sub/a.txt"_s, u"-o"_s, folder + u"/es_c"_s}).status, 1);
    QCOMPARE(home.run({u"artifact"_s, u"get"_s, id, u"sub/a.txt"_s, u"-o"_s, folder + u"/new"_s}).status, 0);
    QCOMPARE(QFileInfo(folder + u"/es_c"_s).size(), 1);
    QCOMPARE(QFileInfo(folder + u"/new"_s).size(), 1);
    const Ended same = home.run({u"run"_s, u"--artifacts"_s, place.filePath(u"same"_s), u"-c"_s,
                                 u"for name in 'a_b', 'a\\nb': open(name, 'w').write(name)"_s});
    QCOMPARE(same.status, 74);
    QVERIFY2(same.err.contains("\"a_b\" isn't saved, as there is a file \"a_b\" already. Save it alone"), same.err);
    const Ended below = home.run({u"run"_s, u"--artifacts"_s, place.filePath(u"below"_s), u"-c"_s,
                                  u"import os; os.mkdir('a_b'); open('a_b/x', 'w'); open('a\\nb', 'w')"_s});
    QVERIFY2(below.status == 74
                 && below.err.contains("\"a_b/x\" isn't saved, as there is a file with the name of its folder"),
             below.err);

    const QString link = place.filePath(u"link"_s);
    QVERIFY(QFile::link(folder, link));
    const Ended linked = home.run({u"run"_s, u"--artifacts"_s, link, u"-c"_s, u"1"_s});
    QCOMPARE(linked.status, 125);
    QVERIFY2(
        linked.err.contains("is a link, and files are saved only in a folder that is named itself. Name the one that "
                            "the link leads to: "
                            + QFileInfo(folder).canonicalFilePath().toUtf8() + '\n'),
        linked.err);
    const Ended hinted = home.run({u"artifact"_s, u"get"_s, id, u"sub/a.txt"_s, u"--to"_s, u"x"_s});
    QCOMPARE(hinted.status, 2);
    QVERIFY2(hinted.err.contains("Unknown option --to. -o FILE saves the file under a new name."), hinted.err);
}

// On standard error, too, for who saves the files.
void TestCliRecord::whatIsNotKeptIsAnEventOfItsReason()
{
    Home home;
    const QStringList code{u"-l"_s, u"sh"_s, u"-c"_s, u"for i in $(seq 12); do ln -s x l$i; done; mkfifo p"_s};
    QCOMPARE(home.run(QStringList{u"run"_s} + code).err, QByteArray());
    const QJsonArray events = home.run(QStringList{u"run"_s, u"--json"_s} + code).json()["events"_L1].toArray();
    QCOMPARE(events.size(), 2);
    for (const auto event : events)
        QCOMPARE(event["type"_L1].toString(), u"artifact.skipped"_s);
    const QString links = events[0]["detail"_L1].toString();
    QCOMPARE(links.count(u"\"l"_s), 10);
    QVERIFY2(links.endsWith(u"(12 in all)."_s), qPrintable(links));
    const QTemporaryDir folder;
    const Ended saved = home.run(QStringList{u"run"_s, u"--artifacts"_s, folder.filePath(u"out"_s)} + code);
    QVERIFY2(saved.err.contains("glovebox: " + links.first(30).toUtf8()) && saved.err.contains(": \"p\" (1 in all)."),
             saved.err);
}

void TestCliRecord::aListHasTwentyRunsUnlessMoreAreWanted()
{
    Home home;
    for (int i = 0; i < 21; ++i)
        QCOMPARE(home.run({u"run"_s, u"-c"_s, QString()}).status, 125); // refused on record
    QCOMPARE(home.run({u"audit"_s, u"list"_s, u"--json"_s}).out.count('\n'), 20);
    QCOMPARE(home.run({u"audit"_s, u"list"_s, u"--json"_s, u"--limit"_s, u"30"_s}).out.count('\n'), 21);
}

QTEST_GUILESS_MAIN(TestCliRecord)
#include "tst_clirecord.moc"
