// SPDX-License-Identifier: Apache-2.0
// How far applying is, and what stands where a difference can't be shown.
#include "app/workbench/runpanel/changes/decisions.h"
#include "app/workbench/runpanel/changes/diffview.h"

#include <QApplication>
#include <QScopeGuard>
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

private:
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
