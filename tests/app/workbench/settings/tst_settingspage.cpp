// SPDX-License-Identifier: Apache-2.0
// The settings page by real keys: what is typed is in the file at once.
#include "settingsfixture.h"

#include "app/workbench/bench/benchpage.h"
#include "app/workbench/settings/rows/settingrow.h"
#include "engine/vault/vault.h"

#include <QCheckBox>
#include <QComboBox>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSettingsPage : public QObject, private SettingsFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { SettingsFixture::init(); }
    void cleanup() { m_desk.reset(); }

    void eachKindOfSecretCanBeSwitchedByKeys()
    {
        write(R"({"leaks": {"ignore": "card-number of-tomorrow"}})");
        open();
        auto *list = find<QListWidget>(u"leaks.ignore"_s);
        QCOMPARE(list->count(), leakKinds().size());
        const auto item = [list](const QString &id) {
            for (int row = 0; row < list->count(); ++row) {
                if (list->item(row)->data(Qt::UserRole) == id)
                    return list->item(row);
            }
            qFatal("There is no %s.", qPrintable(id));
        };
        QCOMPARE(item(u"card-number"_s)->checkState(), Qt::Unchecked);
        QCOMPARE(item(u"private-key"_s)->checkState(), Qt::Checked);
        list->setFocus(Qt::TabFocusReason);
        list->setCurrentItem(item(u"private-key"_s));
        QTest::keyClick(list, Qt::Key_Space);
        QTRY_COMPARE(stored("leaks", "ignore").toString(), u"of-tomorrow private-key card-number"_s);
        list->setCurrentItem(item(u"card-number"_s));
        QTest::keyClick(list, Qt::Key_Space);
        QTRY_COMPARE(stored("leaks", "ignore").toString(), u"of-tomorrow private-key"_s);
        find<QPushButton>(u"leaks.ignore.reset"_s)->click();
        QTRY_COMPARE(item(u"private-key"_s)->checkState(), Qt::Checked);
    }

    void everySettingOfTheEngineIsThere()
    {
        open();
        for (const SettingInfo &info : Settings::schema()) {
            if (info.key != u"run.backend"_s) // there is but one
                QVERIFY(find<QWidget>(QString(info.key).replace(u'_', u'-'))->isVisible());
        }
        // Under a name of its own: its description stands below.
        for (const SettingInfo &info : Settings::schema()) {
            if (info.key == u"run.backend"_s)
                continue;
            const QString name = find<QWidget>(QString(info.key).replace(u'_', u'-'))->accessibleName();
            QVERIFY2(!name.isEmpty() && name != info.description.english(), qPrintable(info.key));
        }
        QCOMPARE(find<QWidget>(u"mcp.elicitation"_s)->accessibleName(), u"Agents' own windows"_s);
    }

    void whatIsTypedIsSavedAtOnceAndInForce()
    {
        open();
        auto *bench = qobject_cast<BenchPage *>(m_desk->frame.page(u"bench"_s));
        bench->current()->policy().openLimit(LimitKind::Memory);
        type(m_desk->frame.findChild<QLineEdit *>(u"bench.limit.value"_s), u"512 MB"_s);
        QCOMPARE(said("run.wall-seconds.origin"), u"Default"_s);
        type(field("run.wall-seconds"), u"2 min"_s);
        QTRY_COMPARE(stored("run", "wall_seconds"), QJsonValue(120));
        QTRY_COMPARE(said("run.wall-seconds.origin"), u"Set here; the default is: 30 s"_s);
        type(field("run.cpu-percent"), u"50%"_s);
        QTRY_COMPARE(stored("run", "cpu_percent"), QJsonValue(50));
        QTRY_COMPARE(m_desk->context.settings()->policy().limits.cpuPercent, std::optional(50));
        // The tab follows, but for what was chosen there.
        const Limits limits = bench->current()->policy().policy().limits;
        QCOMPARE(limits.wall, std::chrono::milliseconds(120'000));
        QCOMPARE(limits.memoryBytes, 512 * mebibyte);
    }

    void changesAreWrittenInTheirOrder()
    {
        open();
        for (int i = 1; i <= 12; ++i)
            type(field("run.processes"), QString::number(i));
        QTRY_COMPARE(stored("run", "processes"), QJsonValue(12));
        QTest::qWait(200);
        QCOMPARE(stored("run", "processes"), QJsonValue(12));
    }

    void nonsenseIsRefusedThere_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("no time") << u"run.wall-seconds"_s << u"soon"_s << u"Not saved. Write it like this: 30 s"_s;
        QTest::newRow("half a second") << u"run.wall-seconds"_s << u"0.5 s"_s
                                       << u"Not saved. In whole seconds, without a fraction."_s;
        QTest::newRow("a day") << u"run.wall-seconds"_s << u"24 h"_s << u"Not saved. Between 1 s and 60 min."_s;
        QTest::newRow("a day of processor time")
            << u"run.cpu-seconds"_s << u"99999 h"_s << u"Not saved. Between 1 s and 24 h, or \"no limit\"."_s;
        QTest::newRow("kilobytes") << u"run.memory-mb"_s << u"20000 kB"_s
                                   << u"Not saved. In whole MB, without a fraction."_s;
        QTest::newRow("a word") << u"engine.max-concurrent"_s << u"many"_s
                                << u"Not saved. A whole number between 0 and 256."_s;
        QTest::newRow("too many") << u"engine.max-concurrent"_s << u"257"_s
                                  << u"Not saved. A whole number between 0 and 256."_s;
        QTest::newRow("text size") << u"look.text-size"_s << u"10 %"_s << u"Not saved. Between 75% and 300%."_s;
    }
    void nonsenseIsRefusedThere()
    {
        QFETCH(QString, id);
        QFETCH(QString, typed);
        QFETCH(QString, sentence);
        open();
        auto *edit = find<QLineEdit>(id);
        const QString before = edit->text();
        type(edit, typed);
        QCOMPARE(find<QLabel>(id + u".error"_s)->text(), sentence);
        QVERIFY(edit->accessibleDescription().contains(sentence));
        QTest::keyClick(edit, Qt::Key_Escape);
        QCOMPARE(edit->text(), before);
        QVERIFY(!find<QLabel>(id + u".error"_s)->isVisible());
        QCOMPARE(content(), QByteArray());
    }

    void resetBringsTheDefaultBack()
    {
        write(R"({"run":{"disk_mb":64,"strict":true},"leaks":{"ignore":"jwt"}})");
        open();
        QCOMPARE(field("run.disk-mb")->text(), u"64 MB"_s);
        auto *box = find<QCheckBox>(u"run.strict"_s);
        QVERIFY(box->isChecked());
        auto *reset = find<QPushButton>(u"run.disk-mb.reset"_s);
        QVERIFY(reset->isVisible());
        reset->setFocus(Qt::TabFocusReason);
        QTest::keyClick(reset, Qt::Key_Space);
        QTRY_COMPARE(field("run.disk-mb")->text(), u"256 MB"_s);
        QVERIFY(field("run.disk-mb")->hasFocus());
        QTRY_VERIFY(!reset->isVisible());
        QVERIFY(stored("run", "disk_mb").isUndefined());
        QCOMPARE(stored("run", "strict"), QJsonValue(true));
        box->setFocus(Qt::TabFocusReason);
        QTest::keyClick(box, Qt::Key_Space);
        QTRY_COMPARE(stored("run", "strict"), QJsonValue(false));
        QCOMPARE(stored("leaks", "ignore"), QJsonValue(u"jwt"_s));
    }

    void whatTheEnvironmentSaysIsShownAndStays()
    {
        qputenv("GLOVEBOX_RUN_MEMORY_MB", "100");
        qputenv("GLOVEBOX_RUN_STRICT", "yes");
        open();
        qunsetenv("GLOVEBOX_RUN_MEMORY_MB");
        qunsetenv("GLOVEBOX_RUN_STRICT");
        QCOMPARE(field("run.memory-mb")->text(), u"100 MB"_s);
        QVERIFY(said("run.memory-mb.origin").contains(u"GLOVEBOX_RUN_MEMORY_MB"_s));
        type(field("run.memory-mb"), u"200"_s);
        QCOMPARE(field("run.memory-mb")->text(), u"100 MB"_s);
        QVERIFY(!find<QPushButton>(u"run.memory-mb.reset"_s)->isVisible());
        QVERIFY(!find<QCheckBox>(u"run.strict"_s)->isEnabled());
        QVERIFY(find<QCheckBox>(u"run.strict"_s)->isChecked());
        QCOMPARE(content(), QByteArray());
    }

    void wordsAndKeysAreFound()
    {
        open();
        auto *search = field("search");
        QVERIFY(search->hasFocus());
        QTest::keyClicks(search, u"memory_mb"_s);
        QVERIFY(field("run.memory-mb")->isVisible());
        QVERIFY(!field("run.disk-mb")->isVisible());
        QVERIFY(!find<QComboBox>(u"look.colours"_s)->isVisible());
        search->clear();
        for (const char *words : {"room", "older"}) { // of its section, of its choices
            QTest::keyClicks(search, QLatin1StringView(words));
            QVERIFY2(find<QPushButton>(u"room.old.delete"_s)->isVisible(), words);
            QVERIFY(!field("run.memory-mb")->isVisible());
            search->clear();
        }
        QTest::keyClicks(search, u"zzz"_s);
        QVERIFY(!field("run.memory-mb")->isVisible());
        search->clear();
        QVERIFY(find<QComboBox>(u"look.colours"_s)->isVisible());
    }

    void theLookIsChangedAndKept()
    {
        open();
        auto *colours = find<QComboBox>(u"look.colours"_s);
        colours->setFocus(Qt::TabFocusReason);
        QTest::keyClick(colours, Qt::Key_Down); // light
        QTest::keyClick(colours, Qt::Key_Down);
        QCOMPARE(m_desk->theme.scheme(), Scheme::Dark);
        type(field("look.text-size"), u"120"_s);
        QCOMPARE(m_desk->theme.textScale(), 1.2);
        QCOMPARE(field("look.text-size")->text(), u"120%"_s);
        auto *font = find<QComboBox>(u"look.code-font"_s);
        QVERIFY(font->count() > 1);
        font->setFocus(Qt::TabFocusReason);
        QTest::keyClick(font, Qt::Key_Down);
        QCOMPARE(m_desk->theme.codeFamily(), font->itemData(1).toString());
        QCOMPARE(m_desk->theme.font(FontRole::Code).family(), font->itemData(1).toString());
        m_desk->frame.saveLayout();
        const auto layout = m_desk->context.stash().load(u"layout"_s);
        QVERIFY(layout && *layout);
        const QJsonObject kept = QJsonDocument::fromJson(**layout).object();
        QCOMPARE(kept.value(u"colours"_s).toString(), u"dark"_s);
        QCOMPARE(kept.value(u"code_font"_s).toString(), m_desk->theme.codeFamily());
        QTest::mouseClick(find<QPushButton>(u"look.colours.reset"_s), Qt::LeftButton);
        QCOMPARE(m_desk->theme.choice(), SchemeChoice::System);
    }

    void theWheelChangesNothing()
    {
        open();
        auto *colours = find<QComboBox>(u"look.colours"_s);
        const QPointF middle = QPointF(colours->rect().center());
        QWheelEvent wheel(middle, colours->mapToGlobal(middle), {}, {0, -120}, {}, {}, Qt::NoScrollPhase, false);
        QApplication::sendEvent(colours, &wheel);
        QCOMPARE(m_desk->theme.choice(), SchemeChoice::System);
        QCOMPARE(colours->focusPolicy(), Qt::StrongFocus); // nor does the keyboard go where somebody scrolls
    }
};

GLOVEBOX_TEST_MAIN(TestSettingsPage)
#include "tst_settingspage.moc"
