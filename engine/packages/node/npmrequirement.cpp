// SPDX-License-Identifier: Apache-2.0
// Reads names of npm packages strictly: whatever npm would take for an address, a path, an alias or an option is refused here.
#include "npmlock.h"

#include <QJsonDocument>
#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

bool isNpmName(const QString &name)
{
    // https://github.com/npm/validate-npm-package-name: new names, at most 214 characters.
    static const QRegularExpression form(u"^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$"_s);
    constexpr qsizetype longest = 214;
    return name.size() <= longest && form.match(name).hasMatch() && name != u"node_modules"_s;
}

Result<Requirement> npmRequirement(const QString &text)
{
    const QString word = text.trimmed();
    const qsizetype at = word.indexOf(u'@', 1);
    const QString name = at < 0 ? word : word.first(at);
    const QString versions = at < 0 ? QString() : word.sliced(at + 1);
    // A range or a tag, without white space.
    static const QRegularExpression range(u"^[A-Za-z0-9.*^~<>=|+-]{1,100}$"_s);
    const bool isSound = isNpmName(name) && (at < 0 || range.match(versions).hasMatch()) && !word.startsWith(u'-');
    if (!isSound)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "\"%1\" is not a package of a registry. Write a name with versions, such "
                                      "as lodash@4 or @types/node@^20."),
                    {recordable(text.left(100))});
    return Requirement{name, word};
}

QByteArray packageJson(const QList<Requirement> &requirements)
{
    QJsonObject dependencies;
    for (const Requirement &requirement : requirements) {
        if (requirement.text != requirement.name)
            dependencies[requirement.name] = requirement.text.sliced(requirement.name.size() + 1);
        else if (!dependencies.contains(requirement.name))
            dependencies[requirement.name] = u"*"_s;
    }
    return QJsonDocument({{u"name"_s, u"packages"_s}, {u"private"_s, true}, {u"dependencies"_s, dependencies}})
        .toJson(QJsonDocument::Compact);
}

} // namespace glovebox
