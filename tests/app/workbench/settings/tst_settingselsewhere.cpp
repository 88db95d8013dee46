// SPDX-License-Identifier: Apache-2.0
// The file of the settings, which other programs write, break and mend while a window is open.
#include "settingsfixture.h"

#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSettingsElsewhere : public QObject, private SettingsFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { SettingsFixture::init(); }
    void cleanup() { m_desk.reset(); }

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
        QSignalSpy told(&m_desk->context, &WorkbenchContext::settingsChanged);
        const auto elsewhere = Settings::load(m_desk->paths.settingsFile(), {});
        QVERIFY(elsewhere && (*elsewhere)->store(u"mcp.paused"_s, true));
        QTRY_COMPARE(told.size(), 1);
        QVERIFY(value(u"mcp.paused"_s).toBool());
        QVERIFY((*elsewhere)->store(u"run.disk_mb"_s, 77)); // replaced once more
        QTRY_COMPARE(told.size(), 2);
        QCOMPARE(value(u"run.disk_mb"_s).toInt(), 77);
        // Nothing is told twice.
        told.clear();
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

GLOVEBOX_TEST_MAIN(TestSettingsElsewhere)
#include "tst_settingselsewhere.moc"
