// SPDX-License-Identifier: Apache-2.0
// How Node.js is found and started: a driver that takes the job and then runs the snippet as the main module.
#include "engine/languages/interpreters.h"
#include "engine/languages/job.h"
#include "engine/languages/registry.h"

#include <QFile>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char nodeDriver[] =
#include "nodedriver.inc"
    ;

constexpr char nodeCells[] =
#include "nodecells.inc"
    ;

// V8 sizes its heap by the machine's memory; told the limit, it collects garbage before the limit ends the run. The rest is
// for what isn't in the old space: program, stacks, young objects, buffers.
qint64 oldSpaceMegabytes(const Limits &limits)
{
    constexpr qint64 rest = 80;
    const qint64 megabytes = limits.memoryBytes / mebibyte;
    return std::max(megabytes - rest, megabytes / 2);
}

class Node : public Language
{
public:
    QString id() const override { return u"node"_s; }
    QString name() const override { return u"Node.js"_s; }
    QStringList extensions() const override { return {u"js"_s, u"mjs"_s, u"cjs"_s}; }
    QString newExtension() const override { return u"mjs"_s; }
    QStringList programs() const override { return {u"node"_s, u"nodejs"_s}; }
    QStringList versionArguments() const override { return {u"--version"_s}; }
    QString package() const override { return u"nodejs"_s; }
    WritingStyle style() const override { return {.indentation = 2}; }
    bool variablesHoldBytes() const override { return false; }

    // The extension says which kind of module it is; of main.js the driver finds out.
    QByteArray snippetName(const QString &sourceName) const override
    {
        for (const char *extension : {"mjs", "cjs"}) {
            if (sourceName.endsWith(u'.' + QLatin1StringView(extension), Qt::CaseInsensitive))
                return QByteArray("main.") + extension;
        }
        return "main.js";
    }

    bool takesPackages() const override { return true; }
    QString examplePackages() const override { return u"lodash@4 chalk"_s; }
    // Both require() and import walk up from the importing file to /node_modules, whose link leads to the packages' own folder, from
    // which they find each other (https://nodejs.org/api/modules.html#loading-from-node_modules-folders).
    InterpreterCandidate withPackages(const InterpreterCandidate &interpreter, const QString &folder) const override
    {
        InterpreterCandidate with = interpreter;
        with.modules = folder + u"/node_modules"_s;
        with.folders.append(folder);
        return with;
    }

    LaunchRecipe recipe(const InterpreterCandidate &interpreter, const QByteArrayList &args, const Limits &limits,
                        const QString &sourceName) const override
    {
        LaunchRecipe recipe =
            startOf(interpreter, limits, {"driver.cjs", QByteArray(nodeDriver, sizeof nodeDriver - 1)});
        recipe.fileName = snippetName(sourceName);
        recipe.job = encodeJob(recipe.fileName, args);
        return recipe;
    }

    std::optional<InnerFile> toolModule(const QList<OfferedTool> &tools, quint16 port) const override
    {
        return nodeToolModule(tools, port);
    }

    CellText cellText(QByteArrayView text) const override { return nodeCellText(text); }

    std::optional<LaunchRecipe> cellRecipe(const InterpreterCandidate &interpreter, const Limits &limits) const override
    {
        return startOf(interpreter, limits, {"cells.cjs", QByteArray(nodeCells, sizeof nodeCells - 1)});
    }

private:
    static LaunchRecipe startOf(const InterpreterCandidate &interpreter, const Limits &limits, const InnerFile &script)
    {
        LaunchRecipe recipe;
        recipe.driver = {script};
        recipe.argv = {QFile::encodeName(interpreter.path),
                       "--max-old-space-size=" + QByteArray::number(oldSpaceMegabytes(limits)),
                       QByteArray(driverFolder) + '/' + script.name};
        recipe.environment = sealedEnvironment(interpreter);
        recipe.folders = interpreter.folders;
        recipe.modules = interpreter.modules;
        return recipe;
    }
};

} // namespace

std::unique_ptr<Language> makeNode()
{
    return std::make_unique<Node>();
}

} // namespace glovebox
