// SPDX-License-Identifier: Apache-2.0
// Whether a run ended because a module isn't there, by the last words of the interpreter, and which package has the module.
//
// Code that isn't trusted can print the same words. So it could choose a name, and never more than that: the name is told as the
// code's, with what speaks against it, and whoever installs the package does so sealed.
#include "installer.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostSaid = 32 * kibibyte; // the longest traceback that is read
constexpr int failedStatus = 1; // of both interpreters, when nothing caught the error

// Without what colours a terminal.
QByteArrayList lastLinesOf(const RunResult &result, bool hasTerminal)
{
    const CapturedOutput &output = hasTerminal ? result.out : result.err;
    const QByteArray said = (output.tail.isEmpty() ? output.head : output.tail).right(mostSaid);
    static const QRegularExpression drawing(u"\x1b\\[[0-9;]*[A-Za-z]|\r"_s);
    return QString::fromUtf8(said).remove(drawing).trimmed().toUtf8().split('\n');
}

bool isBesideCode(const QString &module, const QString &folder, const QStringList &suffixes)
{
    if (suffixes.isEmpty())
        return false;
    const QString path = folder + u'/' + module;
    QStringList patterns;
    for (const QString &suffix : suffixes) {
        if (QFileInfo::exists(path + suffix))
            return true;
        patterns.append(u'*' + suffix);
    }
    return !QDir(path).entryList(patterns, QDir::Files).isEmpty();
}

QList<Text> doubtsAboutChosen(const QString &package, const Installer &installer, bool isOfTable)
{
    if (isOfTable || installer.popularNames().contains(package))
        return {};
    const QList<Text> doubts = doubtsAbout({package}, installer.language());
    return doubts.isEmpty() ? QList{Text(QT_TRANSLATE_NOOP("engine", "The code chose the name \"%1\", and no package "
                                                                     "that many use has it."),
                                         {package})}
                            : doubts;
}

} // namespace

std::optional<MissingModule> missingModule(const RunResult &result, const CodeOfRun &code)
{
    if (code.language.isEmpty()) {
        for (const auto &language : Languages::all()) {
            if (auto missing = missingModule(
                    result, {.language = language->id(), .hasTerminal = code.hasTerminal, .folder = code.folder}))
                return missing;
        }
        return std::nullopt;
    }
    const auto found = installerOf(code.language);
    if (!found || result.outcome != Outcome::Failed || result.exitCode != failedStatus)
        return std::nullopt;
    const Installer &installer = **found;
    const QString module = installer.missedModule(lastLinesOf(result, code.hasTerminal));
    const auto package = module.isEmpty() ? std::nullopt : installer.packageOf(module);
    if (!package)
        return std::nullopt;
    const QString top = module.section(u'.', 0, 0).section(u'/', 0, 0);
    MissingModule missing{.language = code.language, .module = module, .package = {}, .doubts = {}};
    if (!code.folder.isEmpty() && isBesideCode(top, code.folder, installer.suffixesOfModules())) {
        missing.source = ModuleSource::FileBesideCode;
    } else if (installer.ownModules().contains(top)) {
        missing.source = ModuleSource::Language;
    } else if (package->isEmpty()) {
        missing.source = ModuleSource::SeveralPackages;
    } else {
        missing.package = *package;
        missing.doubts = doubtsAboutChosen(*package, installer, installer.namesOtherwise(module));
    }
    return missing;
}

Text wordsAbout(const MissingModule &missing)
{
    const QString module = recordable(missing.module);
    switch (missing.source) {
    case ModuleSource::Package:
        break;
    case ModuleSource::SeveralPackages:
        return Text(QT_TRANSLATE_NOOP("engine", "%1 isn't here, and the name doesn't say which package has it."),
                    {module});
    case ModuleSource::Language:
        return Text(QT_TRANSLATE_NOOP("engine", "%1 isn't here. %2 itself has it, in other versions or builds, and no "
                                                "package does."),
                    {module, Languages::byId(missing.language).value()->name()});
    case ModuleSource::FileBesideCode:
        return Text(
            QT_TRANSLATE_NOOP("engine", "%1 isn't here. The file lies beside your code, and the run wasn't shown it."),
            {module});
    }
    return missing.package == missing.module
               ? Text(QT_TRANSLATE_NOOP("engine", "%1 isn't here."), {module})
               : Text(QT_TRANSLATE_NOOP("engine", "%1 isn't here. The package %2 has it."), {module, missing.package});
}

} // namespace glovebox
