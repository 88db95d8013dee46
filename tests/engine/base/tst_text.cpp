// SPDX-License-Identifier: Apache-2.0
// Sentences get each argument once.
#include "engine/base/base.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestText : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void fillsArgumentsInAnyOrder()
    {
        QCOMPARE(Text("%2 before %1", {u"one"_s, u"two"_s}).english(), u"two before one"_s);
        QCOMPARE(Text("%1 and %1", {u"x"_s}).english(), u"x and x"_s);
    }

    void argumentsThatLookLikePlacesStayAsTheyAre()
    {
        QCOMPARE(Text("%1, %2", {u"%2"_s, u"%1"_s}).english(), u"%2, %1"_s);
    }

    void placesWithoutAnArgumentStay()
    {
        QCOMPARE(Text("100% of %1, %2, %0, %", {u"it"_s}).english(), u"100% of it, %2, %0, %"_s);
    }

    void aTranslationIsFilledTheSameWay()
    {
        QCOMPARE(Text("%1 of %2", {u"1"_s, u"3"_s}).fill(u"von %2: %1"_s), u"von 3: 1"_s);
    }

    void placesEndAfterOneDigit() { QCOMPARE(Text("%10", {u"a"_s}).english(), u"a0"_s); }
};

QTEST_GUILESS_MAIN(TestText)
#include "tst_text.moc"
