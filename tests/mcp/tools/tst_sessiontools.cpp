// SPDX-License-Identifier: Apache-2.0
// An agent keeps files between its runs, goes back, and never sees another's.
#include "toolfixture.h"

#include "engine/mcp/tools/jsonschema.h"

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;

class TestSessionTools : public ToolFixture
{
    Q_OBJECT

    QString create(QJsonObject more = {})
    {
        more[u"action"_s] = u"create"_s;
        return answer(u"session"_s, more)["sessions"_L1][0]["id"_L1].toString();
    }
    QJsonObject files(const QString &action, const QString &session, QJsonObject more = {})
    {
        more[u"action"_s] = action;
        more[u"session"_s] = session;
        return answer(u"files"_s, more);
    }

private Q_SLOTS:
    void cleanup() { close(); }

    void filesLastBetweenRunsAndCanBeGoneBackFrom()
    {
        open();
        const QString session = create({{u"name"_s, u"work"_s}, {u"disk_mb"_s, 16}});
        QVERIFY(isId(session));
        files(u"write"_s, session, {{u"path"_s, u"data/in.txt"_s}, {u"content"_s, u"gr\u00fc\u00df"_s}});
        files(u"write"_s, session,
              {{u"path"_s, u"data/raw"_s}, {u"content"_s, u"AAH/"_s}, {u"encoding"_s, u"base64"_s}});
        const QJsonObject first = run(u"python"_s,
                                      u"print(open('data/in.txt').read(), open('data/raw', 'rb').read())\n"
                                      "open('out.csv', 'w').write('a,b')"_s,
                                      {{u"session"_s, session}});
        QCOMPARE(first["stdout"_L1].toString(), u"gr\u00fc\u00df b'\\x00\\x01\\xff'\n"_s);
        const QJsonObject read = files(u"read"_s, session, {{u"path"_s, u"out.csv"_s}});
        QCOMPARE(read["content"_L1].toString(), u"a,b"_s);
        QVERIFY(read["next_offset"_L1].isNull());
        const QJsonObject piece =
            files(u"read"_s, session, {{u"path"_s, u"data/raw"_s}, {u"offset"_s, 1}, {u"max"_s, 1}});
        QCOMPARE(piece["content"_L1].toString(), u"\x01"_s);
        QCOMPARE(piece["next_offset"_L1].toInt(), 2);
        QCOMPARE(files(u"list"_s, session)["files"_L1].toArray().size(), 4);
        QCOMPARE(files(u"list"_s, session, {{u"path"_s, u"data"_s}})["files"_L1].toArray().size(), 3);
        files(u"remove"_s, session, {{u"path"_s, u"data"_s}});
        QCOMPARE(files(u"list"_s, session)["files"_L1].toArray().size(), 1);
        answer(u"session"_s, {{u"action"_s, u"rollback"_s}, {u"session"_s, session}});
        QCOMPARE(files(u"list"_s, session)["files"_L1].toArray().size(), 4);
        QCOMPARE(answer(u"session"_s, {{u"action"_s, u"snapshots"_s}, {u"session"_s, session}})["snapshots"_L1]
                     .toArray()
                     .size(),
                 6);
        const QString fork =
            answer(u"session"_s,
                   {{u"action"_s, u"fork"_s}, {u"session"_s, session}, {u"snapshot"_s, 4}})["sessions"_L1][0]["id"_L1]
                .toString();
        QVERIFY(isId(fork) && fork != session);
        QCOMPARE(answer(u"session"_s, {{u"action"_s, u"list"_s}})["sessions"_L1].toArray().size(), 2);
        answer(u"session"_s, {{u"action"_s, u"delete"_s}, {u"session"_s, session}});
        QCOMPARE(call(u"files"_s, {{u"action"_s, u"list"_s}, {u"session"_s, session}}).error().code,
                 ErrorCode::NotFound);
        QCOMPARE(complaintsAboutAnswers(), "");
    }

    void aTextComesInPiecesOfText()
    {
        open();
        const QString session = create();
        const QString text = QString(u"a\u00e9\u20ac\U0001f600"_s).repeated(20);
        files(u"write"_s, session, {{u"path"_s, u"t"_s}, {u"content"_s, text}});
        for (const int most : {4, 5, 7, 64}) {
            QString read;
            for (qint64 at = 0;;) {
                const QJsonObject piece =
                    files(u"read"_s, session, {{u"path"_s, u"t"_s}, {u"offset"_s, at}, {u"max"_s, most}});
                QCOMPARE(piece["encoding"_L1].toString(), u"utf-8"_s);
                read += piece["content"_L1].toString();
                if (piece["next_offset"_L1].isNull())
                    break;
                QVERIFY(piece["next_offset"_L1].toInteger() > at);
                at = piece["next_offset"_L1].toInteger();
            }
            QCOMPARE(read, text);
        }
        // Less than a character can't be text.
        const QJsonObject part = files(u"read"_s, session, {{u"path"_s, u"t"_s}, {u"offset"_s, 1}, {u"max"_s, 1}});
        QCOMPARE(part["encoding"_L1].toString(), u"base64"_s);
        QCOMPARE(part["next_offset"_L1].toInt(), 2);
    }

    void whereNothingWasChangedNothingIsUndone()
    {
        open();
        const QString session = create();
        const auto undone = call(u"session"_s, {{u"action"_s, u"rollback"_s}, {u"session"_s, session}});
        QVERIFY(!undone);
        QVERIFY(undone.error().message.english().startsWith(u"Nothing was changed in the session yet"_s));
        QCOMPARE(m_engine->changeSession(session, RollBack{0}, {}).error().code, ErrorCode::NotFound);
    }

    // Neither how many others have, nor what they call them.
    void sessionsOfOthersAreNotTold()
    {
        open();
        const auto fill = [&] {
            for (int i = 0; i < 16; ++i)
                QVERIFY(isId(create({{u"disk_mb"_s, 1}, {u"name"_s, u"shop-%1"_s.arg(i)}})));
            const auto refused = call(u"session"_s, {{u"action"_s, u"create"_s}});
            QVERIFY(!refused);
            QVERIFY2(refused.error().message.english().startsWith(u"You have 16 sessions already"_s),
                     qPrintable(refused.error().message.english()));
        };
        QVERIFY(m_engine->createSession({.name = u"shop-0"_s}, {}));
        for (int client = 0; client < 4; ++client) {
            m_client = newClient(); // knows none of the others
            fill();
        }
        const Caller first = m_client->caller;
        m_client = newClient();
        const auto refused = call(u"session"_s, {{u"action"_s, u"create"_s}});
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.english().startsWith(u"Agents without a pairing can create no more"_s),
                 qPrintable(refused.error().message.english()));
        auto paired = first;
        paired.pairing = u"0190a000-0000-7000-8000-000000000001"_s;
        m_client = std::make_unique<Client>(paired);
        fill();
        // Its own names it is told.
        const QString one = answer(u"session"_s, {{u"action"_s, u"list"_s}})["sessions"_L1][0]["id"_L1].toString();
        answer(u"session"_s, {{u"action"_s, u"delete"_s}, {u"session"_s, one}});
        const QString left = answer(u"session"_s, {{u"action"_s, u"list"_s}})["sessions"_L1][0]["name"_L1].toString();
        QVERIFY(!call(u"session"_s, {{u"action"_s, u"create"_s}, {u"name"_s, left}}));
    }

    void sessionsOfOthersAreNoSessions()
    {
        open();
        const QString session = create();
        const auto persons = m_engine->createSession({.name = u"mine"_s}, {});
        auto paired = m_client->caller;
        paired.pairing = u"0190a000-0000-7000-8000-000000000001"_s;
        m_client = std::make_unique<Client>(paired);
        QCOMPARE(answer(u"session"_s, {{u"action"_s, u"list"_s}})["sessions"_L1].toArray().size(), 0);
        const QString own = create();
        for (const QString &other :
             {session, persons->id, u"mine"_s, u"../"_s + session, u"0190a000-0000-7000-8000-000000000009"_s}) {
            for (const QString &action : {u"status"_s, u"snapshots"_s, u"rollback"_s, u"fork"_s, u"delete"_s}) {
                const auto reply = call(u"session"_s, {{u"action"_s, action}, {u"session"_s, other}});
                QVERIFY(!reply);
                QCOMPARE(reply.error().code, ErrorCode::NotFound);
            }
            QCOMPARE(call(u"files"_s, {{u"action"_s, u"list"_s}, {u"session"_s, other}}).error().code,
                     ErrorCode::NotFound);
            const QJsonObject refused = run(u"sh"_s, u"ls"_s, {{u"session"_s, other}});
            QCOMPARE(refused["outcome"_L1].toString(), u"rejected"_s);
        }
        // Who isn't paired sees what this connection knows, and the same id from an earlier one.
        m_client = newClient();
        QCOMPARE(answer(u"session"_s, {{u"action"_s, u"list"_s}})["sessions"_L1].toArray().size(), 0);
        QVERIFY(call(u"session"_s, {{u"action"_s, u"status"_s}, {u"session"_s, session}}));
        QCOMPARE(answer(u"session"_s, {{u"action"_s, u"list"_s}})["sessions"_L1].toArray().size(), 1);
        QVERIFY(!call(u"session"_s, {{u"action"_s, u"status"_s}, {u"session"_s, own}}));
    }

    void anInterpreterStays()
    {
        open();
        const QString session = create();
        const QJsonObject cell{{u"session"_s, session}, {u"stateful"_s, true}};
        const QJsonObject first = run(u"python"_s, u"x = 41; open('f', 'w').write('kept')"_s, cell);
        QCOMPARE(first["outcome"_L1].toString(), u"completed"_s);
        const QString notes = QString::fromUtf8(QJsonDocument(first["session_notes"_L1].toArray()).toJson());
        QVERIFY2(notes.contains(u"A new interpreter was started"_s) && notes.contains(u"added 1"_s), qPrintable(notes));
        const QJsonObject second = run(u"python"_s, u"x + 1"_s, cell);
        QCOMPARE(second["stdout"_L1].toString(), u"42\n"_s);
        QCOMPARE(second["session_notes"_L1].toArray().size(), 0);
        QCOMPARE(first["value"_L1], QJsonValue(u"4"_s)); // of write()
        QCOMPARE(second["value"_L1], QJsonValue(u"42"_s));
        QCOMPARE(second["value_truncated"_L1], QJsonValue(false));
        const auto waited = call(u"wait_run"_s, {{u"run"_s, second["run"_L1]}});
        QVERIFY(waited);
        QCOMPARE(waited->structured["value"_L1], QJsonValue(u"42"_s));
        QVERIFY2(waited->text.contains(u"\n\nvalue:\n42"_s), qPrintable(waited->text));
        QCOMPARE(run(u"python"_s, u"1"_s, {{u"stateful"_s, true}})["outcome"_L1].toString(), u"rejected"_s);
    }

    // By whole characters; and more of it is in the output.
    void ofALargeValueTheBeginningIsAnswered()
    {
        open();
        const QJsonObject cell{{u"session"_s, create()}, {u"stateful"_s, true}};
        const auto reply =
            call(u"run_code"_s, schema::with(cell, {{u"language"_s, u"python"_s}, {u"code"_s, u"'\u00fc' * 5000"_s}}));
        QVERIFY(reply);
        QCOMPARE(reply->structured["value"_L1], QJsonValue(u'\'' + QString(4095, u'\u00fc')));
        QCOMPARE(reply->structured["value_truncated"_L1], QJsonValue(true));
        QVERIFY2(reply->text.contains(u"beginning of the value:\n'\u00fc"_s), qPrintable(reply->text));
        QCOMPARE(run(u"node"_s, u"({ a: 1n })"_s, cell)["value"_L1], QJsonValue(u"{ a: 1n }"_s));
        QVERIFY(run(u"python"_s, u"print(1)\n1"_s)["value"_L1].isNull());
    }

    // What was allowed was allowed for the files that were there.
    void anApprovalIsForTheFilesThatWereThere()
    {
        open();
        const QString session = create();
        files(u"write"_s, session, {{u"path"_s, u"helper.py"_s}, {u"content"_s, u"x = 1"_s}});
        run(u"sh"_s, u"echo x > beside"_s, {{u"session"_s, session}, {u"parallel"_s, true}});
        QCOMPARE(m_engine->sessions().find(session)->head, 2); // and not what a parallel run left
        m_approver->isSilent = true;
        const QJsonObject plan =
            run(u"python"_s, u"import helper"_s,
                {{u"session"_s, session}, {u"allow"_s, QJsonArray{u"example.org"_s}}, {u"dry_run"_s, true}});
        QCOMPARE(plan["dry_run"_L1]["verdict"_L1].toString(), u"asks_the_person"_s);
        RunRequest request;
        request.caller = m_client->caller;
        request.language = u"python"_s;
        request.code = "import helper";
        request.policy = m_engine->settings().policy();
        request.session = session;
        request.sessionTree = m_engine->sessions().find(session)->digest();
        files(u"write"_s, session, {{u"path"_s, u"helper.py"_s}, {u"content"_s, u"x = 2"_s}});
        QVERIFY(m_engine->start(request)->wait()->outcome == Outcome::Completed); // nothing was asked for it
        request.policy.allow = {u"example.org:443"_s};
        m_approver->isSilent = false;
        const auto changed = m_engine->start(request)->wait();
        QVERIFY(changed->outcome == Outcome::Rejected);
        QVERIFY2(changed->reason.english().contains(u"have changed"_s), qPrintable(changed->reason.english()));
    }

    void whatIsTooMuchIsRefusedWithASentence()
    {
        open();
        for (int i = 0; i < 16; ++i)
            create();
        const auto reply = call(u"session"_s, {{u"action"_s, u"create"_s}});
        QVERIFY(!reply);
        QVERIFY(reply.error().message.english().contains(u"16 sessions"_s));
        QVERIFY(!call(u"session"_s, {{u"action"_s, u"create"_s}, {u"disk_mb"_s, 1025}}));
        QVERIFY(!call(u"session"_s, {{u"action"_s, u"create"_s}, {u"name"_s, u"../x"_s}}));
        const QString session = answer(u"session"_s, {{u"action"_s, u"list"_s}})["sessions"_L1][0]["id"_L1].toString();
        for (const QString &path : {u"../x"_s, u"/etc/passwd"_s, u""_s, u"a//b"_s})
            QVERIFY(
                !call(u"files"_s,
                      {{u"action"_s, u"write"_s}, {u"session"_s, session}, {u"path"_s, path}, {u"content"_s, u"x"_s}}));
        QVERIFY(!call(u"files"_s, {{u"action"_s, u"read"_s}, {u"session"_s, session}, {u"path"_s, u"none"_s}}));
        QVERIFY(!call(u"files"_s, {{u"action"_s, u"write"_s},
                                   {u"session"_s, session},
                                   {u"path"_s, u"x"_s},
                                   {u"content"_s, u"A*"_s},
                                   {u"encoding"_s, u"base64"_s}}));
    }
};

QTEST_GUILESS_MAIN(TestSessionTools)
#include "tst_sessiontools.moc"
