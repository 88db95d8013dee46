// SPDX-License-Identifier: Apache-2.0
// The sheet of shortcuts: found, changed, told apart, kept in the settings file, and led back.
#include "tests/app/workbench/desk/desk.h"

#include "app/workbench/shell/shortcuts/keyfield.h"
#include "app/workbench/shell/shortcuts/shortcuttext.h"

#include <QDialog>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestShortcuts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->show();
        m_desk->openEngine();
    }
    void cleanup() { m_desk.reset(); }

    void keysAreReadAsTheyAreWritten()
    {
        const ShortcutChanges changes{{u"bench.run"_s, {QKeySequence(u"Ctrl+;"_s), QKeySequence(u"F7"_s)}},
                                      {u"bench.save"_s, {}},
                                      {u"frame.a-b"_s, {QKeySequence(u"Ctrl+="_s)}}};
        QCOMPARE(toText(changes), u"bench.run=Ctrl+; F7; bench.save=; frame.a-b=Ctrl+="_s);
        QCOMPARE(shortcutsFromText(toText(changes)), changes);
        QCOMPARE(shortcutsFromText(u"nonsense; bench.run=Ctrl+R"_s).keys(), QStringList{u"bench.run"_s});
        QCOMPARE(shortcutsFromText(u"bench.run=Nokey+R"_s), ShortcutChanges());
        QCOMPARE(shortcutsFromText({}), ShortcutChanges());
    }

    void f1AndTheQuestionMarkShowTheSheet()
    {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F1);
        QTRY_VERIFY(sheet());
        QVERIFY(list()->currentIndex().row() == 0);
        QTest::keyClick(sheet(), Qt::Key_Escape);
        QTRY_VERIFY(!sheet() && QApplication::focusWidget());
        // In the code a question mark is a question mark.
        auto *code = qobject_cast<QPlainTextEdit *>(QApplication::focusWidget());
        QVERIFY(code);
        QTest::keyClick(code, Qt::Key_Question, Qt::ShiftModifier);
        QVERIFY(!sheet());
        code->clear();
        m_desk->frame.findChild<QToolButton *>(u"frame.rail.bench"_s)->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Question); // Shift is what writes it
        QTRY_VERIFY(sheet());
    }

    void aKeyIsChangedByKeyboardAloneAndKept()
    {
        openSheet();
        QTest::keyClicks(search(), u"save as"_s);
        QCOMPARE(list()->model()->rowCount(), 1);
        QTest::keyClick(search(), Qt::Key_Return);
        QTRY_VERIFY(field()->hasFocus());
        QTest::keyClick(field(), Qt::Key_F9, Qt::ControlModifier);
        QCOMPARE(field()->text(), u"Ctrl+F9"_s);
        QCOMPARE(remark(), u"These keys are free. Return takes them."_s);
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(keys("bench.saveas"), u"Ctrl+F9"_s);
        QTRY_COMPARE(stored(), u"bench.saveas=Ctrl+F9"_s);
        QCOMPARE(list()->model()->index(0, 1).data().toString(), u"Ctrl+F9 (yours)"_s);

        // Another program, or a hand, writes the file.
        QVERIFY(m_desk->context.settings()->store(u"window.shortcuts"_s, u"bench.saveas=Ctrl+F8"_s));
        m_desk->context.tellSettings(std::nullopt);
        QTRY_COMPARE(keys("bench.saveas"), u"Ctrl+F8"_s); // the write before is over by now
        button("reset")->click();
        QCOMPARE(keys("bench.saveas"), u"Ctrl+Shift+S"_s);
        QTRY_COMPARE(stored(), QString());
    }

    void aKeyThatIsTakenSaysByWhomAndMoves()
    {
        openSheet();
        QTest::keyClicks(search(), u"larger text"_s);
        QTest::keyClick(search(), Qt::Key_Return);
        QTest::keyClick(field(), Qt::Key_S, Qt::ControlModifier);
        QCOMPARE(remark(), u"These keys mean \"Save\" now. Using them here takes them from there."_s);
        button("give")->click();
        QCOMPARE(keys("frame.zoom.in"), u"Ctrl+S"_s);
        QCOMPARE(keys("bench.save"), QString());
        QCOMPARE(m_desk->context.actions().conflicts(), QStringList());
        QTRY_COMPARE(stored(), u"bench.save=; frame.zoom.in=Ctrl+S"_s);
        const qreal before = m_desk->theme.textScale();
        QTest::keyClick(sheet(), Qt::Key_Escape);
        QTRY_VERIFY(!sheet() && QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_S, Qt::ControlModifier);
        QVERIFY(m_desk->theme.textScale() > before);
        openSheet();
        button("resetall")->click();
        QCOMPARE(keys("bench.save"), u"Ctrl+S"_s);
        QTRY_COMPARE(stored(), QString());
    }

    void keysThatTextsNeedAreRefused()
    {
        openSheet();
        QTest::keyClicks(search(), u"save as"_s);
        QTest::keyClick(search(), Qt::Key_Return);
        QTest::keyClick(field(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(remark(), u"While text is edited, these keys mean \"Undo\". Press others."_s);
        QVERIFY(!button("give")->isEnabled());
        QTest::keyClick(field(), Qt::Key_A);
        QVERIFY(!button("give")->isEnabled());
        QTest::keyClick(field(), Qt::Key_Escape); // leaves the field, not the sheet
        QVERIFY(sheet());
        QTRY_VERIFY2(list()->hasFocus(), qPrintable(describe(QApplication::focusWidget())));
        QCOMPARE(field()->text(), QString());
    }

    void aFileThatCantBeWrittenChangesNothing()
    {
        const QString file = m_desk->paths.settingsFile();
        openSheet();
        QVERIFY(QDir().mkpath(file)); // a folder stands where the file would be
        QTest::keyClicks(search(), u"save as"_s);
        QTest::keyClick(search(), Qt::Key_Return);
        QTest::keyClick(field(), Qt::Key_F9, Qt::ControlModifier);
        button("give")->click();
        QTRY_COMPARE(keys("bench.saveas"), u"Ctrl+Shift+S"_s);
        QVERIFY(m_desk->context.notifications().notes().last().text.startsWith(u"The keys are as before"_s));
        QVERIFY(QDir().rmdir(file));
    }

    void sentencesNameTheKeysThatHold()
    {
        auto *run = m_desk->frame.findChild<QPushButton *>(u"bench.run"_s);
        QCOMPARE(run->toolTip(), u"Run (Ctrl+Return)"_s);
        m_desk->context.actions().setShortcuts({{u"bench.run"_s, {QKeySequence(Qt::Key_F9)}}});
        QCOMPARE(run->toolTip(), u"Run (F9)"_s);
        auto *code = m_desk->frame.findChild<QPlainTextEdit *>(u"bench.editor"_s);
        QVERIFY(code->placeholderText().contains(u"F9 runs it"_s));
        m_desk->context.actions().setShortcuts({{u"bench.run"_s, {}}});
        QVERIFY(code->placeholderText().contains(u"Run runs it"_s));
    }

    void thePaletteFindsByOtherWords_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("found");
        QTest::newRow("default") << u"default"_s << u"frame.shortcuts"_s;
        QTest::newRow("shortcut") << u"shortcut"_s << u"frame.shortcuts"_s;
        QTest::newRow("timeout") << u"timeout"_s << u"bench.limit.wall"_s;
        QTest::newRow("two words") << u"ram mb"_s << u"bench.limit.memory"_s;
        QTest::newRow("clear") << u"clear"_s << u"bench.output.filter"_s;
    }
    void thePaletteFindsByOtherWords()
    {
        QFETCH(QString, typed);
        QFETCH(QString, found);
        m_desk->context.actions().trigger(u"frame.palette"_s);
        auto *palette = m_desk->frame.findChild<QLineEdit *>(u"frame.palette.field"_s);
        QTest::keyClicks(palette, typed);
        const auto *model = m_desk->frame.findChild<QListView *>(u"frame.palette.list"_s)->model();
        QStringList ids;
        for (int row = 0; row < model->rowCount(); ++row)
            ids.append(model->index(row, 0).data(Qt::UserRole + 3).toString());
        QVERIFY2(ids.contains(found), qPrintable(ids.join(u' ')));
    }

private:
    QDialog *sheet() const { return m_desk->frame.findChild<QDialog *>(u"frame.shortcuts"_s); }
    QLineEdit *search() const { return sheet()->findChild<QLineEdit *>(u"frame.shortcuts.search"_s); }
    QTreeView *list() const { return sheet()->findChild<QTreeView *>(u"frame.shortcuts.list"_s); }
    KeyField *field() const { return sheet()->findChild<KeyField *>(u"frame.shortcuts.keys"_s); }
    QPushButton *button(const char *name) const
    {
        return sheet()->findChild<QPushButton *>(u"frame.shortcuts."_s + QString::fromLatin1(name));
    }
    QString remark() const { return sheet()->findChild<QLabel *>(u"frame.shortcuts.remark"_s)->text(); }
    QString keys(const char *id) const { return m_desk->context.actions().keys(QString::fromLatin1(id)); }
    QString stored() const { return m_desk->context.settings()->value(u"window.shortcuts"_s).value.toString(); }
    void openSheet()
    {
        m_desk->context.actions().trigger(u"frame.shortcuts"_s);
        QVERIFY(sheet() && QTest::qWaitForWindowActive(sheet()));
    }

    std::unique_ptr<Desk> m_desk;
};

GLOVEBOX_TEST_MAIN(TestShortcuts)
#include "tst_shortcuts.moc"
