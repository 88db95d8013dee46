// SPDX-License-Identifier: Apache-2.0
// The settings page by real keys: what is typed is in the file at once, and a file that can't be used is said.
#include "app/workbench/bench/benchpage.h"
#include "app/workbench/settings/rows/settingrow.h"
#include "app/workbench/shell/words/words.h"
#include "engine/vault/vault.h"
#include "tests/app/workbench/desk/desk.h"

#include <QCheckBox>
#include <QComboBox>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QProcess>
#include <QPushButton>
#include <QScopeGuard>
#include <QScrollArea>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSettingsPage : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Desk> m_desk;

    template<typename Widget> Widget *find(const QString &name)
    {
        auto *found = m_desk->frame.findChild<Widget *>(u"settings."_s + name);
        if (!found)
            qFatal("There is no %s.", qPrintable(name));
        return found;
    }
    QLineEdit *field(const char *id) { return find<QLineEdit>(QLatin1StringView(id)); }
    QString said(const char *id) { return find<QLabel>(QLatin1StringView(id))->text(); }
    void open()
    {
        m_desk->openEngine();
        m_desk->frame.showPage(u"settings"_s);
        Desk::settle();
    }
    void write(const QByteArray &content)
    {
        QVERIFY(QDir().mkpath(m_desk->paths.config));
        QFile file(m_desk->paths.settingsFile());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    QByteArray content()
    {
        QFile file(m_desk->paths.settingsFile());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QJsonValue stored(const char *group, const char *name)
    {
        return QJsonDocument::fromJson(content()).object()[QLatin1StringView(group)][QLatin1StringView(name)];
    }
    void type(QLineEdit *field, const QString &text)
    {
        field->setFocus(Qt::TabFocusReason);
        field->selectAll();
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    }
    QStringList keptAside() { return QDir(m_desk->paths.config).entryList({u"settings.json.broken-*"_s}); }

private Q_SLOTS:
    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->frame.resize(1360, 860);
        m_desk->show();
    }
    void cleanup() { m_desk.reset(); }

    // Measured from the files: what ran is there, by what it is.
    void roomOnDiskIsMeasured()
    {
        open();
        QTRY_COMPARE(find<QLabel>(u"room.output"_s)->text(), sizeWord(0));
        RunRequest request;
        request.language = u"sh"_s;
        request.code = "printf '%05000d' 0; printf '%07000d' 0 >left.txt #" + QByteArray(3000, 'x');
        request.caller = m_desk->context.engine()->caller();
        const auto result = m_desk->context.engine()->start(request)->wait();
        QVERIFY(result->outcome == Outcome::Completed);
        QCOMPARE(result->artifacts.size(), 1);
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        QTRY_COMPARE(find<QLabel>(u"room.output"_s)->text(), sizeWord(5000));
        QCOMPARE(find<QLabel>(u"room.code"_s)->text(), sizeWord(request.code.size()));
        QCOMPARE(find<QLabel>(u"room.files"_s)->text(), sizeWord(7000));
        QCOMPARE(find<QLabel>(u"room.other"_s)->text(), sizeWord(0));
        QVERIFY(find<QLabel>(u"room.record"_s)->text() != sizeWord(0));
        find<QLineEdit>(u"search"_s)->setText(u"storage"_s);
        QTRY_VERIFY(find<QLabel>(u"room.code"_s)->isVisible() && !field("run.memory-mb")->isVisible());
        QVERIFY(m_desk->save(u"settings-room"_s));
    }

    // As if all that ran were from so many days ago.
    void makeOld(int days)
    {
        const QString script = uR"(
import os, sqlite3, sys, time
data, days = sys.argv[1], int(sys.argv[2])
log = sqlite3.connect(data + "/audit.db")
log.execute("UPDATE runs SET time_us = time_us - ? * 86400000000", (days,))
log.commit()
for folder, _, files in os.walk(data + "/store"):
    for name in files:
        os.utime(folder + "/" + name, (time.time() - 7200,) * 2)
)"_s;
        QCOMPARE(QProcess::execute(u"python3"_s, {u"-c"_s, script, m_desk->paths.data, QString::number(days)}), 0);
    }

    void whatOldRunsLeftIsDeletedAfterAQuestion_data()
    {
        QTest::addColumn<SchemeChoice>("scheme");
        QTest::addColumn<bool>("isMirrored");
        QTest::addColumn<QSize>("size");
        QTest::newRow("light") << SchemeChoice::Light << false << QSize(1360, 860);
        QTest::newRow("dark") << SchemeChoice::Dark << false << QSize(1360, 860);
        QTest::newRow("mirrored") << SchemeChoice::Light << true << QSize(1360, 860);
        QTest::newRow("small") << SchemeChoice::Light << false << QSize(900, 600);
    }
    void whatOldRunsLeftIsDeletedAfterAQuestion()
    {
        QFETCH(SchemeChoice, scheme);
        QFETCH(bool, isMirrored);
        QFETCH(QSize, size);
        QApplication::setLayoutDirection(isMirrored ? Qt::RightToLeft : Qt::LeftToRight);
        const auto back = qScopeGuard([] { QApplication::setLayoutDirection(Qt::LeftToRight); });
        m_desk.reset();
        m_desk = std::make_unique<Desk>();
        m_desk->theme.setChoice(scheme);
        m_desk->frame.resize(size);
        m_desk->show();
        open();
        RunRequest request;
        request.language = u"sh"_s;
        request.code = "printf '%05000d' 0 #" + QByteArray(3000, 'x');
        request.caller = m_desk->context.engine()->caller();
        const auto result = m_desk->context.engine()->start(request)->wait();
        QVERIFY(result->outcome == Outcome::Completed);
        makeOld(100);
        auto *age = find<QComboBox>(u"room.old.age"_s);
        auto *start = find<QPushButton>(u"room.old.delete"_s);
        auto *yes = find<QPushButton>(u"room.old.yes"_s), *no = find<QPushButton>(u"room.old.no"_s);
        const auto sentence = [this] { return said("room.old.sentence"); };
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        const QString room = sizeWord(5000 + request.code.size());
        QTRY_COMPARE(sentence(), u"1 run older than 90 days: %1."_s.arg(room));
        age->setCurrentIndex(2);
        QTRY_COMPARE(sentence(), u"No run older than a year has any of it."_s);
        QVERIFY(!start->isEnabled());
        age->setCurrentIndex(0);
        QTRY_COMPARE(sentence(), u"1 run older than 30 days: %1."_s.arg(room));
        QTRY_VERIFY(start->isEnabled());

        start->setFocus(Qt::TabFocusReason);
        QTest::keyClick(start, Qt::Key_Space);
        QVERIFY2(sentence().contains(u"code, output and files of 1 run?"_s), qPrintable(sentence()));
        QVERIFY(no->hasFocus()); // Enter deletes nothing
        m_desk->frame.findChild<QScrollArea *>(u"settings"_s)->ensureWidgetVisible(no);
        QVERIFY(m_desk->save(u"settings-retention-"_s + QString::fromLatin1(QTest::currentDataTag())));
        QTest::keyClick(no, Qt::Key_Space);
        QTRY_VERIFY(start->isEnabled());
        QVERIFY(m_desk->context.engine()->store().get(sha256({request.code})));

        start->click();
        yes->setFocus(Qt::TabFocusReason);
        QTest::keyClick(yes, Qt::Key_Space);
        QVERIFY(m_desk->frame.page(u"settings"_s)->closingEnds().startsWith(u"Code and output of old runs"_s));
        QTRY_COMPARE(sentence(), u"Deleted what 1 run left: %1 freed."_s.arg(room));
        QVERIFY(m_desk->frame.page(u"settings"_s)->closingEnds().isEmpty());
        QVERIFY(age->hasFocus());
        QTRY_COMPARE(find<QLabel>(u"room.output"_s)->text(), sizeWord(0));
        QCOMPARE(find<QLabel>(u"room.code"_s)->text(), sizeWord(0));
        QVERIFY(!start->isEnabled());
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        const QString date = QLocale().toString(QDate::currentDate(), QLocale::LongFormat);
        QTRY_COMPARE(said("room.old.origin"), u"Last deleted on %1: %2 freed."_s.arg(date, room));

        m_desk->frame.showPage(u"history"_s);
        auto *table = m_desk->frame.findChild<QAbstractItemView *>(u"history.runs"_s);
        QTRY_COMPARE(table->model()->rowCount(), 1);
        table->setCurrentIndex(table->model()->index(0, 0));
        auto *code = m_desk->frame.findChild<QLabel *>(u"history.code.remark"_s);
        QTRY_COMPARE(code->text(), u"The code was deleted on %1. The entry itself is intact."_s.arg(date));
        auto *output = m_desk->frame.findChild<QLabel *>(u"history.output.remark"_s);
        QCOMPARE(output->text(), u"The output was deleted on %1. The entry itself is intact."_s.arg(date));
        QVERIFY(m_desk->save(u"history-deleted-"_s + QString::fromLatin1(QTest::currentDataTag())));
    }

    // The command line and other windows write the same file, whose folder needn't be there before.
    void settingsThatAreChangedElsewhereHoldAtOnce_data()
    {
        QTest::addColumn<bool>("isThere");
        QTest::newRow("the first ones") << false;
        QTest::newRow("others") << true;
    }
    void settingsThatAreChangedElsewhereHoldAtOnce()
    {
        QFETCH(bool, isThere);
        if (isThere)
            write(R"({"run":{"disk_mb":70}})");
        m_desk->openEngine();
        QCOMPARE(QFileInfo::exists(m_desk->paths.config), isThere);
        const auto value = [&](const QString &key) { return m_desk->context.settings()->value(key).value; };
        QVERIFY(!value(u"mcp.paused"_s).toBool());
        const auto elsewhere = Settings::load(m_desk->paths.settingsFile(), {});
        QVERIFY(elsewhere && (*elsewhere)->store(u"mcp.paused"_s, true));
        QTRY_VERIFY(value(u"mcp.paused"_s).toBool());
        QVERIFY((*elsewhere)->store(u"run.disk_mb"_s, 77)); // replaced once more
        QTRY_COMPARE(value(u"run.disk_mb"_s).toInt(), 77);
        QTest::qWait(300); // every page was told
        // Nothing is told twice.
        QSignalSpy told(&m_desk->context, &WorkbenchContext::settingsChanged);
        QVERIFY((*elsewhere)->store(u"run.disk_mb"_s, 77));
        QTest::qWait(500);
        QCOMPARE(told.size(), 0);
    }

    void aFileThatOthersBreakIsSaidOnEveryPage()
    {
        m_desk->openEngine();
        m_desk->frame.showPage(u"bench"_s);
        write(R"({"run":{"disk_mb":"much"}})");
        const auto banner = [&] { return m_desk->frame.findChild<QWidget *>(u"frame.banner.settings"_s); };
        QTRY_VERIFY(banner() && banner()->isVisible());
        QVERIFY2(banner()->toolTip().contains(u"run.disk_mb"_s), qPrintable(banner()->toolTip()));
        QTest::mouseClick(banner()->findChild<QPushButton *>(), Qt::LeftButton);
        QTRY_VERIFY(find<QLabel>(u"trouble"_s)->isVisible());
        QTRY_VERIFY(!banner()); // said there
        m_desk->frame.showPage(u"bench"_s);
        QTRY_VERIFY(banner());
        write(R"({"run":{"disk_mb":99}})");
        QTRY_VERIFY(!banner());
        QCOMPARE(m_desk->context.settings()->value(u"run.disk_mb"_s).value.toInt(), 99);
    }

    // Nothing is lost, and the reason is said.
    void aDeletionThatFailsIsSaid()
    {
        open();
        RunRequest request;
        request.language = u"sh"_s;
        request.code = "echo words";
        request.caller = m_desk->context.engine()->caller();
        QVERIFY(m_desk->context.engine()->start(request)->wait()->outcome == Outcome::Completed);
        makeOld(100);
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        auto *start = find<QPushButton>(u"room.old.delete"_s);
        QTRY_VERIFY(start->isEnabled());
        const auto other = FileLock::create(m_desk->paths.deletingFile());
        QVERIFY(other);
        start->click();
        find<QPushButton>(u"room.old.yes"_s)->click();
        QTRY_COMPARE(said("room.old.sentence"), u"Not all of it was deleted."_s);
        QVERIFY(said("room.old.error").contains(u"already"_s));
        QVERIFY(m_desk->context.engine()->store().get(sha256({request.code})));
    }

    void filesThatStayForAnHourAreSaid()
    {
        open();
        RunRequest request;
        request.language = u"sh"_s;
        request.code = "echo words";
        request.caller = m_desk->context.engine()->caller();
        QVERIFY(m_desk->context.engine()->start(request)->wait()->outcome == Outcome::Completed);
        makeOld(100);
        QVERIFY(m_desk->context.engine()->store().put(sha256({request.code}), request.code));
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        auto *start = find<QPushButton>(u"room.old.delete"_s);
        QTRY_VERIFY(start->isEnabled());
        start->click();
        find<QPushButton>(u"room.old.yes"_s)->click();
        QTRY_COMPARE(said("room.old.sentence"),
                     u"Deleted what 1 run left: %1 freed. 1 file stays, as it was stored within the last hour. "
                     "Delete it in an hour."_s.arg(sizeWord(6)));
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        QTRY_VERIFY(start->isEnabled());
        QCOMPARE(said("room.old.sentence"), u"1 run older than 90 days: %1."_s.arg(sizeWord(request.code.size())));
    }

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
        QTest::newRow("a day") << u"run.wall-seconds"_s << u"24 h"_s << u"Not saved. Between 1 ms and 60 min."_s;
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

    void aBrokenFileAtTheStartIsKeptAsideOnTheClick()
    {
        write(R"({"run":{"strict":true},)");
        m_desk->host.open();
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->context.engineError(), 20'000);
        auto *fresh = m_desk->frame.findChild<QPushButton *>(u"frame.trouble.fresh"_s);
        QVERIFY(fresh && fresh->isVisible());
        QVERIFY(m_desk->save(u"trouble-settings"_s));
        // Where settings are looked for, too.
        m_desk->frame.showPage(u"settings"_s);
        Desk::settle();
        QVERIFY(find<QLabel>(u"trouble"_s)->isVisible());
        QVERIFY2(said("trouble").contains(m_desk->paths.settingsFile()), qPrintable(said("trouble")));
        QVERIFY(!field("run.wall-seconds")->isEnabled());
        QTest::qWait(500);
        QCOMPARE(keptAside(), QStringList()); // nothing is moved by itself
        QTest::mouseClick(find<QPushButton>(u"fresh-button"_s), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->context.engine(), 20'000);
        QCOMPARE(keptAside().size(), 1);
        QFile kept(m_desk->paths.config + u'/' + keptAside().first());
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), QByteArray(R"({"run":{"strict":true},)"));
        QTRY_VERIFY(!find<QLabel>(u"trouble"_s)->isVisible());
        QVERIFY(field("run.wall-seconds")->isEnabled());
        QVERIFY(m_desk->context.notifications().notes().last().text.contains(keptAside().first()));
    }

    void aBrokenFileAtTheStartIsReadAgainWhenItIsMended()
    {
        write(R"({"run":{"strict":true},)");
        m_desk->host.open();
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->context.engineError(), 20'000);
        QTest::qWait(300);
        write(R"({"run":{"strict":true}})");
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->context.engine(), 20'000);
        QVERIFY(m_desk->context.settings()->policy().strict && !m_desk->context.settingsError());
    }

    void aFileThatOthersMayWriteIsReadAgainWhenItIsMendedByChmod()
    {
        write(R"({"run":{"strict":true}})");
        const QString file = m_desk->paths.settingsFile();
        const QFile::Permissions own = QFile::ReadOwner | QFile::WriteOwner;
        QVERIFY(QFile::setPermissions(file, own | QFile::WriteOther));
        m_desk->host.open();
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->context.settingsError(), 20'000);
        QTest::qWait(300);
        QVERIFY(QFile::setPermissions(file, own));
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->context.engine(), 20'000);
        QVERIFY(m_desk->context.settings()->policy().strict && !m_desk->context.settingsError());
    }

    void atLargeTextTheWaysOutAreWhole()
    {
        m_desk->theme.setTextScale(2);
        m_desk->frame.resize(900, 600);
        open();
        write(R"({"run":{"strict":"yes"}})");
        QTRY_VERIFY(find<QLabel>(u"trouble"_s)->isVisible());
        Desk::settle();
        const auto *scroll = m_desk->frame.findChild<QScrollArea *>(u"settings"_s);
        for (const QString &name : {u"reload-button"_s, u"fresh-button"_s}) {
            const auto *button = find<QPushButton>(name);
            QVERIFY2(button->mapTo(scroll, QPoint(button->width(), 0)).x() <= scroll->width(), qPrintable(name));
            QVERIFY(button->width() >= button->sizeHint().width());
        }
        m_desk->theme.setTextScale(1);
    }

    void whatOthersBreakIsSaidAndWhatWasSetStaysInForce()
    {
        write(R"({"run":{"strict":true}})");
        open();
        QVERIFY(m_desk->context.settings()->policy().strict);
        write(R"({"run":{"strict":"yes"}})");
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        QTRY_VERIFY(find<QLabel>(u"trouble"_s)->isVisible());
        QVERIFY2(said("trouble").contains(u"run.strict"_s), qPrintable(said("trouble")));
        QVERIFY(m_desk->context.settings()->policy().strict);
        type(field("run.processes"), u"7"_s);
        QTRY_VERIFY2(said("run.processes.error").startsWith(u"Not saved. "_s), qPrintable(said("run.processes.error")));
        QCOMPARE(field("run.processes")->text(), u"64"_s);
        write(R"({"run":{"strict":true,"processes":9}})"); // mended
        QTest::mouseClick(find<QPushButton>(u"reload-button"_s), Qt::LeftButton);
        QTRY_VERIFY(!find<QLabel>(u"trouble"_s)->isVisible());
        QCOMPARE(field("run.processes")->text(), u"9"_s);
    }
};

GLOVEBOX_TEST_MAIN(TestSettingsPage)
#include "tst_settingspage.moc"
