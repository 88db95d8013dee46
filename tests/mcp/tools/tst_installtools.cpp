// SPDX-License-Identifier: Apache-2.0
// An agent gets packages on the person's word: into a session, or for one run. From an index in the test internet.
#include "talk.h"
#include "toolfixture.h"

#include "tests/support/testinternet/testinternet.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QStandardPaths>

#include <thread>

#include <unistd.h>

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QString importsIt = u"import branch; branch.main()"_s;
const QString notHere = u"No module named 'branch'"_s;

} // namespace

class TestInstallTools : public ToolFixture
{
    Q_OBJECT

    QString create()
    {
        return answer(u"session"_s, {{u"action"_s, u"create"_s}})["sessions"_L1][0]["id"_L1].toString();
    }
    static QJsonObject wanted(const QString &session, const QStringList &packages)
    {
        return {{u"session"_s, session}, {u"packages"_s, QJsonArray::fromStringList(packages)}};
    }
    Result<ToolReply> install(const QString &session, const QStringList &packages)
    {
        return call(u"install_packages"_s, wanted(session, packages));
    }
    QString why(const Result<ToolReply> &reply) { return reply ? QString() : reply.error().message.english(); }
    ApprovalRequest asked()
    {
        const std::lock_guard lock(m_approver->mutex);
        return m_approver->last;
    }
    qsizetype sessions() { return m_engine->sessions().list()->size(); }

private Q_SLOTS:
    void initTestCase()
    {
        for (const QString &index : {u"sources.py"_s, u"registry.py"_s}) {
            QProcess python;
            python.start(u"/usr/bin/python3"_s,
                         {u"-B"_s, QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/engine/packages/") + index,
                          QFileInfo(qEnvironmentVariable("TEST_INTERNET_LOG")).path()});
            QVERIFY(python.waitForFinished(60'000));
            QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
        }
    }
    void init() { open(); }
    void cleanup()
    {
        const QString data = m_home->path() + u"/data"_s;
        close();
        if (::geteuid() == 0)
            static_cast<void>(removeTree(u"/var/lib/glovebox/packages-"_s
                                         + QString::fromLatin1(sha256({QFile::encodeName(data)}).toHex().first(16))));
    }

    void aSessionGetsPackagesOnThePersonsWord()
    {
        const QString session = create();
        TestCall prepared = this->prepared(wanted(session, {u"branch"_s}));
        const auto reply = call(u"install_packages"_s, prepared);
        QVERIFY2(reply, qPrintable(why(reply)));
        QCOMPARE(reply->structured[u"state"_s].toString(), u"installed"_s);
        QCOMPARE(reply->structured[u"packages"_s].toArray(), (QJsonArray{u"branch 1.5"_s, u"leaf 2.0"_s}));
        QVERIFY(std::ranges::any_of(prepared.told(),
                                    [](const auto &line) { return line.second.startsWith(u"fetching "); }));
        QCOMPARE(m_approver->asked, 1); // about the packages, not about the runs that get them
        const ApprovalRequest question = asked();
        QCOMPARE(question.install->source, u"pypi.org"_s);
        QCOMPARE(question.install->packages, (QStringList{u"branch 1.5"_s, u"leaf 2.0"_s}));
        QCOMPARE(wordsOf(question.wants), u"packages from pypi.org"_s);
        QVERIFY2(question.code.contains(reply->structured[u"lock"_s].toString().toUtf8()), question.code);
        QCOMPARE(run(u"python"_s, importsIt, {{u"session"_s, session}})[u"stdout"_s].toString(), u"branch 2.0\n"_s);
        QVERIFY(run(u"python"_s, importsIt)[u"stderr"_s].toString().contains(notHere));
        QCOMPARE(sessions(), 1);

        const auto less = install(session, {u"leaf<2"_s});
        QVERIFY2(less, qPrintable(why(less)));
        QCOMPARE(run(u"python"_s, importsIt, {{u"session"_s, session}})[u"stdout"_s].toString(), u"branch 1.0\n"_s);
        const auto none =
            call(u"install_packages"_s, {{u"session"_s, session}, {u"remove"_s, QJsonArray{u"branch"_s, u"leaf"_s}}});
        QVERIFY2(none, qPrintable(why(none)));
        QCOMPARE(none->structured[u"packages"_s].toArray(), QJsonArray());
        QCOMPARE(complaintsAboutAnswers(), "");
    }

    // In a revision with a handshake and in one without: there the same call comes again with the answer.
    void theClientIsAskedAboutThem()
    {
        m_throughClient = std::make_shared<ClientApprover>([](const ApprovalRequest &request) {
            return request.install ? request.install->packages.join(u", "_s) : u"no packages"_s;
        });
        const auto forget = qScopeGuard([this] { m_throughClient.reset(); });
        open();
        Server server(gloveboxCatalogue(), *m_engine);
        Talk talk(server, *m_client, u"2025-11-25"_s, {{u"elicitation"_s, QJsonObject()}});
        const QJsonObject yes{{u"action"_s, u"accept"_s},
                              {u"content"_s, QJsonObject{{u"answer"_s, u"allow this once"_s}}}};
        const auto callOf = [](const QString &package) {
            return QJsonObject{{u"name"_s, u"run_code"_s},
                               {u"arguments"_s, QJsonObject{{u"language"_s, u"python"_s},
                                                            {u"code"_s, u"print('here')"_s},
                                                            {u"with"_s, QJsonArray{package}}}}};
        };
        const auto ended = [](const QJsonObject &answer) {
            return answer["result"_L1]["structuredContent"_L1]["outcome"_L1].toString();
        };
        const QString question = u"elicitation/create"_s;
        int call = talk.send(u"tools/call"_s, callOf(u"leaf"_s));
        QJsonObject asked = talk.asked(question);
        QCOMPARE(asked["params"_L1]["message"_L1].toString(), u"leaf 2.0"_s);
        talk.answer(asked, u"result"_s, {{u"action"_s, u"decline"_s}});
        QCOMPARE(ended(talk.answerTo(call)), u"denied"_s);
        call = talk.send(u"tools/call"_s, callOf(u"leaf"_s));
        talk.answer(talk.asked(question, 1), u"result"_s, yes);
        QCOMPARE(ended(talk.answerTo(call)), u"completed"_s);

        QJsonObject modern = callOf(u"branch"_s);
        modern[u"_meta"_s] = QJsonObject{
            {u"io.modelcontextprotocol/protocolVersion"_s, u"2026-07-28"_s},
            {u"io.modelcontextprotocol/clientCapabilities"_s, QJsonObject{{u"elicitation"_s, QJsonObject()}}}};
        const QJsonObject asks = talk.ask(u"tools/call"_s, modern)["result"_L1].toObject();
        QCOMPARE(asks["resultType"_L1].toString(), u"input_required"_s);
        const QJsonObject questions = asks["inputRequests"_L1].toObject();
        QCOMPARE(questions.begin().value()["params"_L1]["message"_L1].toString(), u"branch 1.5, leaf 2.0"_s);
        modern[u"requestState"_s] = asks["requestState"_L1];
        modern[u"inputResponses"_s] = QJsonObject{{questions.keys().first(), yes}};
        QCOMPARE(ended(talk.ask(u"tools/call"_s, modern)), u"completed"_s);
        QCOMPARE(talk.count(question), 2);
        m_client->installations.close();
    }

    void whoSaysNoIsObeyed()
    {
        const QString session = create();
        m_approver->says = false;
        const auto reply = install(session, {u"branch"_s});
        QCOMPARE(reply.error().code, ErrorCode::PermissionDenied);
        QCOMPARE(why(reply),
                 u"Nothing was installed. The person would have to allow packages from pypi.org: branch 1.5, "
                 "leaf 2.0. The person said no."_s);
        const QJsonObject denied = run(u"python"_s, importsIt, {{u"with"_s, QJsonArray{u"branch"_s}}});
        QCOMPARE(denied[u"outcome"_s].toString(), u"denied"_s);
        QVERIFY2(denied[u"reason"_s].toString().contains(u"would have to allow packages from pypi.org"),
                 QJsonDocument(denied).toJson());
        QCOMPARE(m_approver->asked, 2);
        QVERIFY(run(u"python"_s, importsIt, {{u"session"_s, session}})[u"stderr"_s].toString().contains(notHere));
        QCOMPARE(sessions(), 1);
    }

    void whatIsTurnedOffReachesNoIndex()
    {
        const QString session = create();
        const QJsonObject with{{u"with"_s, QJsonArray{u"branch"_s}}};
        QCOMPARE(run(u"python"_s, importsIt, with)[u"stdout"_s].toString(), u"branch 2.0\n"_s); // are there from now on
        const InternetLog log;
        for (const QString &name : {u"packages"_s, u"install_packages"_s, u"paused"_s}) {
            QVERIFY(m_engine->settings().store(u"mcp."_s + name, name == u"paused"_s ? u"true"_s : u"off"_s));
            for (const char16_t *packages : {u"branch", u"trojan"})
                QCOMPARE(install(session, {QString::fromUtf16(packages)}).error().code, ErrorCode::PermissionDenied);
            QCOMPARE(run(u"python"_s, importsIt, with)[u"outcome"_s].toString(), u"denied"_s);
            QVERIFY(m_engine->settings().store(u"mcp."_s + name, name == u"paused"_s     ? u"false"_s
                                                                 : name == u"packages"_s ? u"asks"_s
                                                                                         : u"on"_s));
        }
        QCOMPARE(m_approver->asked, 1);
        QVERIFY(log.lines().join().isEmpty());
    }

    void doubtfulNamesAreAskedAboutEachTime()
    {
        ApprovalRequest usual{.caller = m_client->caller, .tool = QString(installTool)};
        usual.install = AskedPackages{u"pypi.org"_s, {u"leaf 2.0"_s}, {}};
        ApprovalRequest doubtful = usual;
        doubtful.install->doubtful = {u"requestz (like requests)"_s};
        QVERIFY(!covers(wantsOf(usual, {}).first(), wantsOf(doubtful, {}).first()));
        QVERIFY(approvalDigest(usual) != approvalDigest(doubtful));
        const auto reply = install(create(), {u"requestz"_s});
        QVERIFY2(reply, qPrintable(why(reply)));
        QCOMPARE(asked().install->doubtful, QStringList{u"requestz (like requests)"_s});
        QVERIFY(wordsOf(asked().wants).contains(u"requestz"));
    }

    void aNamedSourceIsBuiltOnThePersonsWord()
    {
        open({u"GLOVEBOX_PACKAGES_INDEX=https://www.allowed.test/private"_s});
        const QString session = create();
        QJsonObject asking = wanted(session, {u"plainsource"_s});
        const QString unnamed = why(call(u"install_packages"_s, asking));
        QVERIFY2(unnamed.contains(u"allow_source"), qPrintable(unnamed));
        QCOMPARE(m_approver->asked, 0);
        asking[u"allow_source"_s] = QJsonArray{u"plainsource"_s};
        m_approver->says = false;
        const auto refused = call(u"install_packages"_s, asking);
        QCOMPARE(refused.error().code, ErrorCode::PermissionDenied);
        const QString build = u"plainsource 1.0 with tinybuild 3.1, of a source with the SHA-256 "_s;
        QVERIFY2(why(refused).startsWith(u"Nothing was installed. The person would have to allow that this is built "
                                         "from source, sealed and without a network: "_s
                                         + build)
                     && why(refused).endsWith(u". The person said no."),
                 qPrintable(why(refused)));
        QCOMPARE(m_approver->asked, 1);
        const ApprovalRequest question = asked();
        QVERIFY(question.install->built.startsWith(build) && question.code.contains(question.install->built.toUtf8()));
        ApprovalRequest usual = question;
        usual.install->built.clear();
        QVERIFY(!covers(wantsOf(usual, {}).first(), wantsOf(question, {}).first()));
        QVERIFY(approvalDigest(usual) != approvalDigest(question));
        m_approver->says = true;
        const auto reply = call(u"install_packages"_s, asking);
        QVERIFY2(reply, qPrintable(why(reply)));
        QCOMPARE(m_approver->asked, 3); // about the build, and about what is to be installed
        QVERIFY(asked().install->built.isEmpty());
        QCOMPARE(reply->structured[u"packages"_s].toArray(), (QJsonArray{u"plainsource 1.0"_s, u"leaf 1.0"_s}));
        const QString imports = u"import plainsource; print(plainsource.BUILT)"_s;
        QCOMPARE(run(u"python"_s, imports, {{u"session"_s, session}})[u"stdout"_s].toString(), u"True\n"_s);
        QCOMPARE(run(u"python"_s, imports,
                     {{u"with"_s, QJsonArray{u"plainsource"_s}},
                      {u"allow_source"_s, QJsonArray{u"plainsource"_s}}})[u"stdout"_s]
                     .toString(),
                 u"True\n"_s);
        QCOMPARE(m_approver->asked, 3); // what is there is read without a question
        for (const char16_t *name : {u"plainsource==1.0", u"plainsource leaf", u""}) {
            asking[u"allow_source"_s] = QJsonArray{QString::fromUtf16(name)};
            const auto wrong = call(u"install_packages"_s, asking);
            QCOMPARE(wrong.error().code, ErrorCode::InvalidInput);
        }
        QCOMPARE(complaintsAboutAnswers(), "");
    }

    void aRunHasPackagesOfItsOwn()
    {
        const QJsonObject first = run(u"python"_s, importsIt, {{u"with"_s, QJsonArray{u"branch"_s}}});
        QCOMPARE(first[u"stdout"_s].toString(), u"branch 2.0\n"_s);
        QCOMPARE(run(u"python"_s, importsIt, {{u"with"_s, QJsonArray{u"branch"_s}}})[u"stdout"_s].toString(),
                 u"branch 2.0\n"_s);
        QCOMPARE(m_approver->asked, 1); // who may read them was asked once
        const QJsonObject plan =
            run(u"python"_s, importsIt, {{u"with"_s, QJsonArray{u"branch"_s}}, {u"dry_run"_s, true}})[u"dry_run"_s]
                .toObject();
        QCOMPARE(plan[u"verdict"_s].toString(), u"allowed"_s);
        const QJsonObject unknown =
            run(u"python"_s, importsIt, {{u"with"_s, QJsonArray{u"leaf==1.0"_s}}, {u"dry_run"_s, true}});
        QVERIFY(unknown[u"reason"_s].toString().contains(u"aren't installed yet"));
        const QJsonObject hostile = run(u"python"_s, importsIt, {{u"with"_s, QJsonArray{u"--index-url=x"_s}}});
        QCOMPARE(hostile[u"outcome"_s].toString(), u"rejected"_s);
        QVERIFY(run(u"sh"_s, u"true"_s, {{u"with"_s, QJsonArray{u"branch"_s}}})[u"reason"_s].toString().contains(
            u"not for sh"));
        for (const QString &permission : {u"allow_source"_s, u"allow_scripts"_s}) {
            const QJsonObject useless = run(u"python"_s, u"1"_s, {{permission, QJsonArray{u"branch"_s}}});
            QCOMPARE(useless[u"outcome"_s].toString(), u"rejected"_s);
            QVERIFY(useless[u"reason"_s].toString().startsWith(u"\"%1\" has no effect without"_s.arg(permission)));
        }
    }

    void nodeHasPackagesToo()
    {
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            return qWarning("npm is not installed, and not tried.");
        open({u"GLOVEBOX_PACKAGES_NPM_INDEX=https://registry.npmjs.org/npm"_s});
        const QString code = u"console.log(require('branch'))"_s;
        QCOMPARE(run(u"node"_s, code, {{u"with"_s, QJsonArray{u"branch@1"_s}}})[u"stdout"_s].toString(),
                 u"branch on leaf 1.0.0\n"_s);
        QCOMPARE(asked().install->packages, (QStringList{u"branch 1.5.0"_s, u"leaf 1.0.0"_s}));
        QCOMPARE(asked().install->source, u"registry.npmjs.org"_s);
        const QString session = create();
        const auto reply =
            call(u"install_packages"_s,
                 {{u"session"_s, session}, {u"language"_s, u"node"_s}, {u"packages"_s, QJsonArray{u"branch"_s}}});
        QVERIFY2(reply, qPrintable(why(reply)));
        QCOMPARE(run(u"node"_s, code, {{u"session"_s, session}})[u"stdout"_s].toString(), u"branch on leaf 1.0.0\n"_s);
    }

    void installScriptsRunOnThePersonsWord()
    {
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            return; // as in nodeHasPackagesToo
        open({u"GLOVEBOX_PACKAGES_NPM_INDEX=https://registry.npmjs.org/npm"_s});
        const QString session = create();
        QJsonObject asking = wanted(session, {u"plain-script"_s});
        asking[u"language"_s] = u"node"_s;
        asking[u"allow_scripts"_s] = QJsonArray{u"plain-script"_s, u"plain"_s};
        m_approver->says = false;
        const auto refused = call(u"install_packages"_s, asking);
        QCOMPARE(refused.error().code, ErrorCode::PermissionDenied);
        QCOMPARE(asked().install->scripts, QStringList{u"plain-script 1.0.0"_s});
        QCOMPARE(wordsOf(asked().wants),
                 u"packages from registry.npmjs.org, running install scripts of: plain-script 1.0.0"_s);
        QVERIFY2(asked().code.contains("install_scripts_run"), asked().code);
        m_approver->says = true;
        const auto reply = call(u"install_packages"_s, asking);
        QVERIFY2(reply, qPrintable(why(reply)));
        QCOMPARE(reply->structured[u"next"_s].toString(),
                 u"Each run_code with this session can import them. \"allow_scripts\" had no effect on plain: no "
                 "package of that name ran an install script."_s);
        const QString code = u"console.log(require('plain-script'))"_s;
        QCOMPARE(run(u"node"_s, code, {{u"session"_s, session}})[u"stdout"_s].toString(), u"true\n"_s);
        QCOMPARE(m_approver->asked, 2);
        QCOMPARE(run(u"node"_s, code,
                     {{u"with"_s, QJsonArray{u"plain-script@1"_s}},
                      {u"allow_scripts"_s, QJsonArray{u"plain-script"_s}}})[u"stdout"_s]
                     .toString(),
                 u"true\n"_s);
        QVERIFY(!asked().install->scripts.isEmpty());
        // A session's own are installed again with the scripts that are allowed.
        const QString other = create();
        QJsonObject again = wanted(other, {u"plain-script@1.0"_s});
        again[u"language"_s] = u"node"_s;
        QVERIFY(call(u"install_packages"_s, again));
        again.remove(u"packages"_s);
        again[u"allow_scripts"_s] = QJsonArray{u"plain-script"_s};
        QVERIFY(call(u"install_packages"_s, again));
        QCOMPARE(run(u"node"_s, code, {{u"session"_s, other}})[u"stdout"_s].toString(), u"true\n"_s);
        for (const char16_t *name : {u"leaf@1", u"leaf branch", u"", u"../x"}) {
            asking[u"allow_scripts"_s] = QJsonArray{QString::fromUtf16(name)};
            QCOMPARE(call(u"install_packages"_s, asking).error().code, ErrorCode::InvalidInput);
        }
        asking = wanted(session, {u"branch"_s}); // of Python
        asking[u"allow_scripts"_s] = QJsonArray{u"branch"_s};
        QCOMPARE(call(u"install_packages"_s, asking).error().code, ErrorCode::InvalidInput);
        QCOMPARE(complaintsAboutAnswers(), "");
    }

    void cancellingEndsTheInstallation()
    {
        const QString session = create();
        m_approver->isSilent = true;
        TestCall waiting = prepared(wanted(session, {u"branch"_s}));
        std::jthread cancelling([&] {
            while (m_approver->asked == 0)
                std::this_thread::yield();
            waiting.cancel();
        });
        QCOMPARE(call(u"install_packages"_s, waiting).error().code, ErrorCode::Cancelled);
        QTRY_COMPARE(m_approver->withdrawn, 1);
        QTRY_COMPARE(sessions(), 1); // what was fetched is gone
        // While it fetches.
        TestCall fetching = prepared(wanted(session, {u"silent"_s}));
        std::jthread stopping([&] {
            const InternetLog log;
            while (!log.has("request https pypi.org GET /simple/silent/"))
                std::this_thread::sleep_for(5ms);
            fetching.cancel();
        });
        QCOMPARE(call(u"install_packages"_s, fetching).error().code, ErrorCode::Cancelled);
        QTRY_COMPARE(sessions(), 1);
    }

    void aLongInstallationGoesOnWithTheSameCall()
    {
        open({}, {.longestCall = 1ms});
        const QString session = create();
        int calls = 0;
        for (QString state; state != u"installed"_s; ++calls) {
            const auto reply = install(session, {u"branch"_s});
            QVERIFY2(reply, qPrintable(why(reply)));
            state = reply->structured[u"state"_s].toString();
        }
        QVERIFY(calls > 1);
        QCOMPARE(m_approver->asked, 1);
    }

    void sessionsOfOthersAreOutOfReach()
    {
        const auto persons = m_engine->createSession({.name = u"mine"_s}, {});
        QCOMPARE(install(persons->id, {u"branch"_s}).error().code, ErrorCode::NotFound);
        QCOMPARE(m_approver->asked, 0);
    }
};

GLOVEBOX_INTERNET_TEST_MAIN(TestInstallTools)
#include "tst_installtools.moc"
