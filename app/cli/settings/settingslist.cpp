// SPDX-License-Identifier: Apache-2.0
#include "settingslist.h"

#include "app/cli/terminal/terminal.h"

#include <QJsonObject>
#include <QProcessEnvironment>

namespace glovebox {

using namespace Qt::StringLiterals;

Result<std::unique_ptr<Settings>> settingsOfPerson(const Paths &paths)
{
    return Settings::load(paths.settingsFile(), QProcessEnvironment::systemEnvironment().toStringList());
}

QJsonArray toJson(const Settings &settings)
{
    QJsonArray values;
    for (const SettingInfo &info : Settings::schema()) {
        const SettingValue value = settings.value(info.key);
        values.append(QJsonObject{{u"key"_s, info.key},
                                  {u"value"_s, QJsonValue::fromVariant(value.value)},
                                  {u"origin"_s, toString(value.origin)}});
    }
    return values;
}

QByteArray shownSettings(const Settings &settings)
{
    QByteArray lines;
    for (const SettingInfo &info : Settings::schema()) {
        const SettingValue value = settings.value(info.key);
        lines += escapedLine(u"%1 %2 %3 %4"_s.arg(info.key, -22)
                                 .arg(value.value.toString(), -10)
                                 .arg(toString(value.origin), -12)
                                 .arg(info.description.english())
                                 .toUtf8())
                 + '\n';
    }
    return lines;
}

} // namespace glovebox
