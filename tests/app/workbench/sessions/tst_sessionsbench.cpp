// SPDX-License-Identifier: Apache-2.0
// Runs of the bench in a session: chosen in the sentence, told beside the output, undone on the page of sessions.
#include "app/workbench/editor/file/noticebar.h"
#include "sessionsseat.h"

#include "app/workbench/runpanel/output/outputview.h"

#include <QAbstractButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSessionsBench : public QObject, public SessionsSeat
{
    Q_OBJECT

    BenchTab *tab() const { return qobject_cast<BenchPage *>(desk->frame.page(u"bench"_s))->current(); }
    QString word() const { return find<QAbstractButton>(u"bench.policy.session"_s)->text(); }
    void run(const QString &code)
    {
        tab()->editor().setText(code, true);
        tab()->chooseLanguage(u"sh"_s);
        QVERIFY(act(u"bench.run"_s));
    }
    void waitForEnd()
    {
        QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current() && tab()->runs().current()->isDone(), 30'000);
    }
    void choose(const QString &id)
    {
        tab()->chooseSession(id);
        QTRY_COMPARE(tab()->policy().session().diskBytes, engine().sessions().find(id)->diskBytes);
    }

private Q_SLOTS:
    void init()
    {
        sitDown();
        goTo(u"bench"_s);
    }
    void cleanup() { desk.reset(); }

    void aSessionIsChosenInTheSentenceAndItsFilesLast()
    {
        const Session made = make({.name = u"shop"_s, .allow = {u"api.example.org:443"_s}});
        QCOMPARE(word(), u"no session"_s);
        QVERIFY(act(u"bench.session"_s));
        QTRY_VERIFY(shows(u"bench.session.choice1"_s));
        find<QAbstractButton>(u"bench.session.choice1"_s)->click();
        QTRY_COMPARE(word(), u"session shop"_s);
        QVERIFY(find<QAbstractButton>(u"bench.policy.session"_s)->toolTip().contains(u"256"_s)
                || find<QAbstractButton>(u"bench.policy.session"_s)->toolTip().contains(u"disk"_s));
        // Its hosts are the run's, and are shown so.
        QVERIFY(tab()->policy().sentence().contains(u"1 host"_s));
        QVERIFY(act(u"bench.hosts"_s));
        QTRY_VERIFY(text(u"bench.hosts.session"_s).contains(u"api.example.org:443"_s));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);

        run(u"echo kept > note.txt; echo 1"_s);
        waitForEnd();
        const RunRequest &request = tab()->runs().current()->request();
        QCOMPARE(request.session, made.id);
        QCOMPARE(request.policy.allow, QStringList{u"api.example.org:443"_s});
        QCOMPARE(paths(made.id), QByteArrayList{"note.txt"}); // the code isn't the session's
        run(u"cat note.txt"_s);
        waitForEnd();
        QVERIFY(tab()->runs().output()->text().contains(u"kept"_s));

        // Back to none.
        QVERIFY(act(u"bench.session"_s));
        QTRY_VERIFY(shows(u"bench.session.none"_s));
        find<QAbstractButton>(u"bench.session.none"_s)->click();
        QTRY_COMPARE(word(), u"no session"_s);
        QVERIFY(tab()->policy().sentence().contains(u"no network"_s));
    }

    // What a run may use is the sentence's: a session alone loosens nothing, and its profile is one click away.
    void aSessionsProfileIsAppliedByOneClick()
    {
        const Profiles profiles(desk->context.paths());
        const Profile data{u"data"_s, {{u"limits"_s, QJsonObject{{u"memory_bytes"_s, 100 * 1024 * 1024}}}}};
        QVERIFY(profiles.save(data));
        make({.name = u"shop"_s, .profile = u"data"_s});
        QVERIFY(act(u"bench.session"_s));
        QTRY_VERIFY(shows(u"bench.session.choice1"_s));
        QCOMPARE(find<QAbstractButton>(u"bench.session.profile1"_s)->text(), u"Use it with its profile data"_s);
        QVERIFY(find<QAbstractButton>(u"bench.session.choice1"_s)
                    ->accessibleDescription()
                    .endsWith(u"its profile data isn't applied"_s));
        find<QAbstractButton>(u"bench.session.choice1"_s)->click();
        QTRY_COMPARE(word(), u"session shop"_s);
        run(u"true"_s);
        waitForEnd();
        QCOMPARE(tab()->runs().current()->request().policy.limits.memoryBytes, 256 * mebibyte);

        QVERIFY(act(u"bench.session"_s));
        QTRY_VERIFY(shows(u"bench.session.profile1"_s));
        press(u"bench.session.profile1"_s);
        QCOMPARE(word(), u"session shop"_s);
        QVERIFY2(tab()->policy().sentence().contains(u"100 MB"_s), qPrintable(tab()->policy().sentence()));
        run(u"true"_s);
        waitForEnd();
        QCOMPARE(tab()->runs().current()->request().policy.limits.memoryBytes, 100 * mebibyte);

        QVERIFY(act(u"bench.session"_s));
        QTRY_VERIFY(shows(u"bench.session.choice1"_s));
        QVERIFY(find<QAbstractButton>(u"bench.session.choice1"_s)
                    ->accessibleDescription()
                    .endsWith(u"its profile data is applied"_s));
        QVERIFY(!shows(u"bench.session.profile1"_s));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(profiles.remove(u"data"_s));
        QVERIFY(act(u"bench.session"_s));
        QTRY_VERIFY(shows(u"bench.session.choice1"_s));
        QVERIFY(find<QAbstractButton>(u"bench.session.choice1"_s)
                    ->accessibleDescription()
                    .endsWith(u"its profile data is gone"_s));
    }

    void aRunIsUndoneFromItsStory()
    {
        const Session made = make();
        put(made.id, "before.txt", "there");
        choose(made.id);
        run(u"rm before.txt; echo new > after.txt"_s);
        waitForEnd();
        QTRY_VERIFY(shows(u"bench.story.undo"_s));
        QCOMPARE(paths(made.id), QByteArrayList{"after.txt"});
        press(u"bench.story.undo"_s);
        QTRY_VERIFY(text(u"sessions.snapshots.summary"_s).contains(u"Going back to snapshot 2 changes 2 "_s));
        press(u"sessions.snapshots.yes"_s);
        QTRY_COMPARE(paths(made.id), QByteArrayList{"before.txt"});
        // The run that left a snapshot is one step away from it.
        QTRY_COMPARE(snapshots()->model()->rowCount(), 4);
        snapshots()->setCurrentIndex(snapshots()->model()->index(1, 0));
        QTRY_VERIFY(desk->context.actions().action(u"sessions.history"_s)->isEnabled());
        QVERIFY(act(u"sessions.history"_s));
        QTRY_COMPARE(desk->context.actions().currentPage(), u"history"_s);
    }

    void aRunSaysThatItWaitsForItsSession()
    {
        const Session made = make();
        choose(made.id);
        {
            const auto use = engine().sessions().use(made.id, {});
            QVERIFY(use);
            run(u"echo 1"_s);
            QTRY_VERIFY(text(u"bench.run.state"_s).startsWith(u"Waits for session shop"_s));
        }
        waitForEnd();
        QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Completed);
    }

    void whatIsLeftOutIsAWarning()
    {
        const Session made = make();
        choose(made.id);
        run(u"mkfifo pipe; echo 1 > kept"_s);
        waitForEnd();
        QTRY_VERIFY(shows(u"bench.story.session"_s));
        QCOMPARE(paths(made.id), QByteArrayList{"kept"});
        press(u"bench.story.session"_s);
        QTRY_COMPARE(text(u"sessions.details.name"_s), u"shop"_s);
    }

    void aDeletedSessionIsSaidBeforeTheRun()
    {
        const Session made = make();
        choose(made.id);
        QVERIFY(engine().deleteSession(made.id, engine().caller()));
        goTo(u"doctor"_s);
        goTo(u"bench"_s);
        QTRY_COMPARE(word(), u"▲ session shop (deleted)"_s);
        tab()->editor().setText(u"echo 1"_s, true);
        QVERIFY(act(u"bench.run"_s));
        QTRY_VERIFY2(tab()->editor().notice().sentence().startsWith(u"The session shop was deleted, so nothing ran."_s),
                     qPrintable(tab()->editor().notice().sentence()));
        QVERIFY(!tab()->runs().current());
        tab()->goBackToDefaults();
        QCOMPARE(word(), u"no session"_s);
    }

    void theChoiceComesBackWithItsTab()
    {
        const Session made = make({.name = u"shop"_s, .allow = {u"api.example.org:443"_s}});
        choose(made.id);
        const QByteArray stashed = tab()->stashed();
        QVERIFY(!stashed.contains("api.example.org")); // what it allows comes from the session itself
        QVERIFY(act(u"bench.new"_s));
        QCOMPARE(word(), u"no session"_s);
        QVERIFY(tab()->restore(stashed));
        QTRY_COMPARE(tab()->policy().session().allow, QStringList{u"api.example.org:443"_s});
        QCOMPARE(word(), u"session shop"_s);
    }

    void aNewSessionIsMadeForTheTab()
    {
        QVERIFY(act(u"bench.session"_s));
        QTRY_VERIFY(shows(u"bench.session.new"_s));
        press(u"bench.session.new"_s);
        QTRY_VERIFY(find<QLineEdit>(u"sessions.form.name"_s)->hasFocus());
        type(u"sessions.form.name"_s, u"fresh"_s);
        press(u"sessions.form.create"_s);
        QTRY_COMPARE(desk->context.actions().currentPage(), u"bench"_s);
        QTRY_COMPARE(word(), u"session fresh"_s);
    }
};

GLOVEBOX_TEST_MAIN(TestSessionsBench)
#include "tst_sessionsbench.moc"
