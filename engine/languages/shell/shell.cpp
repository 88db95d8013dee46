// SPDX-License-Identifier: Apache-2.0
// How the shells are found and started: plainly, without a driver.
#include "engine/languages/interpreters.h"
#include "engine/languages/registry.h"

#include <QFile>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

class Shell : public Language
{
public:
    QStringList extensions() const override { return {id()}; }
    QString newExtension() const override { return u"sh"_s; }
    WritingStyle style() const override
    {
        // The last is the label of a case, and no call.
        static const WritingStyle style{.opens =
                                            QRegularExpression(u"[{[(]$|^(?!#).*\\b(then|do|else)$|^(?!#)[^(]*\\)$"_s)};
        return style;
    }

    QByteArray sourceText(const QByteArray &code) const override
    {
        // A shell takes the CR of a file from Windows for a part of the last word. Only when every line ends like that:
        // otherwise the CRs are meant.
        QByteArray text = Language::sourceText(code);
        if (const auto lines = text.count('\n'); lines > 0 && text.count("\r\n") == lines)
            text.replace("\r\n", "\n");
        return text;
    }

    QByteArray snippetName(const QString &) const override { return "main.sh"; }

    LaunchRecipe recipe(const InterpreterCandidate &interpreter, const QByteArrayList &args, const Limits &,
                        const QString &sourceName) const override
    {
        LaunchRecipe recipe;
        recipe.fileName = snippetName(sourceName);
        recipe.argv = {QFile::encodeName(interpreter.path), recipe.fileName};
        recipe.arguments = args;
        recipe.environment = sealedEnvironment(interpreter);
        recipe.folders = interpreter.folders;
        return recipe;
    }
};

class Bash : public Shell
{
public:
    QString id() const override { return u"bash"_s; }
    QString name() const override { return u"Bash"_s; }
    QStringList programs() const override { return {u"bash"_s}; }
    QStringList versionArguments() const override { return {u"--version"_s}; }
    QString package() const override { return u"bash"_s; }
};

class Sh : public Shell
{
public:
    QString id() const override { return u"sh"_s; }
    QString name() const override { return u"sh"_s; }
    QString codeName() const override { return u"shell"_s; }
    QStringList programs() const override { return {u"sh"_s}; }
    QStringList versionArguments() const override { return {}; } // dash has no such option
    QString package() const override { return u"dash"_s; }
    QString sharesExtensionsWith() const override { return u"bash"_s; }

    bool isSpokenBy(const QString &program) const override
    {
        return program == u"sh"_s || program == u"dash"_s || program == u"ash"_s || program == u"busybox"_s;
    }
};

} // namespace

std::unique_ptr<Language> makeBash()
{
    return std::make_unique<Bash>();
}

std::unique_ptr<Language> makeSh()
{
    return std::make_unique<Sh>();
}

} // namespace glovebox
