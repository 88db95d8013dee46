// SPDX-License-Identifier: Apache-2.0
// Changes to a file of the original that has several names (link(2)).
#include "killingfixture.h"

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestHardLinks : public QObject, private KillingFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { StagingFixture::init(); }
    void cleanup() { StagingFixture::cleanup(); }

    // In the copy each name is a file of its own, so that is what comes of them.
    void namesOfOneFileAreAppliedAsFiles()
    {
        QCOMPARE(
            shell(at(u"original"_s), u"mkdir d; echo 1 > a; for f in b d/mode gone d/gone stays; do ln a $f; done"_s),
            0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a; echo 3 > b; chmod 755 d/mode; rm gone d/gone"_s), 0);
        QCOMPARE(told(m_staging->finish(m_run).changes.value(0)),
                 (QStringList{u"~a"_s, u"~b"_s, u"-d/gone"_s, u"~d/mode"_s, u"-gone"_s}));
        const auto report = m_staging->apply(m_run);
        QVERIFY2(report && report->refused.isEmpty(), qPrintable(sentences(report)));
        QCOMPARE(report->applied, 5);
        QCOMPARE(contentOf(u"a"_s) + contentOf(u"b"_s) + contentOf(u"d/mode"_s) + contentOf(u"stays"_s),
                 "2\n3\n1\n1\n");
        QVERIFY(!QFile::exists(at(u"original/gone"_s)) && !QFile::exists(at(u"original/d/gone"_s)));
        QVERIFY(QFile::permissions(at(u"original/d/mode"_s)) & QFile::ExeOwner);
        const auto undone = m_staging->undo(m_run);
        QVERIFY2(undone && undone->refused.isEmpty(), qPrintable(sentences(undone)));
        for (const QString &name : {u"a"_s, u"b"_s, u"d/mode"_s, u"gone"_s, u"d/gone"_s, u"stays"_s})
            QCOMPARE(contentOf(name), "1\n");
    }

    void namesOfOneFileAreLeftAloneWhereSomebodyElseChangedIt()
    {
        QCOMPARE(shell(at(u"original"_s), u"echo 1 > a; for f in b c stays; do ln a $f; done"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"echo 2 > a; echo 2 > b; rm c"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        QCOMPARE(shell(at(u"original"_s), u"echo mine > stays"_s), 0);
        QCOMPARE(m_staging->apply(m_run)->refused.size(), 3);
        for (const QString &name : {u"a"_s, u"b"_s, u"c"_s, u"stays"_s})
            QCOMPARE(contentOf(name), "mine\n");
    }

    // Each name that is replaced or removed changes the time stamp of the file.
    void namesOfOneFileAreFinished()
    {
        int n = 1;
        for (bool wasCut = true; wasCut; ++n) {
            for (const bool isKilled : {true, false}) {
                m_run = newId(Clock::system());
                QCOMPARE(shell(at(u"original"_s),
                               u"chmod -R u+rwx .; rm -rf *; echo 1 > a; for f in b c d; do ln a $f; "
                               "done"_s),
                         0);
                const auto staged = copy();
                QVERIFY(staged);
                QCOMPARE(shell(staged->copy, u"echo 2 > a; echo 3 > b; rm c d"_s), 0);
                QVERIFY(m_staging->finish(m_run).kept);
                if (isKilled)
                    wasCut = isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); });
                else
                    std::ignore = applyStoppedAt(n);
                const auto again = m_staging->apply(m_run);
                const bool isNothingLeft = !again && again.error().code == ErrorCode::NotFound;
                QVERIFY2(
                    isNothingLeft || (again && again->refused.isEmpty()),
                    qPrintable(u"%1 at %2: "_s.arg(isKilled ? u"killed"_s : u"stopped"_s).arg(n) + sentences(again)));
                QCOMPARE(state(Times::Any), (QByteArrayList{"a 100644 2\n", "b 100644 3\n"}));
                const auto undone = m_staging->undo(m_run);
                QVERIFY2(undone && undone->refused.isEmpty(), qPrintable(sentences(undone)));
                for (const QString &name : {u"a"_s, u"b"_s, u"c"_s, u"d"_s})
                    QCOMPARE(contentOf(name), "1\n");
                QVERIFY(m_staging->discard(m_run));
            }
        }
        QVERIFY(n > 15);
    }
};

QTEST_GUILESS_MAIN(TestHardLinks)
#include "tst_hardlinks.moc"
