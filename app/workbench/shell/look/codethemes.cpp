// SPDX-License-Identifier: Apache-2.0
// Run by the build: writes the KSyntaxHighlighting theme of each scheme from the tokens into the given folder.
#include "app/workbench/shell/theme.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <utility>

using namespace glovebox;

namespace {

struct Style
{
    const char *name; // https://docs.kde.org/stable5/en/kate/katepart/color-themes.html
    Colour colour;
    bool bold = false;
};

constexpr Style styles[] = {
    {"Normal", Colour::Text},
    {"Keyword", Colour::CodeKeyword},
    {"Function", Colour::CodeFunction},
    {"Variable", Colour::Text},
    {"ControlFlow", Colour::CodeKeyword},
    {"Operator", Colour::Text},
    {"BuiltIn", Colour::CodeFunction},
    {"Extension", Colour::CodeFunction},
    {"Preprocessor", Colour::CodeKeyword},
    {"Attribute", Colour::CodeFunction},
    {"Char", Colour::CodeString},
    {"SpecialChar", Colour::CodeNumber},
    {"String", Colour::CodeString},
    {"VerbatimString", Colour::CodeString},
    {"SpecialString", Colour::CodeString},
    {"Import", Colour::CodeKeyword},
    {"DataType", Colour::CodeFunction},
    {"DecVal", Colour::CodeNumber},
    {"BaseN", Colour::CodeNumber},
    {"Float", Colour::CodeNumber},
    {"Constant", Colour::CodeNumber},
    {"Comment", Colour::CodeComment},
    {"Documentation", Colour::CodeComment},
    {"Annotation", Colour::CodeComment, true},
    {"CommentVar", Colour::CodeComment},
    {"RegionMarker", Colour::CodeComment},
    {"Information", Colour::Info},
    {"Warning", Colour::Warn},
    {"Alert", Colour::Bad, true},
    {"Others", Colour::Text},
    {"Error", Colour::Bad},
};

constexpr std::pair<const char *, Colour> editorColours[] = {
    {"BackgroundColor", Colour::Panel},
    {"BracketMatching", Colour::AccentWash},
    {"CodeFolding", Colour::Pressed},
    {"CurrentLine", Colour::CurrentLine},
    {"CurrentLineNumber", Colour::Text},
    {"IconBorder", Colour::Panel},
    {"IndentationLine", Colour::Line},
    {"LineNumbers", Colour::Dim},
    {"MarkBookmark", Colour::Info},
    {"MarkBreakpointActive", Colour::Bad},
    {"MarkBreakpointDisabled", Colour::Dim},
    {"MarkBreakpointReached", Colour::Warn},
    {"MarkError", Colour::Bad},
    {"MarkExecution", Colour::Accent},
    {"MarkWarning", Colour::Warn},
    {"ModifiedLines", Colour::Warn},
    {"ReplaceHighlight", Colour::AccentWash},
    {"SavedLines", Colour::Ok},
    {"SearchHighlight", Colour::AccentWash},
    {"Separator", Colour::Line},
    {"SpellChecking", Colour::Bad},
    {"TabMarker", Colour::Line},
    {"TemplateBackground", Colour::Raised},
    {"TemplateFocusedPlaceholder", Colour::AccentWash},
    {"TemplatePlaceholder", Colour::Pressed},
    {"TemplateReadOnlyPlaceholder", Colour::Raised},
    {"TextSelection", Colour::AccentWash},
    {"WordWrapMarker", Colour::Line},
};

QJsonObject themeOf(Scheme scheme)
{
    QJsonObject textStyles;
    for (const Style &style : styles) {
        const QString colour = Theme::colour(scheme, style.colour).name();
        QJsonObject entry{{QStringLiteral("text-color"), colour}, {QStringLiteral("selected-text-color"), colour}};
        if (style.bold)
            entry.insert(QStringLiteral("bold"), true);
        textStyles.insert(QString::fromLatin1(style.name), entry);
    }
    QJsonObject editor;
    for (const auto &[name, role] : editorColours)
        editor.insert(QString::fromLatin1(name), Theme::colour(scheme, role).name());
    return {
        {QStringLiteral("_comments"), QStringLiteral("Written by the build from tokens.cpp. SPDX: Apache-2.0")},
        {QStringLiteral("metadata"),
         QJsonObject{{QStringLiteral("name"), Theme::codeThemeName(scheme)}, {QStringLiteral("revision"), 1}}},
        {QStringLiteral("text-styles"), textStyles},
        {QStringLiteral("editor-colors"), editor},
    };
}

} // namespace

int main(int argc, char *argv[])
{
    if (argc != 2)
        return 2;
    for (const Scheme scheme : {Scheme::Light, Scheme::Dark, Scheme::HighContrast}) {
        const QString name = Theme::codeThemeName(scheme).toLower().replace(QLatin1Char(' '), QLatin1Char('-'));
        QFile file(QFile::decodeName(argv[1]) + QLatin1Char('/') + name + QStringLiteral(".theme"));
        if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(themeOf(scheme)).toJson()) < 0)
            return 1;
    }
    return 0;
}
