// SPDX-License-Identifier: Apache-2.0
// Renders every page in every look into <build>/screens, on a real screen under a window manager. The README's picture of the
// bench is taken here. What a program can judge is checked: the size holds, nothing is wider than the window, words beside a mark and on
// a button are whole, and looks differ.
#include "app/workbench/bench/policy/editors/popover.h"
#include "tests/app/workbench/desk/picture.h"

#include <QAbstractButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

struct Look
{
    const char *name;
    SchemeChoice scheme;
    QSize size;
    bool mirrored = false;
    qreal text = 1.0;
};

constexpr QSize usual(1360, 860);
constexpr QSize small(900, 600);
constexpr Look looks[] = {
    {"light", SchemeChoice::Light, usual},
    {"dark", SchemeChoice::Dark, usual},
    {"contrast", SchemeChoice::HighContrast, usual},
    {"mirrored", SchemeChoice::Light, usual, true},
    {"small", SchemeChoice::Dark, small},
    {"large-text", SchemeChoice::Light, small, false, 2.0},
    {"smallest", SchemeChoice::Dark, {640, 480}, true},
};

// The part of a widget's width that the widgets around it leave; what lies above it, such as a sheet, doesn't count.
int shownWidth(const QWidget &widget)
{
    QRect shown(widget.mapTo(widget.window(), QPoint()), widget.size());
    for (const QWidget *around = widget.parentWidget(); around; around = around->parentWidget())
        shown &= QRect(around->mapTo(around->window(), QPoint()), around->size());
    return shown.width();
}

// Buttons whose words don't fit where they stand.
QStringList cutButtons(QWidget &window)
{
    QStringList cut;
    for (const QWidget *widget : visibleWidgets(&window)) {
        const auto *button = qobject_cast<const QAbstractButton *>(widget);
        if (button && !button->text().isEmpty() && shownWidth(*button) < button->sizeHint().width())
            cut.append(describe(button) + u": "_s + button->text());
    }
    return cut;
}

} // namespace

class TestScreens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyPageInEveryLook_data()
    {
        QTest::addColumn<int>("look");
        for (int i = 0; i < int(std::size(looks)); ++i)
            QTest::newRow(looks[i].name) << i;
    }

    void everyPageInEveryLook()
    {
        QFETCH(int, look);
        const Look &wanted = looks[look];
        QApplication::setLayoutDirection(wanted.mirrored ? Qt::RightToLeft : Qt::LeftToRight);
        {
            Desk desk;
            desk.theme.setChoice(wanted.scheme);
            desk.theme.setTextScale(wanted.text);
            desk.frame.resize(wanted.size);
            desk.show();
            desk.openEngine();
            desk.runExample();
            QString difference;
            desk.walk([&](const QString &name, const Page &page) {
                const QString picture = name + u'-' + QString::fromLatin1(wanted.name);
                QVERIFY2(desk.save(picture), qPrintable(picture));
                if (picture == u"bench-light")
                    difference = differenceFromPicture(desk, picture);
                QCOMPARE(desk.frame.size(), wanted.size);
                QWidget *widget = const_cast<Page &>(page).widget();
                QVERIFY2(widget->minimumSizeHint().width() <= widget->width(), qPrintable(name));
                QCOMPARE(cutButtons(desk.frame), QStringList());
                for (const Popover *sheet : desk.frame.findChildren<Popover *>()) {
                    if (sheet->isVisible())
                        QVERIFY2(desk.frame.rect().contains(sheet->geometry()), qPrintable(name));
                }
            });
            QVERIFY2(difference.isEmpty(), qPrintable(difference));
            desk.context.actions().trigger(u"frame.palette"_s);
            Desk::settle();
            QVERIFY(desk.save(u"palette-"_s + QString::fromLatin1(wanted.name)));
        }
        QApplication::setLayoutDirection(Qt::LeftToRight);
    }

    void troubleAndNotes()
    {
        Desk desk;
        desk.frame.resize(usual);
        desk.show();
        desk.context.setEngineError(
            {ErrorCode::Damaged,
             Text("The settings in %1 can't be read: line 3, column 7. Mend the file, or move it "
                  "away to start from the defaults.",
                  {u"/home/ada/.config/glovebox/settings.json"_s}),
             Text("A comma or a closing brace is missing.")});
        desk.context.notifications().show(
            {.id = u"note"_s,
             .tone = Tone::Warn,
             .text = u"resize.mjs was changed by another program. Your text here is untouched."_s,
             .detail = {},
             .remedies = {{u"Load theirs"_s, [] { }}, {u"Keep mine"_s, [] { }}},
             .stays = true});
        Desk::settle();
        QVERIFY(desk.save(u"trouble"_s));
    }
};

GLOVEBOX_TEST_MAIN(TestScreens)
#include "tst_screens.moc"
