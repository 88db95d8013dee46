// SPDX-License-Identifier: Apache-2.0
// Words about an ask: what a client wrote stays text, in one line, cut and visible, wherever it is shown.
#include "app/workbench/agents/approval/askwords.h"
#include "app/workbench/shell/words/limitwords.h"
#include "app/workbench/shell/words/words.h"
#include "tests/app/workbench/desk/desk.h"

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestAskWords : public QObject
{
    Q_OBJECT

private:
    static ApprovalRequest hostileRequest(const QString &evil)
    {
        ApprovalRequest request;
        request.caller = {.kind = Caller::Kind::Mcp,
                          .pid = 7,
                          .program = u"/usr/bin/"_s + evil,
                          .claimed = evil,
                          .folder = u"/home/"_s + evil};
        request.language = evil;
        request.policy.allow = {evil};
        request.policy.folders = {{evil, evil, FolderGrant::Mode::ReadWrite}};
        request.policy.backend = evil;
        request.secrets = {{evil, evil, false}};
        request.args = {evil.toUtf8()};
        request.files = {{evil.toUtf8(), evil.toUtf8()}};
        request.code = evil.toUtf8();
        request.wants = wantsOf(request, {});
        return request;
    }

private Q_SLOTS:
    void packagesAreShownWithTheirIndexAndDoubts()
    {
        ApprovalRequest request;
        request.tool = installTool;
        request.install = AskedPackages{u"pypi.org"_s, {u"branch 1.5"_s, u"leaf 2.0"_s}, {}};
        QList<AskRow> rows = rowsOf(request, {});
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0].value, u"branch 1.5, leaf 2.0"_s);
        QCOMPARE(rows[0].note, u"from pypi.org"_s);
        request.install->doubtful = {u"requestz (like requests)"_s};
        rows = rowsOf(request, {});
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[1].value, u"requestz (like requests)"_s);
        QVERIFY(askTitle(request, u"Robot"_s).startsWith(u"Robot wants to install"));
        request.install->scripted = {u"leaf"_s};
        rows = rowsOf(request, {});
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows[2].value, u"leaf"_s);
        request.install->scripted.clear();
        request.install->scripts = {u"branch 1.5"_s};
        rows = rowsOf(request, {});
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows[2].value, u"branch 1.5"_s);
        QCOMPARE(rows[2].note, u"install scripts that run, sealed and without a network"_s);
        request.install->scripts.clear();
        request.install->built = u"leaf 2.0 with setuptools 68.1"_s;
        rows = rowsOf(request, {});
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows[1].value, u"leaf 2.0 with setuptools 68.1"_s);
        QVERIFY(rows[1].isNew);
        QVERIFY(askTitle(request, u"Robot"_s).startsWith(u"Robot wants to build"));
    }

    void whatAClientWroteStaysText_data()
    {
        QTest::addColumn<QString>("evil");
        QTest::newRow("bidi") << u"\u202egnp.exe\u2066"_s;
        QTest::newRow("1 MB") << QString(1'000'000, u'x');
        QTest::newRow("1 MB of nothing") << QString(1'000'000, QChar(0x200b));
        QTest::newRow("escapes") << u"\x1b[2J\x1b]0;title\a"_s;
        QTest::newRow("lines") << u"a\r\nNetwork: none\u2028b\tc"_s;
        QTest::newRow("markup") << u"<b>Deny</b><img src='file:///etc/passwd'>&amp;"_s;
        QTest::newRow("half a character") << QString(QChar(0xd800)) + u"x"_s;
        QTest::newRow("NUL") << u"a"_s + QChar(QChar::Null) + u"b"_s;
    }
    void whatAClientWroteStaysText()
    {
        QFETCH(QString, evil);
        const ApprovalRequest request = hostileRequest(evil);
        QStringList shown{askTitle(request, {}), askTitle(request, evil), askOrigin(request.caller, {}),
                          wantsInShort(request), callerName(request.caller, {})};
        shown << askOrigin(request.caller, {}, evil);
        for (const AskRow &row : rowsOf(request, {{evil, Text("%1", {evil})}}))
            shown << row.title << row.value << row.note << row.obstacle;
        for (const Want &want : request.wants)
            shown << wantWords(want);
        for (const QString &text : std::as_const(shown)) {
            QVERIFY2(text.size() < 20'000, qPrintable(QString::number(text.size())));
            for (const uint character : text.toUcs4())
                QVERIFY2(!isHiddenCharacter(character) && character != '\n' && character != '\r', qPrintable(text));
        }
        for (const ShownCode &code : {shownCodeOf(request), shownFileOf(request.files.first())}) {
            QVERIFY(code.text.size() <= 1'200'000);
            for (const uint character : code.text.toUcs4())
                QVERIFY(!isHiddenCharacter(character));
        }
    }

    void whereItComesFromIsSaid()
    {
        const Caller caller{.kind = Caller::Kind::Mcp,
                            .pid = 7,
                            .program = u"/usr/bin/codex"_s,
                            .claimed = u"Codex"_s,
                            .folder = u"/home/ann/shop"_s};
        QCOMPARE(askOrigin(caller, {}),
                 u"Process 7, /usr/bin/codex, started in /home/ann/shop. The name is the program's own claim."_s);
        QVERIFY(askOrigin(caller, {}, u"/tmp/x"_s).endsWith(u"The environment has moved Glovebox's files to /tmp/x."));
    }

    void whatCantBeGrantedComesFirst()
    {
        ApprovalRequest request;
        request.policy.allow = {u"example.org"_s};
        request.secrets = {{u"GITHUB"_s, {}, false}};
        request.wants = wantsOf(request, {});
        QCOMPARE(rowsOf(request).first().title, u"Network"_s);
        const QList<AskRow> rows = rowsOf(request, {{u"GITHUB"_s, Text("There is none.")}, {u"OTHER"_s, Text("No.")}});
        QCOMPARE(rows.first().title, u"Keys"_s);
        QCOMPARE(rows.first().obstacle, u"There is none."_s);
        QVERIFY(rows[1].obstacle.isEmpty());
    }

    void aFileThatIsNoTextSaysSo()
    {
        QVERIFY(shownFileOf({"a.txt", "caf\xc3\xa9"}).sentences.isEmpty());
        QCOMPARE(shownFileOf({"a.bin", QByteArray("ELF\0", 4)}).sentences.size(), 2); // and hidden characters
        QCOMPARE(shownFileOf({"a.txt", "caf\xe9 au lait"}).sentences.size(), 1);
        QCOMPARE(shownFileOf({"a.txt", QByteArray(500'000, 'x')}).sentences.size(), 1); // not all of it
    }

    void whatIsNewComesFirstAndNoneIsSaid()
    {
        ApprovalRequest request;
        request.policy.limits.wall *= 2;
        request.wants = wantsOf(request, {});
        const QList<AskRow> rows = rowsOf(request);
        QCOMPARE(rows.first().title, u"Limits"_s);
        QVERIFY(rows.first().isNew);
        QCOMPARE(rows.first().value, limitPhrase(LimitKind::Wall, 60'000));
        for (const AskRow &row : rows.mid(1)) {
            QVERIFY(!row.isNew);
            QVERIFY2(row.value == u"none"_s, qPrintable(row.title));
        }
    }

    void aCellNamesWhoElseCanUseWhatIsAllowed()
    {
        ApprovalRequest request;
        request.session = u"shop"_s;
        QVERIFY(!rowsOf(request).first().note.contains(u"earlier code"_s));
        request.isStateful = true;
        QCOMPARE(rowsOf(request).first().title, u"Session"_s);
        QVERIFY(rowsOf(request).first().note.contains(u"earlier code"_s));
    }

    void longCodeSaysSo()
    {
        ApprovalRequest request;
        request.code = QByteArray("x = 1\n").repeated(200'000);
        const ShownCode shown = shownCodeOf(request);
        QVERIFY(shown.text.size() < 110'000);
        QCOMPARE(shown.sentences.size(), 1);
        QVERIFY2(shown.sentences.first().startsWith(u"Not all of the code is shown"),
                 qPrintable(shown.sentences.first()));
        request.code = QByteArray(5'000, 'x') + "; import os";
        QCOMPARE(shownCodeOf(request).sentences.size(), 1);
        request.code = "print(1)";
        QVERIFY(shownCodeOf(request).sentences.isEmpty());
    }

    // A host isn't passed over for a little more time.
    void inShortTheWeightiestIsNamed()
    {
        ApprovalRequest request;
        QCOMPARE(wantsInShort(request), QString());
        request.wants = {{Want::Kind::Limit, u"wall_ms"_s, 60'000, {}}};
        QCOMPARE(wantsInShort(request), wantWords(request.wants.first()));
        request.wants += {{Want::Kind::Host, u"example.org"_s, {}, {}}, {Want::Kind::Secret, u"GITHUB"_s, {}, {}}};
        QCOMPARE(wantsInShort(request), u"host example.org and 2 more"_s);
    }

    // What is kept is what the grant covers, and no more is said; the page of agents has grants of paired ones alone.
    void theReachOfAnAnswerIsSaid()
    {
        ApprovalRequest request;
        QVERIFY(reachWords(request).endsWith(u"The others end when the program disconnects."_s));
        request.caller.pairing = u"p"_s;
        QVERIFY(reachWords(request).endsWith(u"whatever the code. You can take them back on the Agents page."_s));
        request.tool = u"install_packages"_s;
        request.install = AskedPackages{u"pypi.org"_s, {u"numpi 1"_s}, {}, {}};
        QVERIFY(reachWords(request).contains(u"keep the index, whatever its packages"_s));
        request.install->scripts = {u"numpi 1"_s};
        QVERIFY(reachWords(request).contains(u"keep the index where just these install scripts run."_s));
        request.install->scripts.clear();
        request.install->doubtful = {u"numpi (like numpy)"_s};
        QVERIFY(!reachWords(request).contains(u"whatever"_s));
        request.install->built = u"numpi 1, of a source with the SHA-256 00"_s;
        QVERIFY(reachWords(request).contains(u"keep exactly this build"_s));
    }

    void longWordsCanBeBroken()
    {
        const QString host = QString(200, u'a') + u".evil.example"_s;
        QString broken = breakable(host);
        QVERIFY(broken.count(QChar(0x200b)) >= 15);
        QCOMPARE(broken.remove(QChar(0x200b)), host);
        QCOMPARE(breakable(u"a short one"_s), u"a short one"_s);
    }

    void timeIsCountedInSeconds()
    {
        QCOMPARE(timeLeft(std::chrono::milliseconds(288'000)), u"4:48"_s);
        QCOMPARE(timeLeft(std::chrono::milliseconds(100)), u"0:01"_s);
        QCOMPARE(timeLeft(std::chrono::milliseconds(-5)), u"0:00"_s);
    }
};

GLOVEBOX_TEST_MAIN(TestAskWords)
#include "tst_askwords.moc"
