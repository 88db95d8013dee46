// SPDX-License-Identifier: Apache-2.0
// Which word somebody meant who mistyped it, and when nobody can tell.
#include "engine/base/text/nearest.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestNearest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsWhatWasMeant_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("meant");
        const auto row = [](const QString &word, const QString &meant) {
            QTest::newRow(qPrintable(u'"' + word + u'"')) << word << meant;
        };
        row(u"rnu"_s, u"run"_s); // swapped
        row(u"ru"_s, u"run"_s);
        row(u"runn"_s, u"run"_s);
        row(u"RUN"_s, u"run"_s);
        row(u"rum"_s, u"run"_s);
        row(u"docter"_s, u"doctor"_s);
        row(u"secrets"_s, u"secret"_s);
        row(u"--alow"_s, u"--allow"_s);
        row(u"--mermoy"_s, u"--memory"_s);
        row(u"x"_s, {});
        row(u"-x"_s, {});
        row({}, {});
        row(u"snippet.py"_s, {});
        row(u"history"_s, {});
        row(QString(100'000, u'r'), {});
        row(u"r\u00fcn"_s, u"run"_s);
    }
    void findsWhatWasMeant()
    {
        QFETCH(QString, word);
        QFETCH(QString, meant);
        QCOMPARE(nearest(word, {u"run"_s, u"doctor"_s, u"secret"_s, u"--allow"_s, u"--memory"_s}), meant);
    }

    void theEarlierOfTwoThatAreAlikeWins()
    {
        QCOMPARE(nearest(u"lisp"_s, {u"list"_s, u"limp"_s}), u"list"_s);
        QCOMPARE(nearest(u"list"_s, {u"limp"_s, u"list"_s}), u"list"_s);
        QCOMPARE(nearest(u"list"_s, {}), QString());
    }
};

QTEST_GUILESS_MAIN(TestNearest)
#include "tst_nearest.moc"
