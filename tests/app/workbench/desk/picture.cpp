// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QTabBar>

#include <algorithm>
#include <cstdlib>

namespace glovebox {
namespace {

// Of the text chunks in the file.
constexpr QLatin1StringView widgetsKey("Widgets"), drawnByKey("Drawn by");

constexpr qsizetype mostTold = 9; // of a difference

bool isOfThisRun(const QString &text)
{
    return std::ranges::any_of(text, [](QChar c) { return c.isDigit(); });
}

QString wordsOf(const QWidget &widget)
{
    if (const auto *button = qobject_cast<const QAbstractButton *>(&widget))
        return button->text();
    if (const auto *label = qobject_cast<const QLabel *>(&widget))
        return label->text();
    if (const auto *field = qobject_cast<const QLineEdit *>(&widget))
        return field->text() + field->placeholderText();
    if (const auto *choice = qobject_cast<const QComboBox *>(&widget))
        return choice->currentText();
    QStringList words;
    if (const auto *tabs = qobject_cast<const QTabBar *>(&widget)) {
        for (int tab = 0; tab < tabs->count(); ++tab)
            words.append(tabs->tabText(tab));
    }
    return words.join(QStringLiteral(" | "));
}

constexpr QLatin1StringView story("bench.story"); // of what the run tried, sentence by sentence

bool isInStory(const QWidget &widget)
{
    for (const QWidget *around = widget.parentWidget(); around; around = around->parentWidget()) {
        if (around->objectName() == story)
            return true;
    }
    return false;
}

// A line each.
QString widgetsOf(Desk &desk)
{
    QStringList lines;
    for (const QWidget *widget : visibleWidgets(&desk.frame)) {
        const QString words = wordsOf(*widget).simplified();
        if (isInStory(*widget) || (words.isEmpty() && widget->objectName().isEmpty())) // some are Qt's own
            continue;
        lines.append(describe(widget) + QStringLiteral(": ") + (isOfThisRun(words) ? QStringLiteral("...") : words));
    }
    return lines.join(u'\n');
}

// Begins with the version of Qt.
QString drawnBy()
{
    QStringList parts{QString::fromLatin1(qVersion())};
    for (const QFont &font : {QApplication::font(), QFontDatabase::systemFont(QFontDatabase::FixedFont)})
        parts.append(QFontInfo(font).family() + u' '
                     + QString::number(QFontMetricsF(font).horizontalAdvance(QStringLiteral("Quick brown foxes"))));
    return parts.join(QStringLiteral(", "));
}

// Without what a run prints and lists.
QImage withoutRun(QImage image, Desk &desk)
{
    image = image.convertToFormat(QImage::Format_RGB32);
    QPainter painter(&image);
    for (const QWidget *widget : visibleWidgets(&desk.frame)) {
        const bool lists = qobject_cast<const QAbstractItemView *>(widget) || qobject_cast<const QTabBar *>(widget)
                           || widget->inherits("glovebox::OutputView") || widget->objectName() == story;
        if (lists || isOfThisRun(wordsOf(*widget)))
            painter.fillRect(QRect(widget->mapTo(&desk.frame, QPoint()), widget->size()), Qt::black);
    }
    return image;
}

// Squares of the picture whose mean colours differ; a blinking caret is less.
QString differentSquares(const QImage &before, const QImage &now)
{
    constexpr int side = 20, tolerance = 24;
    if (before.size() != now.size())
        return QStringLiteral("The size of the window differs.");
    const QSize squares = now.size() / side;
    const auto mean = [&](const QImage &image) {
        return image.scaled(squares, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
            .convertToFormat(QImage::Format_RGB32);
    };
    const QImage first = mean(before), second = mean(now);
    QStringList found;
    for (int y = 0; y < squares.height(); ++y) {
        for (int x = 0; x < squares.width(); ++x) {
            const QColor a = first.pixelColor(x, y), b = second.pixelColor(x, y);
            if (std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()), std::abs(a.blue() - b.blue())})
                > tolerance)
                found.append(QStringLiteral("%1,%2").arg(x * side).arg(y * side));
        }
    }
    return found.isEmpty()
               ? QString()
               : QStringLiteral("Looks differ at ") + found.first(std::min(found.size(), mostTold)).join(u' ');
}

QString difference(const QImage &picture, const QImage &now, Desk &desk)
{
    const QString by = picture.text(drawnByKey);
    if (by.section(u',', 0, 0) != now.text(drawnByKey).section(u',', 0, 0))
        return {}; // another Qt may have other widgets of its own
    const QStringList before = picture.text(widgetsKey).split(u'\n'), after = now.text(widgetsKey).split(u'\n');
    if (before != after) {
        QStringList lines;
        for (const QString &line : before) {
            if (!after.contains(line))
                lines.append(QStringLiteral("- ") + line);
        }
        for (const QString &line : after) {
            if (!before.contains(line))
                lines.append(QStringLiteral("+ ") + line);
        }
        if (lines.size() > mostTold)
            lines = lines.first(mostTold) + QStringList{QStringLiteral("...")};
        return lines.isEmpty() ? QStringLiteral("The order of widgets differs.") : lines.join(u'\n');
    }
    if (by != now.text(drawnByKey))
        return {};
    return differentSquares(withoutRun(picture, desk), withoutRun(now, desk));
}

} // namespace

QString differenceFromPicture(Desk &desk, const QString &picture)
{
    Desk::settle();
    QImage now = desk.image();
    now.setText(widgetsKey, widgetsOf(desk));
    now.setText(drawnByKey, drawnBy());
    const QString path = QStringLiteral(GLOVEBOX_SOURCE_DIR "/resources/images/") + picture + QStringLiteral(".png");
    QString found = difference(QImage(path), now, desk);
    if (!found.isEmpty() && qEnvironmentVariableIsSet("GLOVEBOX_TEST_WRITE_PICTURES")) {
        if (!now.save(path))
            return path + QStringLiteral(" can't be written.");
        found = difference(QImage(path), now, desk);
    }
    if (found.isEmpty())
        return {};
    return QStringLiteral("%1 shows another window. Look at it and take it anew: GLOVEBOX_TEST_WRITE_PICTURES=1 "
                          "./installer/dev test -R 'tst_(screens|historydetails)$'\n%2")
        .arg(path, found);
}

} // namespace glovebox
