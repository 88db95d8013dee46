// SPDX-License-Identifier: Apache-2.0
// The tokens themselves: contrast of every pair of text and ground, and that every icon is there and crisp.
#include "app/workbench/shell/look/iconengine.h"
#include "tests/app/workbench/desk/desk.h"

#include <QDir>
#include <QJsonDocument>

using namespace glovebox;

namespace {

// WCAG 2.2, relative luminance and contrast ratio.
double luminance(const QColor &colour)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (qMax(la, lb) + 0.05) / (qMin(la, lb) + 0.05);
}

const QList<Colour> textColours{Colour::Text, Colour::Dim, Colour::Accent, Colour::Ok,
                                Colour::Warn, Colour::Bad, Colour::Info};
const QList<Colour> grounds{Colour::Window,  Colour::Panel,      Colour::Raised,
                            Colour::Pressed, Colour::AccentWash, Colour::CurrentLine};
const QList<Colour> codeTexts{Colour::CodeComment, Colour::CodeKeyword, Colour::CodeString, Colour::CodeNumber,
                              Colour::CodeFunction};
const QList<Colour> codeGrounds{Colour::Panel, Colour::Raised, Colour::Pressed, Colour::CurrentLine,
                                Colour::AccentWash};

} // namespace

class TestTokens : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void allTextCanBeRead_data()
    {
        QTest::addColumn<Scheme>("scheme");
        QTest::addColumn<double>("least");
        QTest::newRow("light") << Scheme::Light << 4.5;
        QTest::newRow("dark") << Scheme::Dark << 4.5;
        QTest::newRow("high contrast") << Scheme::HighContrast << 7.0;
    }

    void allTextCanBeRead()
    {
        QFETCH(Scheme, scheme);
        QFETCH(double, least);
        QStringList weak;
        const auto check = [&](Colour text, Colour ground) {
            const double ratio = contrast(Theme::colour(scheme, text), Theme::colour(scheme, ground));
            if (ratio < least)
                weak.append(QStringLiteral("%1 on %2: %3").arg(int(text)).arg(int(ground)).arg(ratio, 0, 'f', 2));
        };
        for (const Colour ground : grounds) {
            for (const Colour text : textColours)
                check(text, ground);
        }
        for (const Colour ground : codeGrounds) {
            for (const Colour text : codeTexts)
                check(text, ground);
        }
        check(Colour::OnAccent, Colour::Accent);
        check(Colour::Panel, Colour::Text); // a terminal's cursor
        for (const Colour tone : {Colour::Bad, Colour::Ok}) { // a difference
            for (const Wash wash : {Wash::Line, Wash::Word}) {
                const Colour text = wash == Wash::Line ? tone : Colour::Text; // a sign, a word
                const double ratio = contrast(Theme::colour(scheme, text), Theme::wash(scheme, tone, wash));
                if (ratio < least)
                    weak.append(QStringLiteral("%1 on its wash: %2").arg(int(tone)).arg(ratio, 0, 'f', 2));
            }
        }
        QCOMPARE(weak, QStringList());
    }

    void theFocusRingAndTheEdgesOfFieldsCanBeSeen()
    {
        // WCAG 2.2, 1.4.11: 3.0 for what isn't text.
        QStringList weak;
        for (const Scheme scheme : {Scheme::Light, Scheme::Dark, Scheme::HighContrast}) {
            for (const Colour ground : {Colour::Window, Colour::Panel, Colour::Raised, Colour::Pressed}) {
                for (const Colour graphic : {Colour::Accent, Colour::Edge, Colour::Dim}) {
                    const double ratio = contrast(Theme::colour(scheme, graphic), Theme::colour(scheme, ground));
                    if (ratio < 3.0)
                        weak.append(QStringLiteral("%1: %2 on %3: %4")
                                        .arg(int(scheme))
                                        .arg(int(graphic))
                                        .arg(int(ground))
                                        .arg(ratio, 0, 'f', 2));
                }
            }
        }
        QCOMPARE(weak, QStringList());
    }

    void everyIconIsThereInItsOneColour()
    {
        for (int i = 1; i < iconCount; ++i) {
            const QByteArray source = iconSource(Icon(i), QColor(0x12, 0x34, 0x56));
            QVERIFY2(!source.isEmpty(), qPrintable(iconName(Icon(i))));
            QVERIFY2(source.contains("#123456"), qPrintable(iconName(Icon(i))));
            QVERIFY2(!source.contains("currentColor"), qPrintable(iconName(Icon(i))));
            QVERIFY2(source.contains("viewBox=\"0 0 20 20\"") && source.contains("stroke-width=\"1.6\""),
                     qPrintable(iconName(Icon(i))));
        }
    }

    void noIconIsThereForNothing()
    {
        QStringList files = QDir(QStringLiteral(":/glovebox/icons")).entryList({QStringLiteral("*.svg")});
        files.removeAll(QStringLiteral("io.github.glovebox.Workbench.svg"));
        QCOMPARE(files.size(), iconCount - 1);
    }

    void iconsAreDrawnAtTheScreensOwnResolution()
    {
        Theme theme;
        for (const int scale : {1, 2, 3}) {
            const QPixmap pixmap = theme.icon(Icon::Stop).pixmap(QSize(20, 20), scale);
            QCOMPARE(pixmap.size(), QSize(20 * scale, 20 * scale));
            // The edge of the filled square is sharp: next to a full pixel there is an empty one, at most one apart.
            const QImage image = pixmap.toImage();
            const int y = image.height() / 2;
            int between = 0;
            for (int x = 0; x < image.width() / 2; ++x) {
                const int alpha = qAlpha(image.pixel(x, y));
                between += alpha > 0 && alpha < 255;
            }
            QVERIFY2(between <= 1, qPrintable(QStringLiteral("%1 pixels of blur at %2x").arg(between).arg(scale)));
        }
    }

    void codeThemesAreBundledWithTheTokensColours()
    {
        for (const Scheme scheme : {Scheme::Light, Scheme::Dark, Scheme::HighContrast}) {
            const QString name = Theme::codeThemeName(scheme);
            QFile file(QStringLiteral(":/org.kde.syntax-highlighting/themes-addons/%1.theme")
                           .arg(name.toLower().replace(QLatin1Char(' '), QLatin1Char('-'))));
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
            const QJsonObject theme = QJsonDocument::fromJson(file.readAll()).object();
            QCOMPARE(theme[QStringLiteral("metadata")][QStringLiteral("name")].toString(), name);
            QCOMPARE(theme[QStringLiteral("text-styles")][QStringLiteral("Keyword")][QStringLiteral("text-color")]
                         .toString(),
                     Theme::colour(scheme, Colour::CodeKeyword).name());
            QCOMPARE(theme[QStringLiteral("editor-colors")][QStringLiteral("BackgroundColor")].toString(),
                     Theme::colour(scheme, Colour::Panel).name());
        }
    }
};

GLOVEBOX_TEST_MAIN(TestTokens)
#include "tst_tokens.moc"
