// SPDX-License-Identifier: Apache-2.0
// How Python is found and started: as `python3 main.py`, held back by the driver until its job arrives.
#include "engine/languages/interpreters.h"
#include "engine/languages/job.h"
#include "engine/languages/registry.h"

#include <QFile>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char pythonDriver[] =
#include "pythondriver.inc"
    ;

constexpr char pythonCells[] =
#include "pythoncells.inc"
    ;

// As the Python of the build's machine keeps it: other versions look for a file of another name, and compile the text, which
// costs each start 0.7 ms of 8 (compile() sets up the types of syntax trees first).
const QList<InnerFile> &compiledDriver()
{
    static const QList<InnerFile> files = {
#include "pythoncompiled.inc"
    };
    return files;
}

class Python : public Language
{
public:
    QString id() const override { return u"python"_s; }
    QString name() const override { return u"Python"_s; }
    QByteArray prompt() const override { return ">>> "; }
    QStringList extensions() const override { return {u"py"_s, u"pyw"_s}; }
    QStringList programs() const override { return {u"python3"_s}; }
    QStringList versionArguments() const override { return {u"--version"_s}; }
    QString package() const override { return u"python3"_s; }
    WritingStyle style() const override
    {
        static const WritingStyle style{.opens = QRegularExpression(u"[{[(]$|^(?!#).*:$"_s),
                                        .leaves = QRegularExpression(u"^(return|pass|break|continue|raise)\\b"_s),
                                        .bracesAreBlocks = false};
        return style;
    }

    bool isSpokenBy(const QString &program) const override
    {
        return program == u"python"_s || program.startsWith(u"python3"_s) || program.startsWith(u"pypy3"_s);
    }

    QByteArray snippetName(const QString &) const override { return "main.py"; }

    bool takesPackages() const override { return true; }
    QString examplePackages() const override { return u"numpy pandas>=2"_s; }
    bool namesPackagesInCode() const override { return true; }
    // A virtual environment (PEP 405): Python finds its packages by the name that it is started by.
    InterpreterCandidate withPackages(const InterpreterCandidate &interpreter, const QString &folder) const override
    {
        InterpreterCandidate with = interpreter;
        with.path = folder + u"/bin/python3"_s;
        with.folders.append(folder);
        return with;
    }

    LaunchRecipe recipe(const InterpreterCandidate &interpreter, const QByteArrayList &args, const Limits &,
                        const QString &sourceName) const override
    {
        LaunchRecipe recipe;
        recipe.fileName = snippetName(sourceName);
        // -B: no __pycache__ among the files that the run leaves. No -I or -E: the environment is made up already, and the
        // processes that multiprocessing starts would inherit them.
        recipe.argv = {QFile::encodeName(interpreter.path), "-B", recipe.fileName};
        // How Python gets to import the driver; the driver removes it.
        recipe.environment = sealedEnvironment(interpreter) + QByteArrayList{QByteArray("PYTHONPATH=") + driverFolder};
        recipe.driver = QList<InnerFile>{{"sitecustomize.py", QByteArray(pythonDriver, sizeof pythonDriver - 1)}}
                        + compiledDriver();
        recipe.job = encodeJob(recipe.fileName, args);
        recipe.folders = interpreter.folders;
        return recipe;
    }

    std::optional<InnerFile> toolModule(const QList<OfferedTool> &tools, quint16 port) const override
    {
        return pythonToolModule(tools, port);
    }

    CellText cellText(QByteArrayView text) const override { return pythonCellText(text); }

    std::optional<LaunchRecipe> cellRecipe(const InterpreterCandidate &interpreter, const Limits &) const override
    {
        LaunchRecipe recipe;
        recipe.driver = {{"cells.py", QByteArray(pythonCells, sizeof pythonCells - 1)}};
        recipe.argv = {QFile::encodeName(interpreter.path), "-B",
                       QByteArray(driverFolder) + '/' + recipe.driver.first().name};
        recipe.environment = sealedEnvironment(interpreter);
        recipe.folders = interpreter.folders;
        return recipe;
    }
};

} // namespace

std::unique_ptr<Language> makePython()
{
    return std::make_unique<Python>();
}

} // namespace glovebox
