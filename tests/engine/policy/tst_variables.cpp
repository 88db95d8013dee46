// SPDX-License-Identifier: Apache-2.0
#include "engine/policy/policy.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestVariables : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void namesAndValuesThatMakeSense_data();
    void namesAndValuesThatMakeSense();
    void oneMoreThanTheMostIsRefused();
};

void TestVariables::namesAndValuesThatMakeSense_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<bool>("fine");
    QTest::newRow("plain") << u"MODE"_s << QByteArray("fast") << true;
    QTest::newRow("empty value") << u"_x1"_s << QByteArray() << true;
    QTest::newRow("as long as may be") << u"A"_s << QByteArray(variableBytesMax, 'x') << true;
    QTest::newRow("too long") << u"A"_s << QByteArray(variableBytesMax + 1, 'x') << false;
    QTest::newRow("zero byte") << u"A"_s << QByteArray("a\0b", 3) << false;
    QTest::newRow("no name") << u""_s << QByteArray("x") << false;
    QTest::newRow("digit first") << u"1A"_s << QByteArray("x") << false;
    QTest::newRow("equals sign") << u"A=B"_s << QByteArray("x") << false;
    QTest::newRow("other letters") << u"Ä"_s << QByteArray("x") << false;
    QTest::newRow("what the loader obeys") << u"LD_PRELOAD"_s << QByteArray("x") << false;
    QTest::newRow("where programs are") << u"PATH"_s << QByteArray("x") << false;
    QTest::newRow("lent as") << u"TOKEN"_s << QByteArray("x") << false;
    QTest::newRow("file of that name") << u"FILE"_s << QByteArray("x") << true;
}

void TestVariables::namesAndValuesThatMakeSense()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, value);
    QFETCH(bool, fine);
    const std::vector<SecretGrant> secrets{{.name = u"KEY"_s, .variable = u"TOKEN"_s, .asFile = false},
                                           {.name = u"FILE"_s, .variable = {}, .asFile = true}};
    QCOMPARE(checkVariables({{name, value}}, secrets).has_value(), fine);
    QVERIFY(!checkVariables({{name, value}, {name, value}}, {}));
}

void TestVariables::oneMoreThanTheMostIsRefused()
{
    std::vector<Variable> variables;
    for (std::size_t i = 0; i < variablesMax; ++i)
        variables.push_back({u"V%1"_s.arg(i), "x"});
    QVERIFY(checkVariables(variables, {}));
    variables.push_back({u"ANOTHER"_s, "x"});
    QVERIFY(!checkVariables(variables, {}));
}

QTEST_GUILESS_MAIN(TestVariables)
#include "tst_variables.moc"
