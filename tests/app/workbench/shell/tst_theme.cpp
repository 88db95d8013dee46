// SPDX-License-Identifier: Apache-2.0
// The look follows the person's choice and the desktop's, live, by every way in which a desktop says it.
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"
#include "tests/app/workbench/desk/desk.h"
#include "tests/app/workbench/desk/desktopbus.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDBusArgument>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QStandardItemModel>
#include <QStyleOption>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// A portal that knows one setting, on a bus of the test's own.
class FakePortal : public QDBusVirtualObject
{
public:
    uint colorScheme = 1;
    QString introspect(const QString &) const override { return {}; }
    bool handleMessage(const QDBusMessage &message, const QDBusConnection &bus) override
    {
        if (message.member() != "Read"_L1)
            return false;
        if (message.arguments().value(1).toString() != "color-scheme"_L1)
            return bus.send(message.createErrorReply(u"org.freedesktop.portal.Error.NotFound"_s, u"no"_s));
        const QVariant inner = QVariant::fromValue(QDBusVariant(colorScheme)); // wrapped twice, as portals do
        return bus.send(message.createReply(QVariant::fromValue(QDBusVariant(inner))));
    }
};

QPalette desktopPalette(const QColor &window)
{
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    return palette;
}

} // namespace

class TestTheme : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The first: what the program knows of D-Bus at its start has to do.
    void thePortalIsFollowedLive()
    {
        if (!DesktopBus::isInstalled())
            QSKIP("dbus-daemon is not installed.");
        FakePortal portal;
        QDBusConnection bus =
            DesktopBus::serve(u"org.freedesktop.portal.Desktop"_s, u"/org/freedesktop/portal/desktop"_s, portal);
        QVERIFY(bus.isConnected());
        {
            Theme theme;
            QCOMPARE(theme.scheme(), Scheme::Light); // the start doesn't wait for the answer
            QTRY_COMPARE(theme.scheme(), Scheme::Dark);
            const auto tell = [&](const QString &key, uint value) {
                QDBusMessage signal = QDBusMessage::createSignal(
                    u"/org/freedesktop/portal/desktop"_s, u"org.freedesktop.portal.Settings"_s, u"SettingChanged"_s);
                signal << u"org.freedesktop.appearance"_s << key << QVariant::fromValue(QDBusVariant(value));
                QVERIFY(bus.send(signal));
            };
            tell(u"color-scheme"_s, 2);
            QTRY_COMPARE(theme.scheme(), Scheme::Light);
            tell(u"contrast"_s, 1);
            QTRY_COMPARE(theme.scheme(), Scheme::HighContrast);
        }
        QDBusConnection::disconnectFromBus(bus.name());
    }

    void init() { QApplication::setPalette(desktopPalette(Qt::white)); }

    void aChoiceIsInForceAtOnce()
    {
        Theme theme;
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setChoice(SchemeChoice::Dark);
        QCOMPARE(theme.scheme(), Scheme::Dark);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::colour(Scheme::Dark, Colour::Window));
        theme.setChoice(SchemeChoice::HighContrast);
        QCOMPARE(QApplication::palette().color(QPalette::WindowText),
                 Theme::colour(Scheme::HighContrast, Colour::Text));
    }

    void theSystemsDarkPaletteIsSeenAtTheStart()
    {
        QApplication::setPalette(desktopPalette(QColor(30, 30, 30)));
        Theme theme;
        QCOMPARE(theme.scheme(), Scheme::Dark);
    }

    void aNewPaletteOfTheDesktopIsFollowed()
    {
        Theme theme;
        QCOMPARE(theme.scheme(), Scheme::Light);
        QApplication::setPalette(desktopPalette(QColor(20, 20, 20)));
        QTRY_COMPARE(theme.scheme(), Scheme::Dark);
        QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::colour(Scheme::Dark, Colour::Window));
        QApplication::setPalette(desktopPalette(QColor(240, 240, 240)));
        QTRY_COMPARE(theme.scheme(), Scheme::Light);
    }

    void thePersonsChoiceIsStrongerThanTheDesktop()
    {
        Theme theme;
        theme.setChoice(SchemeChoice::Light);
        QApplication::setPalette(desktopPalette(QColor(20, 20, 20)));
        QTRY_COMPARE(QApplication::palette().color(QPalette::Window), Theme::colour(Scheme::Light, Colour::Window));
        QCOMPARE(theme.scheme(), Scheme::Light);
    }

    void rolesOfWidgetsFollow()
    {
        Theme theme;
        theme.setChoice(SchemeChoice::Light);
        QLabel label;
        setTextColour(&label, Colour::Bad);
        setFontRole(&label, FontRole::Title);
        label.show();
        QCOMPARE(label.palette().color(QPalette::WindowText), Theme::colour(Scheme::Light, Colour::Bad));
        theme.setChoice(SchemeChoice::Dark);
        QCOMPARE(label.palette().color(QPalette::WindowText), Theme::colour(Scheme::Dark, Colour::Bad));
        theme.setTextScale(2.0);
        QCOMPARE(label.font().pixelSize(), 30);
    }

    void aMirroredTabHasItsMarksApart()
    {
        struct Bar : QTabBar
        {
            using QTabBar::initStyleOption;
        };
        Theme theme;
        Bar bar;
        setLook(&bar, TabLook::Document);
        bar.setLayoutDirection(Qt::RightToLeft);
        bar.addTab(theme.icon(Icon::Dot, Colour::Accent), u"Untitled 1"_s);
        auto *close = new QWidget;
        close->setFixedSize(20, 20);
        bar.setTabButton(0, QTabBar::RightSide, close);
        bar.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bar));
        QStyleOptionTab tab;
        bar.initStyleOption(&tab, 0);
        const QRect words = bar.style()->subElementRect(QStyle::SE_TabBarTabText, &tab, &bar);
        QVERIFY(close->geometry().right() <= words.left() + 1);
    }

    void aFieldOfLinesHasEdgesThatCanBeSeen()
    {
        Desk desk;
        QWidget window;
        QPlainTextEdit lines(&window);
        lines.resize(200, 100);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const auto edge = [&] { return QColor(lines.grab().toImage().pixel(0, lines.height() / 2)); };
        lines.clearFocus();
        QCOMPARE(edge(), desk.theme.colour(Colour::Edge));
        lines.setReadOnly(true);
        QCOMPARE(edge(), desk.theme.colour(Colour::Line));
        lines.setReadOnly(false);
        lines.setFocus();
        QTRY_COMPARE(edge(), desk.theme.colour(Colour::Accent));
    }

    void aBoxStandsApartFromItsWordsAtEverySize()
    {
        Theme theme;
        for (const qreal scale : {1.0, 2.0}) {
            theme.setTextScale(scale);
            QCheckBox box(u"Pause all agents"_s);
            box.resize(box.sizeHint());
            QStyleOptionButton option;
            option.initFrom(&box);
            option.text = box.text();
            const QRect mark = box.style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, &box);
            const QRect words = box.style()->subElementRect(QStyle::SE_CheckBoxContents, &option, &box);
            QCOMPARE(words.left() - mark.right(), theme.scaled(Space::s));
        }
    }

    void aMirroredChoiceReadsAsItIsWritten()
    {
        Theme theme;
        theme.setChoice(SchemeChoice::Light);
        for (const auto direction : {Qt::LeftToRight, Qt::RightToLeft}) {
            QComboBox choice;
            choice.addItem(u"1 mmmmmmmm"_s);
            choice.setLayoutDirection(direction);
            choice.resize(300, 30);
            // Without the frame, and without the half that has the arrow.
            const QImage words = choice.grab(QRect(direction == Qt::RightToLeft ? 150 : 6, 6, 144, 18)).toImage();
            const auto firstWith = [&](bool isInked, int from) {
                for (int x = from; x < words.width(); ++x) {
                    int differing = 0;
                    for (int y = 0; y < words.height(); ++y)
                        differing += words.pixel(x, y) != words.pixel(words.width() / 2, 0);
                    if ((differing > 0) == isInked)
                        return x;
                }
                return words.width();
            };
            const int first = firstWith(true, 0);
            QVERIFY(first < words.width());
            QVERIFY(firstWith(false, first) - first < 12); // the digit comes first
        }
    }

    void wordsOfALinkStandWhereOtherWordsDo()
    {
        Theme theme;
        theme.setChoice(SchemeChoice::Light);
        QPushButton link(u"Reset to the default"_s);
        setLook(&link, ButtonLook::Link);
        link.resize(link.sizeHint());
        const QImage picture = link.grab().toImage();
        const QColor ink = Theme::colour(Scheme::Light, Colour::Accent);
        int lines = 0;
        for (int y = 0; y < picture.height(); ++y)
            lines += picture.pixelColor(0, y) == ink;
        QVERIFY(lines > 0); // the line below the words begins at the edge
    }

    void theRingOfARowIsClosed()
    {
        Theme theme;
        theme.setChoice(SchemeChoice::Light);
        QStandardItemModel model(3, 2);
        QTreeView list;
        showRows(&list, &model);
        list.resize(400, 200);
        list.show();
        list.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&list));
        list.setFocus(Qt::TabFocusReason);
        QTest::keyClick(&list, Qt::Key_Down);
        QTest::keyClick(&list, Qt::Key_Down);
        const int middle = list.visualRect(list.currentIndex()).center().y();
        const QImage picture = list.viewport()->grab().toImage();
        const QColor ring = Theme::colour(Scheme::Light, Colour::Accent);
        QList<int> places;
        for (int x = 0; x < picture.width(); ++x) {
            if (picture.pixelColor(x, middle) == ring)
                places.append(x);
        }
        QVERIFY(!places.isEmpty());
        QVERIFY(places.first() < 3 && places.last() > picture.width() - 4);
        QVERIFY(places.size() < 8); // and nothing between
    }

    void anIconIsDrawnInTheColourOfTheMoment()
    {
        Theme theme;
        theme.setChoice(SchemeChoice::Light);
        const QIcon icon = theme.icon(Icon::Dot, Colour::Bad);
        const auto middle = [&] { return icon.pixmap(QSize(20, 20), 1.0).toImage().pixelColor(10, 10); };
        QCOMPARE(middle(), Theme::colour(Scheme::Light, Colour::Bad));
        theme.setChoice(SchemeChoice::Dark);
        QCOMPARE(middle(), Theme::colour(Scheme::Dark, Colour::Bad));
    }

    void arrowsGrowWithTheText()
    {
        Theme theme;
        const auto width = [] { // in columns that are drawn on
            QImage picture(60, 60, QImage::Format_RGB32);
            picture.fill(Qt::white);
            QPainter painter(&picture);
            QStyleOption option;
            option.rect = picture.rect();
            option.state = QStyle::State_Enabled;
            QApplication::style()->drawPrimitive(QStyle::PE_IndicatorArrowDown, &option, &painter);
            painter.end();
            int columns = 0;
            for (int x = 0; x < picture.width(); ++x) {
                bool isDrawnOn = false;
                for (int y = 0; y < picture.height(); ++y)
                    isDrawnOn = isDrawnOn || picture.pixel(x, y) != QColor(Qt::white).rgb();
                columns += isDrawnOn ? 1 : 0;
            }
            return columns;
        };
        const int usual = width();
        QVERIFY(usual > 4);
        theme.setTextScale(2.0);
        QVERIFY2(width() >= 2 * usual - 3, qPrintable(QString::number(width())));
    }

    void aChoiceShrinksWithTheText()
    {
        Theme theme;
        QWidget window;
        QComboBox choice(&window);
        choice.addItem(u"Any outcome"_s);
        window.show();
        const int usual = choice.minimumSizeHint().height();
        theme.setTextScale(2.0);
        QVERIFY(choice.minimumSizeHint().height() > usual);
        theme.setTextScale(1.0);
        QCOMPARE(choice.minimumSizeHint().height(), usual);
    }

    void textGrowsInBothFontsAndStaysInBounds()
    {
        Theme theme;
        theme.setTextScale(2.0);
        QCOMPARE(theme.font(FontRole::Base).pixelSize(), 26);
        QCOMPARE(theme.font(FontRole::Code).pixelSize(), 26);
        QCOMPARE(theme.size(Size::Control), 60);
        theme.setTextScale(99);
        QCOMPARE(theme.textScale(), 3.0);
        theme.setTextScale(0.01);
        QCOMPARE(theme.textScale(), 0.75);
    }
};

GLOVEBOX_TEST_FILE
{
    return runOnDesktopBus<TestTheme>(argc, argv);
}
#include "tst_theme.moc"
