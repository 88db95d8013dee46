// SPDX-License-Identifier: Apache-2.0
// Values in names that are asked of name servers: cut by dots, in other cases, encoded.
#include "engine/base/base.h"
#include "engine/vault/scrub/scrub.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QByteArray mixedCase = "Sk-Live_9aQ7/x+TopSecretValue";

} // namespace

class TestScrubNames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aValueIsFoundInAName_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("shown");
        const QByteArray mark = "[secret KEY]";
        const auto row = [&](const char *what, const QByteArray &value, const QByteArray &name,
                             const QByteArray &shown) { QTest::newRow(what) << value << name << shown; };
        row("as it is", mixedCase, mixedCase + ".evil.example", mark + ".evil.example");
        row("lower case", mixedCase, mixedCase.toLower() + ".evil.example", mark + ".evil.example");
        row("random case", mixedCase, "sK-lIVE_9AQ7/X+tOPsECRETvALUE.evil.example", mark + ".evil.example");
        row("short, in another case", "PiN7", "a.pin7.Evil.example", "a." + mark + ".Evil.example");
        row("cut", mixedCase, "a." + mixedCase.first(9) + '.' + mixedCase.sliced(9) + ".evil.example",
            "a." + mark + ".evil.example");
        QByteArray single;
        for (const char letter : mixedCase)
            single += QByteArray(1, letter) + '.';
        row("a letter a label", mixedCase, single + "evil.example", mark + ".evil.example");
        row("of more than a label", QByteArray(100, 'x') + "Y",
            QByteArray(63, 'x') + '.' + QByteArray(37, 'x') + "y.evil", mark + ".evil");
        row("with dots", "ey.Abc.dEf", "ey.abc.def.evil.example", mark + ".evil.example");
        row("with dots, cut elsewhere", "ey.Abcdef.dEf", "ey.abc.def.d.ef.evil", mark + ".evil");
        row("without its dots", "ey.Abcdef.dEf", "eyabcdefdef.evil", mark + ".evil");
        row("of dots mostly", "1.2.", "x.1.2.evil", mark);
        row("blanks", "pass word of mine", "Pass word of Mine.evil", mark + ".evil");
        row("reversed", "abCdefgh", "hgfed.cba.evil", mark + ".evil");
        row("hexadecimal, cut", mixedCase, mixedCase.toHex().first(50) + '.' + mixedCase.toHex().sliced(50) + ".evil",
            mark + ".evil");
        row("twice", "abCdefgh", "abcdefgh-abcdefgh.evil", mark + '-' + mark + ".evil");
        row("periodic", "abababab", "abababababab.evil", mark + ".evil");
        row("escapes of URLs, cut", "abc%defgh", "abc%25.defgh.evil", mark);
        row("address", "secret-of-16-byt", "7365:6372:6574:2d6f:662d:3136:2d62:7974", mark);
        row("not there", "abcdefgh", "abcdefg.evil.example", "abcdefg.evil.example");
        row("longer than names", QByteArray(256, 'x'), QByteArray(63, 'x'), QByteArray(63, 'x'));
    }
    void aValueIsFoundInAName()
    {
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, name);
        QTEST(ScrubPlan({{u"KEY"_s, value}}).scrubbedName(name), "shown");
    }

    void base64WithoutItsCaseIsFound()
    {
        const ScrubPlan plan({{u"KEY"_s, mixedCase}});
        for (int before = 0; before < 4; ++before) {
            for (const auto alphabet : {QByteArray::Base64Encoding, QByteArray::Base64UrlEncoding}) {
                const QByteArray text = (QByteArray(before, 'n') + mixedCase + "after").toBase64(alphabet).toLower();
                const QByteArray shown = plan.scrubbedName(text.first(20) + '.' + text.sliced(20) + ".evil");
                QVERIFY2(shown.contains("[secret KEY]") && shown.size() < 40, shown);
            }
        }
    }

    void overlappingValuesAreEachTold()
    {
        const ScrubPlan plan({{u"A"_s, "abcdefgh"}, {u"B"_s, "EFGHijkl"}, {u"C"_s, "fghi"}, {u"D"_s, "%41zzzz%"}});
        QCOMPARE(plan.scrubbedName("x.abcd.efghijkl.y"), QByteArray("x.[secret A][secret B].y"));
        // A form that only the other way of looking knows withholds all of the name.
        QCOMPARE(plan.scrubbedName("x.abcdefgh.%2541zzz.z%25.y"), QByteArray("[secret A][secret D]"));
    }
};

QTEST_APPLESS_MAIN(TestScrubNames)
#include "tst_scrubnames.moc"
