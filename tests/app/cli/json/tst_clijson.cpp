// SPDX-License-Identifier: Apache-2.0
// --json where things are unusual: nothing there yet, runs that end badly, files and secrets that are held back, a log that another
// version wrote, a machine that can't run code. program.h holds each output to the schema; here is that it is there, or isn't.
#include "contract.h"
#include "tests/app/cli/program.h"

#include <QDir>
#include <QJsonArray>
#include <QScopeGuard>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theCheckerSeesWhatIsWrong_data();
    void theCheckerSeesWhatIsWrong();
    void theSchemaIsOne();
    void nothingThereYet_data();
    void nothingThereYet();
    void failuresAreSentencesOnly_data();
    void failuresAreSentencesOnly();
    void unusualRuns_data();
    void unusualRuns();
    void changesAndFilesOfARun();
    void secretsAndWhatHoldsThem();
    void entriesOfOtherVersionsAreShownAsTheyAre();
    void aMachineThatCannotRunCode();

private:
    Home m_home;
    Home m_empty;
};

void TestCliJson::theCheckerSeesWhatIsWrong_data()
{
    QTest::addColumn<QString>("definition");
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<QStringList>("complaints"); // the beginning of each
    const QByteArray good =
        R"({"schema":1,"run":"01a209d2-d2e0-773d-ac74-b0fc9bdb7e9d","folders":[],"applied":false,"cut_short":false,"under_way":null})";
    const auto row = [](const char *name, const QByteArray &output, const QStringList &complaints,
                        const QString &definition = u"changes-list"_s) {
        QTest::newRow(name) << definition << output << complaints;
    };
    const auto with = [&](const char *old, const char *replacement) {
        return QByteArray(good).replace(old, replacement) + '\n';
    };
    row("nothing", good + '\n' + good + '\n', {});
    row("no end of line", good, {u"the last line has no end"_s});
    row("another version", with("\"schema\":1", "\"schema\":2"), {u"$.schema: 1 was expected"_s});
    row("a field too many", with("[]", R"([{"host":"/a","path":"/b","whole":true,"changes":[],"more":1}])"),
        {u"$.folders[0]: Additional properties are not allowed ('more' was unexpected)"_s});
    row("a field too few", with(",\"cut_short\":false", ""), {u"$: 'cut_short' is a required property"_s});
    row("another type", with("\"applied\":false", "\"applied\":0"), {u"$.applied: 0 is not of type 'boolean'"_s});
    row("a field twice", with("\"applied\":false", "\"applied\":false,\"applied\":true"), {u"no JSON: "_s});
    row("no JSON", "Nothing waits.\n", {u"no JSON: "_s});
    row("a field too many beside those of a part",
        R"({"schema":1,"path":"a","sha256":null,"size":1,"media_type":"x","more":1})"
        "\n",
        {u"$: Unevaluated properties are not allowed ('more' was unexpected)"_s}, u"artifact-list"_s);
    row("no definition", good + '\n', {u"$defs has no changes-undo"_s}, u"changes-undo"_s);
}

void TestCliJson::theCheckerSeesWhatIsWrong()
{
    QFETCH(const QString, definition);
    QFETCH(const QByteArray, output);
    QFETCH(const QStringList, complaints);
    const QStringList found = contractComplaints(definition, output).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(found.size(), complaints.size());
    for (qsizetype i = 0; i < found.size(); ++i)
        QVERIFY2(found[i].startsWith(complaints[i]), qPrintable(found[i]));
}

void TestCliJson::theSchemaIsOne()
{
    QCOMPARE(contractComplaints({}, {}), QString());
}

void TestCliJson::nothingThereYet_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("status");
    QTest::addColumn<bool>("prints");
    const auto row = [](const QStringList &words, int status, bool prints) {
        QTest::newRow(qPrintable(words.join(u' '))) << words << status << prints;
    };
    row({u"audit"_s, u"list"_s}, 0, false);
    row({u"audit"_s, u"show"_s}, 1, false);
    row({u"audit"_s, u"verify"_s}, 1, false);
    row({u"audit"_s, u"prune"_s, u"--older-than"_s, u"1d"_s}, 0, true);
    row({u"artifact"_s, u"list"_s, u"last"_s}, 1, false);
    row({u"artifact"_s, u"verify"_s, u"last"_s}, 1, false);
    row({u"changes"_s, u"list"_s}, 0, false);
    row({u"changes"_s, u"show"_s, u"last"_s}, 1, false);
    row({u"secret"_s, u"list"_s}, 0, false);
    row({u"secret"_s, u"check"_s}, 0, false);
    row({u"mcp"_s, u"clients"_s}, 0, false);
    row({u"settings"_s, u"list"_s}, 0, true);
    row({u"policy"_s, u"show"_s}, 0, true);
}

void TestCliJson::nothingThereYet()
{
    QFETCH(const QStringList, words);
    const Ended ended = m_empty.run(words + QStringList{u"--json"_s});
    QTEST(ended.status, "status");
    QTEST(!ended.out.isEmpty(), "prints");
    QCOMPARE(ended.err.isEmpty(), ended.status == 0);
}

void TestCliJson::failuresAreSentencesOnly_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("status");
    QTest::newRow("unknown option") << QStringList{u"audit"_s, u"list"_s, u"--bogus"_s} << 2;
    QTest::newRow("nothing to run") << QStringList{u"run"_s, u"-t"_s, u"x"_s, u"-c"_s, u"1"_s} << 2;
    QTest::newRow("no such run") << QStringList{u"artifact"_s, u"list"_s, u"77"_s} << 1;
    QTest::newRow("no such secret") << QStringList{u"secret"_s, u"check"_s, u"NOPE"_s} << 1;
}

void TestCliJson::failuresAreSentencesOnly()
{
    QFETCH(const QStringList, words);
    const Ended ended = m_empty.run(words + QStringList{u"--json"_s});
    QTEST(ended.status, "status");
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.startsWith("glovebox: "), ended.err);
}

void TestCliJson::unusualRuns_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("outcome");
    const auto row = [](const char *name, const QStringList &words, int status, const QString &outcome) {
        QTest::newRow(name) << words << status << outcome;
    };
    row("killed", {u"-l"_s, u"sh"_s, u"-c"_s, u"kill -9 $$"_s}, 137, u"signalled"_s);
    row("too slow", {u"-t"_s, u"0.3"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"sleep 9"_s}, 124, u"timed_out"_s);
    row("no such file", {u"nowhere.py"_s}, 125, u"rejected"_s);
    row("no such secret", {u"--secret"_s, u"NOPE"_s, u"-c"_s, u"1"_s}, 125, u"denied"_s);
    row("a folder that is refused", {u"--mount"_s, u"/:/mnt/x"_s, u"-c"_s, u"1"_s}, 125, u"rejected"_s);
    row("no code", {u"-c"_s, QString()}, 125, u"rejected"_s);
    row("binary output",
        {u"-o"_s, u"1024"_s, u"-c"_s, u"import os; [os.write(f, bytes(range(256)) * 9) for f in (1, 2)]"_s}, 0,
        u"completed"_s);
    row("network and calls that are refused",
        {u"-c"_s, u"import os, socket\ntry: socket.create_connection(('192.0.2.1', 80), 1)\nexcept OSError: pass\n"
                  "try: socket.getaddrinfo('example.org', 80)\nexcept OSError: pass\n"
                  "try: os.unshare(os.CLONE_NEWUSER)\nexcept (AttributeError, OSError): pass\n"_s},
        0, u"completed"_s);
    row("a terminal of its own and things that look like keys",
        {u"--tty"_s, u"--stdin"_s, u"/dev/null"_s, u"-c"_s,
         u"print('ghp_' + '0123456789abcdefghijABCDEFGHIJ012345')"_s},
        0, u"completed"_s);
}

void TestCliJson::unusualRuns()
{
    QFETCH(const QStringList, words);
    const Ended ended = m_home.run(QStringList{u"run"_s, u"--json"_s} + words);
    QTEST(ended.status, "status");
    QTEST(ended.json()["outcome"_L1].toString(), "outcome");
    const QString id = ended.json()["id"_L1].toString();
    if (!id.isEmpty())
        QCOMPARE(m_home.run({u"audit"_s, u"show"_s, id, u"--json"_s}).json()["run"_L1].toString(), id);
}

void TestCliJson::changesAndFilesOfARun()
{
    const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
    // Qt can't remove a file whose name is no text.
    const auto clean = qScopeGuard([&] { QProcess::execute(u"rm"_s, {u"-rf"_s, room.filePath(u"d"_s)}); });
    QCOMPARE(QProcess::execute(u"sh"_s,
                               {u"-c"_s, u"mkdir \"$0/d\"; echo a > \"$0/d/a\"; chmod -R a+rwX \"$0\""_s, room.path()}),
             0);
    const QString code =
        u"cd d; rm a; echo all: > Makefile; ln -s Makefile l; mkdir n; chmod 700 n\n"
        "printf x > \"$(printf '\\377')\"\ncd ..; ln -s /etc link; mkfifo pipe; echo a,b > t.csv; chmod 0 t.csv\n"
        "echo y > kept"_s;
    const Ended ended = m_home.run({u"run"_s, u"--json"_s, u"--mount"_s, room.filePath(u"d"_s) + u":/work/d:stage"_s,
                                    u"-l"_s, u"sh"_s, u"-c"_s, code});
    QVERIFY2(ended.status == 0, ended.out);
    const QString id = ended.json()["id"_L1].toString();
    QVERIFY(ended.json()["changes"_L1][0]["changes"_L1].toArray().size() >= 5);
    QVERIFY(!ended.json()["skipped"_L1].toArray().isEmpty());
    QVERIFY(!ended.json()["artifacts"_L1].toArray().isEmpty());

    const auto listed = [&] { return m_home.run({u"changes"_s, u"list"_s, u"--json"_s}).json(); };
    QCOMPARE(m_home.run({u"changes"_s, u"show"_s, id, u"--json"_s}).json(), listed());
    QCOMPARE(listed()["applied"_L1].toBool(true), false);
    QCOMPARE(m_home.run({u"changes"_s, u"apply"_s, id, u"--yes"_s}).status, 0);
    QCOMPARE(listed()["applied"_L1].toBool(false), true);
    QCOMPARE(m_home.run({u"artifact"_s, u"list"_s, id, u"--json"_s}).status, 0);
    const Ended verified = m_home.run({u"artifact"_s, u"verify"_s, id, u"--json"_s});
    QCOMPARE(verified.status, 0);
    QVERIFY2(verified.out.contains(R"("state":"ok")"), verified.out);
    QCOMPARE(m_home.run({u"audit"_s, u"show"_s, id, u"--json"_s}).json()["entries"_L1].toArray().size(), 4);
    QVERIFY(!m_home.runsOnRecord().isEmpty());
}

void TestCliJson::secretsAndWhatHoldsThem()
{
    qputenv("GLOVEBOX_VAULT_STORE", "file");
    const QString file = m_home.write(u"passphrase"_s, "a passphrase for tests\n");
    QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
    const QStringList withPassphrase{u"--passphrase-file"_s, file};
    const QStringList limits{u"--note"_s, u"of the shop"_s, u"--caller"_s, u"cli"_s, u"--expires"_s, u"2099-01-31"_s};
    const Ended set =
        m_home.run(QStringList{u"secret"_s, u"set"_s, u"API_KEY"_s} + limits + withPassphrase, "a value of the shop");
    QVERIFY2(set.status == 0, set.err);
    const QJsonObject secret = m_home.run({u"secret"_s, u"list"_s, u"--json"_s}).json();
    QCOMPARE(secret["name"_L1].toString(), u"API_KEY"_s);
    QCOMPARE(secret["last_used_us"_L1], QJsonValue());
    const Ended ended =
        m_home.run(QStringList{u"run"_s, u"--json"_s, u"--secret"_s, u"API_KEY"_s, u"--secret-file"_s, u"API_KEY"_s,
                               u"-l"_s, u"sh"_s, u"-c"_s, u"echo $API_KEY; echo $API_KEY > f"_s}
                   + withPassphrase);
    QVERIFY2(ended.status == 0, ended.out);
    QCOMPARE(ended.json()["stdout"_L1].toString(), u"[secret API_KEY]\n"_s);
    QCOMPARE(ended.json()["artifacts"_L1][0]["withheld"_L1].toArray(), QJsonArray{u"API_KEY"_s});
    const QString id = ended.json()["id"_L1].toString();
    QCOMPARE(m_home.run({u"artifact"_s, u"verify"_s, id, u"--json"_s}).json()["state"_L1].toString(), u"withheld"_s);
    QCOMPARE(m_home.run({u"artifact"_s, u"release"_s, id, u"f"_s, u"--yes"_s}).status, 0);
    QVERIFY(m_home.run({u"artifact"_s, u"list"_s, id, u"--json"_s}).json()["sha256"_L1].isString());
    QVERIFY(m_home.run({u"secret"_s, u"list"_s, u"--json"_s}).json()["last_used_us"_L1].isDouble());
    const QStringList check{u"secret"_s, u"check"_s, u"--json"_s};
    QCOMPARE(m_home.run(check + withPassphrase).json()["state"_L1].toString(), u"present"_s);
    QVERIFY2(m_home.run(check).out.isEmpty(), "nobody is there to be asked");
    QCOMPARE(m_home.run({u"secret"_s, u"edit"_s, u"API_KEY"_s, u"--no-network"_s}).status, 0);
    QCOMPARE(m_home.run({u"secret"_s, u"rename"_s, u"API_KEY"_s, u"KEY"_s}).status, 0);
    QCOMPARE(m_home.run(QStringList{u"secret"_s, u"remove"_s, u"KEY"_s} + withPassphrase).status, 0);
    QCOMPARE(m_home.run({u"mcp"_s, u"pair"_s, u"editor"_s}).status, 0);
    QCOMPARE(m_home.run({u"mcp"_s, u"clients"_s, u"--json"_s}).json()["name"_L1].toString(), u"editor"_s);
    QCOMPARE(m_home.run({u"mcp"_s, u"unpair"_s, u"editor"_s}).status, 0);
    qunsetenv("GLOVEBOX_VAULT_STORE");

    // The entries of no run.
    QStringList kinds;
    for (int seq = 1;; ++seq) {
        const Ended shown = m_home.run({u"audit"_s, u"show"_s, u'#' + QString::number(seq), u"--json"_s});
        if (shown.status != 0)
            break;
        if (!shown.json()["run"_L1].isNull())
            continue;
        const QJsonValue entry = shown.json()["entries"_L1][0]["entry"_L1];
        kinds.append(entry["kind"_L1].toString());
        const QByteArray text = m_home.run({u"audit"_s, u"show"_s, u'#' + QString::number(seq)}).out;
        for (const auto field : {"name"_L1, "store"_L1, "new_name"_L1, "public_key"_L1})
            QVERIFY2(text.contains(entry[field].toString().toUtf8()), text);
        if (kinds.last() == "secret.added"_L1)
            QVERIFY2(text.contains("  name        API_KEY\n") && text.contains("callers cli"), text);
    }
    const QByteArray run = m_home.run({u"audit"_s, u"show"_s, id}).out;
    QVERIFY2(run.contains("  secrets     API_KEY\n"), run);
    kinds.removeAll(u"key.created"_s); // when the signing key was made is not what this is about
    QCOMPARE(kinds, (QStringList{u"secret.added"_s, u"secret.edited"_s, u"secret.renamed"_s, u"secret.removed"_s,
                                 u"client.paired"_s, u"client.removed"_s}));
}

void TestCliJson::entriesOfOtherVersionsAreShownAsTheyAre()
{
    const Home home;
    QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
    // Of an older version, whose policies had fewer limits, and of a newer one.
    const QString script = uR"python(
import hashlib, json, sqlite3, sys
log = sqlite3.connect(sys.argv[1])
run, text = log.execute("SELECT run, json FROM entries WHERE kind = 'run.accepted'").fetchone()
def add(entry):
    entry["seq"] = log.execute("SELECT max(seq) + 1 FROM entries").fetchone()[0]
    text = json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()
    log.execute("INSERT INTO entries(seq, time_us, kind, run, json, leaf) VALUES(?, ?, ?, ?, ?, ?)",
                (entry["seq"], entry["time_us"], entry["kind"], entry.get("run"), text, hashlib.sha256(b"\0" + text).digest()))
older = json.loads(text)
del older["policy"]["limits"]["cpu_percent"], older["policy"]["network"]["traffic_bytes"], older["policy"]["network"]["bandwidth_bytes"]
head = {name: older[name] for name in ("v", "time_us", "engine")}
if len(sys.argv) > 2:
    add({**head, "kind": "run.moved", "run": run, "to_room": "\x1b[31m7", "why": {"source": "It was %1.", "args": ["cold"]}})
else:
    add(older)
    add({**head, "kind": "session.opened", "room": 7})
log.commit()
print(log.execute("SELECT max(seq) FROM entries").fetchone()[0], end="")
)python"_s;
    QProcess writer;
    writer.start(u"python3"_s, {u"-c"_s, script, home.path(u"data/audit.db"_s)});
    QVERIFY(writer.waitForFinished());
    const QString number = QString::fromUtf8(writer.readAllStandardOutput());
    QVERIFY2(!number.isEmpty(), writer.readAllStandardError());
    QCOMPARE(home.run({u"audit"_s, u"show"_s, u"--json"_s}).json()["entries"_L1].toArray().size(), 3);
    QCOMPARE(QProcess::execute(u"python3"_s, {u"-c"_s, script, home.path(u"data/audit.db"_s), u"moved"_s}), 0);
    const QByteArray moved = home.run({u"audit"_s, u"show"_s}).out;
    QVERIFY2(moved.contains("  run.moved   20") && moved.contains("  why         It was cold.\n"), moved);
    QVERIFY2(moved.contains("  to room     ") && moved.count("  ended  ") == 1 && !moved.contains('\x1b'), moved);

    const auto process = home.program({u"audit"_s, u"show"_s, number, u"--json"_s});
    process->start();
    QVERIFY(process->waitForFinished());
    const QByteArray newer = process->readAllStandardOutput();
    QVERIFY2(newer.contains(R"("kind":"session.opened","room":7,)"), newer);
    const QByteArray told = home.run({u"audit"_s, u"show"_s, number}).out;
    QVERIFY2(told.contains("  kind        session.opened\n  room        7\n"), told);
    QCOMPARE(contractComplaints(u"audit-show"_s, newer, true), QString());
    QVERIFY(!contractComplaints(u"audit-show"_s, newer).isEmpty()); // so that a kind of this version isn't forgotten
}

void TestCliJson::aMachineThatCannotRunCode()
{
    const Home damaged;
    QVERIFY(QDir(damaged.path()).mkpath(u"data"_s));
    damaged.write(u"data/audit.db"_s, "no database " + QByteArray(5000, 'x'));
    const auto in = [&](const QString &home, const QStringList &words) {
        const auto process = damaged.program(words + QStringList{u"--json"_s});
        QProcessEnvironment environment = process->processEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, home);
        process->setProcessEnvironment(environment);
        process->start();
        process->closeWriteChannel();
        return finish(*process);
    };
    for (const QString &home : {damaged.path(), u"/proc/nowhere"_s}) {
        const Ended doctor = in(home, {u"doctor"_s});
        QCOMPARE(doctor.status, 1);
        QCOMPARE(doctor.json()["usable"_L1].toBool(true), false);
        QVERIFY(!doctor.json()["record"_L1]["reason"_L1].toString().isEmpty());
        const Ended run = in(home, {u"run"_s, u"-c"_s, u"1"_s});
        QCOMPARE(run.status, 125);
        QCOMPARE(run.json()["outcome"_L1].toString(), u"setup_failed"_s);
        QVERIFY(run.json()["id"_L1].isNull());
    }
}

QTEST_GUILESS_MAIN(TestCliJson)
#include "tst_clijson.moc"
