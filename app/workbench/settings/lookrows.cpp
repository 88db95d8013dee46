// SPDX-License-Identifier: Apache-2.0
#include "lookrows.h"

#include "rows/choicerow.h"
#include "rows/textrow.h"

#include <QCoreApplication>
#include <QFontDatabase>
#include <QShowEvent>

#include <cmath>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int smallestPercent = 75, largestPercent = 300; // what Theme takes

struct LookWords
{
    Q_DECLARE_TR_FUNCTIONS(LookRows)
};

QString originOf(bool isDefault)
{
    return isDefault ? LookWords::tr("Default") : LookWords::tr("Set here");
}

SettingRow *makeColours(Theme &theme, QWidget *parent)
{
    auto *row = new ChoiceRow(theme, u"look.colours"_s, LookWords::tr("Colours"),
                              LookWords::tr("\"As the system\" follows the system's choice as it changes."), parent);
    row->choice().addItem(LookWords::tr("As the system"), int(SchemeChoice::System));
    row->choice().addItem(LookWords::tr("Light"), int(SchemeChoice::Light));
    row->choice().addItem(LookWords::tr("Dark"), int(SchemeChoice::Dark));
    row->choice().addItem(LookWords::tr("High contrast"), int(SchemeChoice::HighContrast));
    const auto show = [row, &theme] {
        row->choice().setCurrentIndex(row->choice().findData(int(theme.choice())));
        row->showOrigin(originOf(theme.choice() == SchemeChoice::System), theme.choice() != SchemeChoice::System);
    };
    QObject::connect(&row->choice(), &QComboBox::activated, row,
                     [row, &theme] { theme.setChoice(SchemeChoice(row->choice().currentData().toInt())); });
    QObject::connect(row, &SettingRow::resetWanted, row, [&theme] { theme.setChoice(SchemeChoice::System); });
    QObject::connect(&theme, &Theme::changed, row, show);
    show();
    return row;
}

SettingRow *makeTextSize(Theme &theme, QWidget *parent)
{
    const auto parse = [](const QString &typed) -> std::expected<QVariant, QString> {
        QString number = typed.trimmed();
        if (number.endsWith(u'%'))
            number.chop(1);
        bool isNumber = false;
        const int percent = number.trimmed().toInt(&isNumber);
        if (!isNumber || percent < smallestPercent || percent > largestPercent)
            return std::unexpected(LookWords::tr("Between %1% and %2%.").arg(smallestPercent).arg(largestPercent));
        return percent / 100.0;
    };
    auto *row = new TextRow(theme, u"look.text-size"_s, LookWords::tr("Size of text"),
                            LookWords::tr("The size of all text, also of code and output. The commands \"Larger text\" "
                                          "and \"Smaller text\" change it everywhere."),
                            LookWords::tr("zoom font"), parse, parent);
    const auto show = [row, &theme] {
        const auto percent = std::lround(theme.textScale() * 100);
        row->showText(QString::number(percent) + u'%');
        row->showOrigin(originOf(percent == 100), percent != 100);
    };
    QObject::connect(row, &TextRow::chosen, row, [&theme, show](const QVariant &scale) {
        theme.setTextScale(scale.toDouble());
        show(); // "110" becomes "110%" also where it was that already
    });
    QObject::connect(row, &SettingRow::resetWanted, row, [&theme] { theme.setTextScale(1.0); });
    QObject::connect(&theme, &Theme::changed, row, show);
    show();
    return row;
}

// The fonts are asked for when the list is about to be seen: it takes a while where there are many.
class FontRow : public ChoiceRow
{
public:
    FontRow(Theme &theme, QWidget *parent)
        : ChoiceRow(theme, u"look.code-font"_s, LookWords::tr("Font of code"),
                    LookWords::tr("For code, output, paths and hashes."), parent)
        , m_theme(theme)
    {
        connect(&choice(), &QComboBox::activated, this,
                [this] { m_theme.setCodeFamily(choice().currentData().toString()); });
        connect(this, &SettingRow::resetWanted, this, [this] { m_theme.setCodeFamily({}); });
        connect(&theme, &Theme::changed, this, &FontRow::take);
        choice().addItem(LookWords::tr("The usual one"), QString());
        take();
    }

protected:
    void showEvent(QShowEvent *event) override
    {
        ChoiceRow::showEvent(event);
        if (m_filled)
            return;
        m_filled = true;
        for (const QString &family : QFontDatabase::families()) {
            if (QFontDatabase::isFixedPitch(family) && !QFontDatabase::isPrivateFamily(family)
                && choice().findData(family) < 0)
                choice().addItem(family, family);
        }
        take();
    }

private:
    void take()
    {
        const QString family = m_theme.codeFamily();
        if (choice().findData(family) < 0)
            choice().addItem(family, family);
        choice().setCurrentIndex(choice().findData(family));
        const bool missing = !family.isEmpty() && !QFontDatabase::families().contains(family);
        showError(missing ? LookWords::tr("This font is no longer installed; the usual one is used.") : QString());
        showOrigin(originOf(family.isEmpty()), !family.isEmpty());
    }

    Theme &m_theme;
    bool m_filled = false;
};

} // namespace

QList<SettingRow *> makeLookRows(Theme &theme, QWidget *parent)
{
    return {makeColours(theme, parent), makeTextSize(theme, parent), new FontRow(theme, parent)};
}

} // namespace glovebox
