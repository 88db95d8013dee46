// SPDX-License-Identifier: Apache-2.0
// Programs of Glovebox that pair at the same moment, on one real log.
#include "engine/approval/approval.h"

#include <QTemporaryDir>
#include <QtTest>

#include <future>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestPairingAtOnce : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aNameIsOfOneClient()
    {
        const QTemporaryDir home;
        const QString file = home.filePath(u"data/audit.db"_s);
        const auto settings = std::move(*Settings::load(home.filePath(u"settings.json"_s), {}));
        const auto inbox = std::make_shared<Inbox>();
        std::vector<std::unique_ptr<AuditLog>> logs;
        std::vector<std::unique_ptr<Approvals>> programs;
        for (const QString &engine : {u"engine-1"_s, u"engine-2"_s}) {
            logs.push_back(std::move(*AuditLog::open(file, engine, Clock::system())));
            programs.push_back(std::make_unique<Approvals>(Approvals::Rooms{.log = logs.back().get(),
                                                                            .whyReadOnly = {},
                                                                            .auditFile = file,
                                                                            .settings = settings.get(),
                                                                            .clock = &Clock::system(),
                                                                            .approver = inbox}));
        }
        for (int turn = 0; turn < 20; ++turn) {
            const QString name = u"twin %1"_s.arg(turn);
            std::vector<std::future<Result<NewPairing>>> answers;
            for (size_t i = 0; i < 4; ++i)
                answers.push_back(std::async(std::launch::async, [&, i] { return programs[i % 2]->pair(name, {}); }));
            int paired = 0;
            for (auto &answer : answers) {
                const auto pairing = answer.get();
                paired += pairing ? 1 : 0;
                QVERIFY(pairing || pairing.error().code == ErrorCode::Busy);
            }
            QCOMPARE(paired, 1);
            // Programs that ask by themselves get two names.
            Caller caller{
                .kind = Caller::Kind::Mcp, .program = u"/usr/bin/editor"_s, .claimed = u"asked %1"_s.arg(turn)};
            std::vector<std::future<Result<NewPairing>>> asked;
            QStringList ids;
            for (const auto &program : programs) {
                ids.append(program->requestPairing(caller, {}, [](const Status &) { }));
                QVERIFY(inbox->answerPairing(ids.last(), true));
            }
            for (qsizetype i = 0; i < ids.size(); ++i)
                asked.push_back(
                    std::async(std::launch::async, [&, i] { return programs[size_t(i)]->pairRequested(ids[i]); }));
            QStringList names;
            for (auto &answer : asked)
                names.append(answer.get().value_or(NewPairing()).client.name);
            names.sort();
            QCOMPARE(names, (QStringList{caller.claimed, caller.claimed + u" (2)"_s}));
        }
        programs.clear(); // before their logs
    }
};

QTEST_GUILESS_MAIN(TestPairingAtOnce)
#include "tst_pairingatonce.moc"
