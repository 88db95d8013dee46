// SPDX-License-Identifier: Apache-2.0
// The sentence that says what a run may is one line where it can be, and hides no warning for it.
#include "tests/app/workbench/bench/benchseat.h"

#include <QApplication>
#include <QLabel>
#include <QLayout>
#include <QScopeGuard>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchSentence : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void theSentenceFoldsIntoOneLine_data();
    void theSentenceFoldsIntoOneLine();
    void theSentenceDoesNotDependOnItsWidthBefore();
    void aCommaStandsAtItsWord_data();
    void aCommaStandsAtItsWord();
};

void TestBenchSentence::theSentenceFoldsIntoOneLine_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<bool>("isMirrored");
    QTest::newRow("light") << false << false;
    QTest::newRow("dark") << true << false;
    QTest::newRow("mirrored") << false << true;
}

void TestBenchSentence::theSentenceFoldsIntoOneLine()
{
    QFETCH(bool, isDark);
    QFETCH(bool, isMirrored);
    QApplication::setLayoutDirection(isMirrored ? Qt::RightToLeft : Qt::LeftToRight);
    const auto back = qScopeGuard([] { QApplication::setLayoutDirection(Qt::LeftToRight); });
    m_desk.reset();
    sitDown();
    m_desk->theme.setChoice(isDark ? SchemeChoice::Dark : SchemeChoice::Light);
    PolicySentence &sentence = tab()->policy();
    Policy policy = sentence.policy();
    policy.limits.wall = std::chrono::seconds(5);
    policy.limits.memoryBytes = 64 * mebibyte;
    policy.allow = {u"example.org:443"_s};
    tab()->setPolicy(policy);
    sentence.setStart({.arguments = u"--all"_s, .variables = u"A=1"_s, .input = u"words"_s});
    const QString whole = sentence.sentence();
    const auto isOneLine = [&] { return sentence.height() < 2 * sentence.layout()->sizeHint().height(); };
    const auto seen = [&] {
        QStringList names;
        for (const auto *word : sentence.findChildren<QToolButton *>()) {
            if (word->isVisible())
                names.append(word->objectName().section(u'.', 2));
        }
        return names;
    };
    m_desk->frame.resize(1900, 860);
    QTRY_VERIFY(!find<QToolButton>(u"bench.policy.more"_s));
    const QStringList all = seen();
    m_desk->frame.resize(900, 600);
    QTRY_VERIFY(find<QToolButton>(u"bench.policy.more"_s));
    Desk::settle();
    QVERIFY(isOneLine());
    QVERIFY(m_desk->save(u"bench-folded-"_s + QString::fromLatin1(QTest::currentDataTag())));
    auto *more = find<QToolButton>(u"bench.policy.more"_s);
    const qsizetype folded = all.size() + 1 - seen().size();
    QVERIFY(folded > 0);
    QCOMPARE(more->text(), u"and %1 more"_s.arg(folded));
    QVERIFY(seen().contains(u"hosts"_s)); // a warning
    QVERIFY(!seen().contains(u"input"_s));
    QCOMPARE(sentence.sentence(), whole);
    for (const auto *word : sentence.findChildren<QToolButton *>())
        QVERIFY(!word->isVisible() || sentence.rect().contains(word->geometry()));
    // Its editor opens all the same.
    QVERIFY(m_desk->context.actions().trigger(u"bench.fixedinput"_s));
    QTRY_VERIFY(find<QWidget>(u"bench.start"_s));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QTRY_VERIFY(!find<QWidget>(u"bench.start"_s));

    more->setFocus(Qt::TabFocusReason);
    QTest::keyClick(more, Qt::Key_Space);
    QTRY_COMPARE(seen().size(), all.size() + 1);
    QVERIFY(!more->hasFocus() && sentence.isAncestorOf(QApplication::focusWidget()));
    Desk::settle();
    QVERIFY(m_desk->save(u"bench-unfolded-"_s + QString::fromLatin1(QTest::currentDataTag())));
    QTest::mouseClick(more, Qt::LeftButton);
    QTRY_VERIFY(!seen().contains(u"input"_s));
    m_desk->frame.resize(1900, 860);
    QTRY_COMPARE(seen(), all);
}

void TestBenchSentence::theSentenceDoesNotDependOnItsWidthBefore()
{
    m_desk.reset();
    sitDown();
    m_desk->theme.setTextScale(1.95);
    const auto seenAt = [&](int width) {
        m_desk->frame.resize(width, 860);
        Desk::settle();
        QStringList words;
        for (const auto *word : tab()->policy().findChildren<QToolButton *>()) {
            if (word->isVisible())
                words.append(word->text() + u" at %1"_s.arg(word->mapTo(&m_desk->frame, QPoint()).y()));
        }
        return words;
    };
    const QList<int> widths{1900, 1600, 1360, 1200, 1100, 900};
    QList<QStringList> narrower, wider;
    for (const int width : widths) {
        narrower.append(seenAt(width));
        QVERIFY(m_desk->save(u"bench-sentence-%1"_s.arg(width)));
        // "may use and 5 more" is no sentence: a word stays beside the language.
        QVERIFY2(narrower.last().size() >= 3, qPrintable(narrower.last().join(u", "_s)));
    }
    for (auto width = widths.crbegin(); width != widths.crend(); ++width)
        wider.prepend(seenAt(*width));
    QCOMPARE(wider, narrower);
}

void TestBenchSentence::aCommaStandsAtItsWord_data()
{
    QTest::addColumn<bool>("isMirrored");
    QTest::newRow("usual") << false;
    QTest::newRow("mirrored") << true;
}

void TestBenchSentence::aCommaStandsAtItsWord()
{
    QFETCH(bool, isMirrored);
    QApplication::setLayoutDirection(isMirrored ? Qt::RightToLeft : Qt::LeftToRight);
    const auto back = qScopeGuard([] { QApplication::setLayoutDirection(Qt::LeftToRight); });
    m_desk.reset();
    sitDown();
    Desk::settle();
    int commas = 0;
    for (auto *label : tab()->policy().findChildren<QLabel *>()) {
        if (!label->isVisible() || !label->text().contains(u", "_s))
            continue;
        ++commas;
        const QImage image = label->grab().toImage();
        QRect ink;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                if (image.pixel(x, y) != image.pixel(image.width() / 2, 0))
                    ink |= QRect(x, y, 1, 1);
            }
        }
        QVERIFY(!ink.isEmpty());
        const int before = ink.left(), behind = image.width() - 1 - ink.right();
        QVERIFY2(isMirrored ? behind < before : before < behind, qPrintable(u"%1 %2"_s.arg(before).arg(behind)));
    }
    QVERIFY(commas > 1);
}

GLOVEBOX_TEST_MAIN(TestBenchSentence)
#include "tst_benchsentence.moc"
