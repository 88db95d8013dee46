// SPDX-License-Identifier: Apache-2.0
// The lines after a run follow from the fields of what happened; sentences are only shown.
#include "app/cli/run/afterwards/aftermath.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestAftermath : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void changesOfAFolderAreCountedByTheirFields()
    {
        const auto changed = [](const QString &name, qint64 count = 1) {
            return RunEvent{.type = EventType::FolderSensitiveChange,
                            .detail = Text("Words without a name."),
                            .files = PlantedFiles{.folder = u"/home/me/src"_s, .name = name, .count = count}};
        };
        RunResult result{.id = u"0192f0c1"_s, .events = {changed(u"Makefile"_s)}};
        QCOMPARE(aftermathOf(result),
                 QStringList{u"Words without a name. With :stage instead of :rw, changes wait for you."_s});
        result.events += {changed(u".git/hooks/x"_s), changed({}, 40)};
        QCOMPARE(
            aftermathOf(result),
            QStringList{u"The run added, changed or removed in /home/me/src what other programs execute or load: "
                        "\"Makefile\", \".git/hooks/x\" and 40 more (glovebox audit show 0192f0c1). Review it. With "
                        ":stage instead of :rw, changes wait for you."_s});
    }

    // An older version's log has the sentence only.
    void aChangeWithoutFieldsIsShownByItsSentence()
    {
        const RunEvent change{EventType::FolderSensitiveChange,
                              Text("The run changed \"%1\" in %2.", {u"x"_s, u"/a"_s})};
        const RunEvent more{EventType::FolderSensitiveChange,
                            Text("The run changed %1 more such files in %2.", {u"7"_s, u"/a"_s})};
        const QStringList lines = aftermathOf({.events = {change, more}});
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines.first(), u"The run changed \"x\" in /a."_s);
        QVERIFY(lines.last().startsWith(u"The run changed 7 more such files in /a."_s));
    }

    void moreOfTheSameIsToldOnlyWhereNothingElseTellsIt()
    {
        RunResult result{.events = {{EventType::EventsMore, Text("More than is listed, %1.", {u"an argument"_s})}}};
        QCOMPARE(aftermathOf(result), QStringList());
        result.events.first().unseen = 3;
        QCOMPARE(aftermathOf(result), QStringList{u"More than is listed, an argument."_s});
    }

    void nothingKnownOfKeysIsSaidOfWhatRan()
    {
        RunResult result{.outcome = Outcome::Completed,
                         .controls = {{.id = ControlId::DenialEvents,
                                       .state = Control::State::Enforced,
                                       .detail = Text("places of secrets are not watched (/dev/fuse: EACCES)")}}};
        QCOMPARE(doubtAboutKeys(result),
                 u"Whether the run looked for keys is not known: places of secrets are not watched (/dev/fuse: "
                 "EACCES). \"glovebox doctor\" tells more."_s);
        result.outcome = Outcome::Rejected;
        QCOMPARE(doubtAboutKeys(result), QString());
        result.outcome = Outcome::Completed;
        result.controls[0].state = Control::State::Verified;
        QCOMPARE(doubtAboutKeys(result), QString());
    }

    void theDoctorIsNamedOnceAndOnlyForTheMachine()
    {
        const Text reason("The sandbox could not be built. \"glovebox doctor\" says why.");
        const auto line = [&](Outcome outcome, const QString &id) {
            return reasonLine({.id = id, .outcome = outcome, .reason = reason});
        };
        QCOMPARE(line(Outcome::Rejected, u"0192f0c1"_s), reason.english());
        QCOMPARE(line(Outcome::SetupFailed, {}), reason.english()); // the log failed
        QCOMPARE(reasonLine({.id = u"0192f0c1"_s, .outcome = Outcome::SetupFailed, .reason = Text("No sandbox.")}),
                 u"No sandbox. \"glovebox doctor\" tells what this machine can do."_s);
    }
};

QTEST_GUILESS_MAIN(TestAftermath)
#include "tst_aftermath.moc"
