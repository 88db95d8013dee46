// SPDX-License-Identifier: Apache-2.0
// How far applying is, and what stands where a difference can't be shown.
#include "app/workbench/runpanel/changes/decisions.h"
#include "app/workbench/runpanel/changes/diffview.h"

#include <QApplication>
#include <QScopeGuard>
#include <QTextBlock>
#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestChangesWords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void removalsAreCountedWithoutBytes()
    {
        QCOMPARE(progressOf({}), QString());
        QCOMPARE(progressOf({.changes = 3, .allChanges = 20}), u"3 of 20 changes"_s);
        QCOMPARE(progressOf({.changes = 3, .allChanges = 20, .bytes = 2 * kibibyte, .allBytes = 4 * kibibyte}),
                 u"3 of 20 changes, 2 KB of 4 KB"_s);
        // Before the first one contents are compared, which takes its time.
        QVERIFY(progressOf({.allChanges = 20}).startsWith(u"Checking 20 change"_s));
        const QString checked = progressOf({.allChanges = 20, .allBytes = 4 * kibibyte});
        QVERIFY2(checked.startsWith(u"Checking 20 change"_s) && checked.endsWith(u", 4 KB…"_s), qPrintable(checked));
    }

    // Code isn't mirrored, and the sentence stands where it would.
    void theSentenceOfADifferenceIsNotMirrored()
    {
        const QString sentence = u"The file isn't text."_s;
        QApplication::setLayoutDirection(Qt::LeftToRight);
        const QImage usual = lookOf(sentence);
        QVERIFY(usual != lookOf({})); // there is something
        const auto back = qScopeGuard([] { QApplication::setLayoutDirection(Qt::LeftToRight); });
        QApplication::setLayoutDirection(Qt::RightToLeft);
        QCOMPARE(lookOf(sentence), usual);
    }

    // LOOK.md: a wash over the whole line, behind its sign and number, too; words that are different stand out of it.
    void addedAndRemovedLinesHaveAWash()
    {
        DiffView view(m_theme);
        view.resize(500, 200);
        view.setCursorWidth(0);
        QString before = u"same\nalpha beta\n"_s, after = u"same\nalpha gamma\n"_s;
        view.setLines(lineDiff(before, after));
        for (const SchemeChoice choice : {SchemeChoice::Light, SchemeChoice::Dark, SchemeChoice::HighContrast}) {
            m_theme.setChoice(choice);
            const QImage seen = view.grab().toImage();
            const auto at = [&](int block, int x) {
                const QRect line = view.cursorRect(QTextCursor(view.document()->findBlockByNumber(block)));
                return seen.pixelColor(x, view.viewport()->y() + line.bottom() - 1);
            };
            const int right = view.width() - 30, left = 1; // where no text is
            const QColor panel = at(1, right); // the line that is the same
            const QColor removed = at(2, right), added = at(3, right);
            QCOMPARE(removed.rgb(), m_theme.wash(Colour::Bad).rgb());
            QCOMPARE(added.rgb(), m_theme.wash(Colour::Ok).rgb());
            QVERIFY(panel != removed && panel != added);
            QCOMPARE(at(2, left), removed);
            QCOMPARE(at(3, left), added);
            QVERIFY(countOf(seen, m_theme.wash(Colour::Bad, Wash::Word)) > 20);
            QVERIFY(countOf(seen, m_theme.wash(Colour::Ok, Wash::Word)) > 20);
        }
        m_theme.setChoice(SchemeChoice::Light);
    }

    void aNewlineThatIsMissingIsShown()
    {
        DiffView view(m_theme);
        view.setLines(lineDiff(u"a"_s, u"a\n"_s));
        QCOMPARE(view.toPlainText(), u"@@ −1,1 +1,1 @@\n− a\n\\ No newline at the end\n+ a"_s);
    }

private:
    static int countOf(const QImage &image, const QColor &colour)
    {
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                count += image.pixelColor(x, y).rgb() == colour.rgb() ? 1 : 0;
        }
        return count;
    }
    QImage lookOf(const QString &sentence)
    {
        DiffView view(m_theme);
        view.resize(500, 100);
        view.setPlaceholderText(sentence);
        view.setLines({});
        view.setCursorWidth(0);
        return view.viewport()->grab().toImage().convertToFormat(QImage::Format_RGB32);
    }

    Theme m_theme;
};

QTEST_MAIN(TestChangesWords)
#include "tst_changeswords.moc"
