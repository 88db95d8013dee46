// SPDX-License-Identifier: Apache-2.0
#include "modules.h"

#include "engine/packages/installer.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char ownModules[] =
#include "python-standard.inc"
    ;
constexpr char packagesOfModules[] =
#include "python-modules.inc"
    ;

constexpr QStringView noPackage = u"-";

const QHash<QString, QString> &packagesByModule()
{
    static const auto all = [] {
        QHash<QString, QString> read;
        for (const QString &pair : namesInList(packagesOfModules))
            read.insert(pair.section(u'=', 0, 0), pair.section(u'=', 1));
        return read;
    }();
    return all;
}

} // namespace

QString missedPythonModule(const QByteArrayList &lines)
{
    static const QRegularExpression last(u"^ModuleNotFoundError: No module named '([A-Za-z_][A-Za-z0-9_.]{0,99})'$"_s);
    const auto match = last.match(QString::fromUtf8(lines.value(lines.size() - 1)));
    if (!match.hasMatch())
        return {};
    // Above is the traceback that the interpreter prints, and nothing but it.
    qsizetype first = lines.size() - 1;
    while (first > 0 && lines[first - 1].startsWith("  "))
        --first;
    const bool isTraceback =
        first < lines.size() - 1 && first > 0 && lines[first - 1] == "Traceback (most recent call last):";
    return isTraceback ? match.captured(1) : QString();
}

const QStringList &pythonsOwnModules()
{
    static const QStringList names = namesInList(ownModules);
    return names;
}

std::optional<QString> packageOfPythonModule(const QString &module)
{
    for (QString part = module; !part.isEmpty(); part = part.left(std::max<qsizetype>(part.lastIndexOf(u'.'), 0))) {
        if (const auto found = packagesByModule().constFind(part); found != packagesByModule().cend())
            return *found == noPackage ? QString() : *found;
    }
    return module.contains(u'.') ? std::nullopt : std::optional(normalizedPackageName(module));
}

} // namespace glovebox
