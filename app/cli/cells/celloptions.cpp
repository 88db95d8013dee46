// SPDX-License-Identifier: Apache-2.0
#include "celloptions.h"

#include <QFile>
#include <QFileInfo>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Refusal = std::unexpected<QString>;

// Options that a run has and a cell can't have. %1: the session, as it was typed.
struct Barred
{
    const char *option;
    const char16_t *why;
};
constexpr auto noCopy = u"An interpreter that stays works in the session itself, not in a copy. Leave out one of both.";
constexpr auto noInput = u"Cells have no input. Read from a file of the session: glovebox session put %1 FILE";
constexpr auto noFiles = u"Put files into the session: glovebox session put %1 FILE";
constexpr auto noGrants = u"An interpreter that stays gets no hosts and secrets. Run that code without --stateful.";
constexpr auto noPackages = u"Install packages into the session: glovebox session install %1 --python NAME";
constexpr auto noSaving = u"Files that cells leave are in the session: glovebox session get %1 FILE";
constexpr Barred barred[] = {
    {"--parallel", noCopy},
    {"--detach", noCopy},
    {"--stdin", noInput},
    {"--tty", noInput},
    {"--file", noFiles},
    {"--mount", noFiles},
    {"--apply", noFiles},
    {"--allow", noGrants},
    {"--traffic", noGrants},
    {"--bandwidth", noGrants},
    {"--secret", noGrants},
    {"--secret-file", noGrants},
    {"--passphrase-file", noGrants},
    {"--artifacts", noSaving},
    {"--with", noPackages},
    {"--allow-source", noPackages},
    {"--allow-scripts", noPackages},
    {"--lock", noPackages},
    {"--locked", noPackages},
    {"--index", noPackages},
    {"--refresh", noPackages},
    {"--yes", noPackages},
};

// Of all files alike; nothing: the files don't tell.
std::expected<const Language *, QString> languageOf(const QByteArrayList &files)
{
    const Language *language = nullptr;
    for (const QByteArray &file : files) {
        const auto told = Languages::detect(QFileInfo(QFile::decodeName(file)).fileName(), {});
        if (told && language && *told != language)
            return Refusal(
                u"The files are in %1 and %2, and one interpreter can't run both. Name files of one language."_s.arg(
                    language->name(), (*told)->name()));
        if (told)
            language = *told;
    }
    return language;
}

} // namespace

std::expected<CellOptions, QString> cellOptions(const Arguments &arguments, bool stdinIsTerminal)
{
    const auto session = arguments.value("--session");
    if (!session)
        return Refusal(
            u"--stateful needs a session, whose files the interpreter works with: --session SESSION. To make "
            "one: glovebox session create --name NAME"_s);
    for (const Barred &one : barred) {
        if (arguments.has(one.option)) {
            QString why = QString::fromUtf16(one.why);
            if (why.contains(u"%1"_s))
                why = why.arg(asShellWord(*session));
            return Refusal(u"%1 can't be used with --stateful. %2"_s.arg(QLatin1StringView(one.option), why));
        }
    }
    if (!arguments.afterDashes.isEmpty())
        return Refusal(u"Cells take no arguments. Write them into the code, and leave out \"--\" and what follows."_s);
    CellOptions options;
    if (auto status = readSharedOptions(arguments, options.run); !status)
        return Refusal(status.error());
    options.keepsGoing = arguments.has("-k");
    options.code = arguments.values("-c");
    options.files = arguments.positional;
    if (options.files.contains(""))
        return Refusal(u"The name of a file is empty (an unset variable?)."_s);
    if (!options.code.isEmpty() && !options.files.isEmpty())
        return Refusal(u"Cells can come from one place only: from -c CODE, from files, or from standard input."_s);
    if (options.files.contains("-") && options.files.size() > 1)
        return Refusal(u"\"-\" is all of standard input, so no other files can be named with it."_s);
    if (options.files == QByteArrayList{"-"})
        options.files.clear();
    options.isTyped = stdinIsTerminal && options.code.isEmpty() && options.files.isEmpty();

    auto language = options.run.language.isEmpty() ? languageOf(options.files) : *Languages::byId(options.run.language);
    if (!language)
        return Refusal(language.error());
    if (!*language)
        language = &Languages::fallback();
    if (!(*language)->cellRecipe({}, {}))
        return Refusal(
            u"No interpreter for %1 can stay; interpreters for %2 can. Run the code without --stateful."_s.arg(
                (*language)->name(),
                Languages::namesOf([](const Language &each) { return each.cellRecipe({}, {}).has_value(); })));
    options.run.language = (*language)->id();
    return options;
}

} // namespace glovebox
