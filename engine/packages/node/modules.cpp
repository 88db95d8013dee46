// SPDX-License-Identifier: Apache-2.0
#include "modules.h"

#include "npmlock.h"

#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char builtInModules[] =
#include "node-standard.inc"
    ;

} // namespace

QString missedNodeModule(const QByteArrayList &lines)
{
    // The last line is Node's own (since 17), which it prints when nothing caught the error.
    qsizetype at = lines.size() - 1;
    if (!lines.value(at).startsWith("Node.js v"))
        return {};
    // The error as util.inspect() prints it: message, stack, properties.
    static const QRegularExpression message(
        uR"(^Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '([^']{1,300})'(?: imported from .+)?$)"_s);
    static const QRegularExpression below(
        uR"(^(?:|\}|Require stack:|- .+|    at .+|  [A-Za-z]+: .+|    '.+',?|  \],?|Did you mean .+)$)"_s);
    bool saysItsCode = false;
    while (--at >= 0) {
        const QString line = QString::fromUtf8(lines[at]);
        if (const auto match = message.match(line); match.hasMatch())
            return saysItsCode ? match.captured(1) : QString();
        if (!below.match(line).hasMatch())
            return {};
        saysItsCode = saysItsCode || line.startsWith(u"  code: 'MODULE_NOT_FOUND'")
                      || line.startsWith(u"  code: 'ERR_MODULE_NOT_FOUND'");
    }
    return {};
}

const QStringList &nodesOwnModules()
{
    static const QStringList names = namesInList(builtInModules);
    return names;
}

std::optional<QString> packageOfNodeModule(const QString &module)
{
    const QString name = module.section(u'/', 0, module.startsWith(u'@') ? 1 : 0);
    const bool isFile = module.startsWith(u'.') || module.startsWith(u'/') || module.startsWith(u'#');
    return isFile || !isNpmName(name) || (module.startsWith(u'@') && !name.contains(u'/')) ? std::nullopt
                                                                                           : std::optional(name);
}

} // namespace glovebox
