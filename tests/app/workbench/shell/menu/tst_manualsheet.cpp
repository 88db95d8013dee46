// SPDX-License-Identifier: Apache-2.0
// The manual in the window: every page becomes text, and links lead from one to the next and back.
#include "app/workbench/shell/menu/manualtext.h"
#include "tests/app/workbench/desk/desk.h"

#include <QTextBrowser>
#include <QTextDocument>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestManualSheet : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void macrosBecomeText_data();
    void macrosBecomeText();
    void everyPageIsText_data();
    void everyPageIsText();
    void linksLeadToPagesAndBack();

private:
    static QString plain(const QString &html)
    {
        QTextDocument document;
        document.setHtml(html);
        return document.toPlainText();
    }
};

void TestManualSheet::macrosBecomeText_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("text");
    QTest::newRow("option") << u".Bl -tag\n.It Fl t , Fl \\-timeout Ar TIME\nTime limit.\n.El"_s
                            << u"-t, --timeout TIME\nTime limit."_s;
    QTest::newRow("link") << u"See\n.Xr glovebox-run 1 ,\n.Xr glovebox 1 ."_s << u"See glovebox-run(1), glovebox(1)."_s;
    QTest::newRow("fonts") << u"Give \\fB\\-c\\fP or \\fIFILE\\fP."_s << u"Give -c or FILE."_s;
    QTest::newRow("example") << u".Bd -literal\nglovebox run \\-c \\(aqprint(1 < 2)\\(aq\n.Ed"_s
                             << u"glovebox run -c 'print(1 < 2)'"_s;
    QTest::newRow("brackets") << u"a word\n.Po\n.Va ms\n.Pc\nfollows"_s << u"a word (ms) follows"_s;
    QTest::newRow("escaped dot") << u"\\&.ssh and C:\\e"_s << u".ssh and C:\\"_s;
}

void TestManualSheet::macrosBecomeText()
{
    QFETCH(QString, source);
    QFETCH(QString, text);
    QCOMPARE(plain(mdocAsHtml(source)).trimmed(), text);
}

void TestManualSheet::everyPageIsText_data()
{
    QTest::addColumn<QString>("page");
    QVERIFY(manualPages().contains(u"glovebox-run.1"_s));
    for (const QString &page : manualPages())
        QTest::newRow(qPrintable(page)) << page;
}

void TestManualSheet::everyPageIsText()
{
    QFETCH(QString, page);
    const QString text = plain(manualPageAsHtml(page));
    QVERIFY(text.contains(u"SEE ALSO"_s));
    static const QRegularExpression macro(u"(^|\\s)\\.[A-Z][a-z]\\b|\\\\[f(&-]"_s);
    QVERIFY2(!macro.match(text).hasMatch(), qPrintable(macro.match(text).captured()));
}

void TestManualSheet::linksLeadToPagesAndBack()
{
    Desk desk;
    desk.show();
    desk.context.actions().trigger(u"frame.manual"_s);
    auto *text = desk.frame.findChild<QTextBrowser *>(u"frame.manual.text"_s);
    auto *back = desk.frame.findChild<QPushButton *>(u"frame.manual.back"_s);
    QVERIFY(text && back);
    QTRY_VERIFY(text->isVisible());
    QVERIFY(!back->isEnabled());
    const QString first = text->toPlainText();
    QVERIFY(first.contains(u"glovebox-run(1)"_s));
    QVERIFY(desk.save(u"manual"_s));

    Q_EMIT text->anchorClicked(QUrl(u"glovebox-run.1"_s));
    QVERIFY(text->toPlainText().contains(u"--timeout TIME"_s));
    Q_EMIT text->anchorClicked(QUrl(u"nosuch.1"_s));
    QVERIFY(text->toPlainText().contains(u"--timeout TIME"_s));
    back->click();
    QCOMPARE(text->toPlainText(), first);
    QVERIFY(!back->isEnabled());
}

GLOVEBOX_TEST_MAIN(TestManualSheet)
#include "tst_manualsheet.moc"
