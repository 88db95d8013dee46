// SPDX-License-Identifier: Apache-2.0
// Who watches a server is told of each call of a tool: that it began, with what it is about and nothing else, and how it ended.
#include "talk.h"
#include "toolfixture.h"

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;

namespace {

class Watcher : public CallWatcher
{
public:
    struct Seen
    {
        BegunCall begun;
        QString run;
        std::optional<EndedCall> end;
    };
    quint64 begun(const BegunCall &call) override
    {
        const std::lock_guard lock(m_mutex);
        m_seen.append({call, {}, {}});
        return quint64(m_seen.size());
    }
    void concerns(quint64 call, const QString &run) override
    {
        const std::lock_guard lock(m_mutex);
        m_seen[qsizetype(call) - 1].run = run;
    }
    void ended(quint64 call, const EndedCall &end) override
    {
        const std::lock_guard lock(m_mutex);
        m_endedTwice = m_endedTwice || m_seen[qsizetype(call) - 1].end;
        m_seen[qsizetype(call) - 1].end = end;
    }
    QList<Seen> seen() const
    {
        const std::lock_guard lock(m_mutex);
        return m_endedTwice ? QList<Seen>() : m_seen;
    }
    // Whose end comes after its answer.
    std::optional<EndedCall> lastEnd() const
    {
        std::ignore = QTest::qWaitFor([this] { return !seen().isEmpty() && seen().last().end; }, 20'000);
        return seen().isEmpty() ? std::nullopt : seen().last().end;
    }

private:
    mutable std::mutex m_mutex;
    QList<Seen> m_seen;
    bool m_endedTwice = false;
};

QJsonObject calling(const QString &tool, const QJsonObject &arguments)
{
    return {{u"name"_s, tool}, {u"arguments"_s, arguments}};
}

} // namespace

class TestCallWatcher : public ToolFixture
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void eachCallIsToldWithWhatItIsAbout()
    {
        open();
        const auto watcher = std::make_shared<Watcher>();
        Server server(gloveboxCatalogue(), *m_engine, watcher);
        Talk talk(server, *m_client);
        const QJsonObject code{{u"language"_s, u"sh"_s},
                               {u"code"_s, u"echo hidden; exit 3"_s},
                               {u"files"_s, QJsonArray{QJsonObject{{u"name"_s, u"f"_s}, {u"content"_s, u"hidden"_s}}}}};
        const QJsonObject ran = talk.ask(u"tools/call"_s, calling(u"run_code"_s, code));
        const QString run = ran["result"_L1]["structuredContent"_L1]["run"_L1].toString();
        QCOMPARE(watcher->lastEnd(), (EndedCall{EndedCall::How::Answered, Outcome::Failed, false, {}}));
        QCOMPARE(watcher->seen().last().begun.tool, u"run_code"_s);
        QCOMPARE(watcher->seen().last().begun.caller.claimed, u"t"_s);
        QCOMPARE(watcher->seen().last().begun.about, (QJsonObject{{u"language"_s, u"sh"_s}}));
        QCOMPARE(watcher->seen().last().run, run);
        talk.ask(u"tools/call"_s, calling(u"explain_run"_s, {{u"run"_s, run}}));
        QCOMPARE(watcher->lastEnd(), (EndedCall{.how = EndedCall::How::Answered}));
        QCOMPARE(watcher->seen().last().begun.about, (QJsonObject{{u"run"_s, run}}));
        // What isn't understood is told as refused, with the reason.
        talk.ask(u"tools/call"_s, calling(u"files"_s, {{u"action"_s, u"read"_s}, {u"path"_s, QString(999, u'x')}}));
        const auto refused = watcher->lastEnd();
        QVERIFY(refused && refused->how == EndedCall::How::Refused && !refused->why.isEmpty());
        QCOMPARE(watcher->seen().last().begun.about["path"_L1].toString().size(), aboutMax);
        // A tool that isn't there, and what is no call of a tool, are nobody's business.
        const qsizetype before = watcher->seen().size();
        talk.ask(u"tools/call"_s, calling(u"no_tool"_s, {}));
        talk.ask(u"tools/list"_s);
        QCOMPARE(watcher->seen().size(), before);
    }

    void aRefusedRunIsToldAsThat()
    {
        open();
        const auto watcher = std::make_shared<Watcher>();
        Server server(gloveboxCatalogue(), *m_engine, watcher);
        Talk talk(server, *m_client);
        m_approver->says = false;
        talk.ask(u"tools/call"_s,
                 calling(u"run_code"_s, {{u"language"_s, u"sh"_s}, {u"code"_s, u"1"_s}, {u"timeout"_s, 600}}));
        const auto denied = watcher->lastEnd();
        QVERIFY(denied);
        QVERIFY(denied->how == EndedCall::How::Refused);
        QVERIFY(denied->outcome == Outcome::Denied);
    }

    // While it waits, the run is named already; the client goes away, and the call with it.
    void aRunIsNamedBeforeItsEnd()
    {
        open();
        const auto watcher = std::make_shared<Watcher>();
        Server server(gloveboxCatalogue(), *m_engine, watcher);
        {
            Talk talk(server, *m_client);
            talk.send(u"tools/call"_s, calling(u"run_code"_s, {{u"language"_s, u"sh"_s}, {u"code"_s, endless}}));
            QTRY_VERIFY_WITH_TIMEOUT(!watcher->seen().isEmpty() && !watcher->seen().first().run.isEmpty(), 20'000);
            QVERIFY(!watcher->seen().first().end);
        }
        QCOMPARE(watcher->lastEnd(), (EndedCall{.how = EndedCall::How::Cancelled}));
    }

    void aTaskGoesOn()
    {
        open();
        const auto watcher = std::make_shared<Watcher>();
        Server server(gloveboxCatalogue(), *m_engine, watcher);
        Talk talk(server, *m_client);
        const QString task = talk.taskOf(endless);
        QVERIFY(!task.isEmpty());
        QCOMPARE(watcher->lastEnd(), (EndedCall{.how = EndedCall::How::Answered, .runGoesOn = true}));
        talk.about(u"tasks/cancel"_s, task);
    }
};

QTEST_GUILESS_MAIN(TestCallWatcher)
#include "tst_callwatcher.moc"
