// SPDX-License-Identifier: Apache-2.0
// The layers over each other: default < file < environment < flag.
#include "settings.h"

#include "settingsfile.h"

#include <QDate>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QMutex>
#include <QThread>
#include <QUrl>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Tighter = SettingInfo::Tighter;
using Type = SettingInfo::Type;

// What is secret has no place in a file of settings, nor in the environment: a proxy that wants a password is reached through a
// local one that knows it.
Status checkProxy(const QString &text, const QString &source)
{
    const QUrl url(text, QUrl::StrictMode);
    if (!url.userInfo().isEmpty() || text.contains(u'@'))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "%1 must not hold a user's name or password. Name a proxy that "
                                                "needs none, such as one of this machine's that knows them."),
                    {source});
    const bool isPlain = url.isValid() && url.scheme() == u"http"_s && !url.host().isEmpty() && url.port() > 0
                         && (url.path().isEmpty() || url.path() == u"/"_s) && !url.hasQuery() && !url.hasFragment();
    if (!isPlain)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "%1 must be written as http://HOST:PORT, such as "
                                                "http://proxy.example.org:3128, not \"%2\"."),
                    {source, text});
    return {};
}

// "on", "asks" or "off"
QString quotedChoices(const QStringList &choices)
{
    QString quoted = u"\"%1\""_s.arg(choices.join(u"\", \""_s));
    if (const qsizetype last = quoted.lastIndexOf(u", "_s); last >= 0)
        quoted.replace(last, 2, u" or "_s);
    return quoted;
}

// The value in the schema's type, or why it can't be one. source: what to name in the sentence (a key, a variable, a file).
Result<QVariant> checked(const SettingInfo &info, const QVariant &value, const QString &source)
{
    if (info.type == Type::Integer) {
        bool isNumber = false;
        const qint64 number = value.toString().toLongLong(&isNumber); // "true" and "2.5" are none
        if (isNumber && number >= info.minimum && number <= info.maximum)
            return QVariant(number);
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "%1 must be a whole number from %2 to %3, not \"%4\"."),
                    {source, QString::number(info.minimum), QString::number(info.maximum), value.toString()});
    }
    if (info.type == Type::Boolean) {
        if (value.typeId() == QMetaType::Bool)
            return value;
        const QString word = value.toString().toLower();
        if (word == u"true"_s || word == u"1"_s || word == u"yes"_s || word == u"on"_s)
            return QVariant(true);
        if (word == u"false"_s || word == u"0"_s || word == u"no"_s || word == u"off"_s)
            return QVariant(false);
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "%1 must be true or false, not \"%2\"."),
                    {source, value.toString()});
    }
    if (value.typeId() != QMetaType::QString)
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "%1 must be a text, not \"%2\"."),
                    {source, value.toString()});
    if (info.key == u"engine.upstream_proxy"_s && !value.toString().isEmpty())
        RETURN_IF_ERROR(checkProxy(value.toString(), source));
    if (!info.choices.isEmpty() && !info.choices.contains(value.toString()))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "%1 must be %2, not \"%3\"."),
                    {source, quotedChoices(info.choices), value.toString()});
    return value;
}

// From JSON only the schema's own type: "256" is not 256 there.
Result<QVariant> checkedJson(const SettingInfo &info, const QJsonValue &value, const QString &source)
{
    const auto type = info.type == Type::Integer   ? QJsonValue::Double
                      : info.type == Type::Boolean ? QJsonValue::Bool
                                                   : QJsonValue::String;
    if (value.type() == type)
        return checked(info, value.toVariant(), source);
    const Text sentence = info.type == Type::Integer
                              ? Text(QT_TRANSLATE_NOOP("engine", "%1 must be a whole number without quotes."), {source})
                          : info.type == Type::Boolean
                              ? Text(QT_TRANSLATE_NOOP("engine", "%1 must be true or false, without quotes."), {source})
                              : Text(QT_TRANSLATE_NOOP("engine", "%1 must be a text in quotes."), {source});
    return fail(ErrorCode::InvalidInput, sentence);
}

// Whether a value grants nothing that the other doesn't.
bool isWithin(const SettingInfo &info, const QVariant &value, const QVariant &bounds)
{
    if (value == bounds)
        return true;
    switch (info.tighter) {
    case Tighter::Lower:
        return value.toLongLong() < bounds.toLongLong();
    case Tighter::LowerOrZeroLoosest:
        return bounds.toLongLong() == 0 || (value.toLongLong() != 0 && value.toLongLong() < bounds.toLongLong());
    case Tighter::True:
        return value.toBool();
    case Tighter::FewerWords: {
        const QStringList allowed = bounds.toString().split(u' ', Qt::SkipEmptyParts);
        return std::ranges::all_of(value.toString().split(u' ', Qt::SkipEmptyParts),
                                   [&](const QString &word) { return allowed.contains(word); });
    }
    case Tighter::LaterChoice:
        return info.choices.indexOf(value.toString()) > info.choices.indexOf(bounds.toString());
    case Tighter::Unordered:
        break;
    }
    return false;
}

// Where a value is given: later the folder may be gone, of which the run that wants it tells.
Status checkFolder(const QString &key, const QString &folder)
{
    const auto refuse = [&](const char *sentence) { return fail(ErrorCode::InvalidInput, sentence, {key, folder}); };
    const QFileInfo info(folder);
    if (folder.isEmpty() || (info.isAbsolute() && info.isDir()))
        return {};
    if (!info.isAbsolute())
        return refuse(
            QT_TRANSLATE_NOOP("engine", "%1 takes the whole path of a folder, beginning with /, not \"%2\"."));
    if (info.exists())
        return refuse(QT_TRANSLATE_NOOP("engine", "%1 takes a folder, and %2 isn't one. Name the folder that has the "
                                                  "file."));
    return refuse(QT_TRANSLATE_NOOP("engine", "%1 takes a folder, and there is none at %2. Make it first, or check its "
                                              "name."));
}

// Until there was a setting for each tool, mcp.ask was that of run_code: whoever tightened that is heeded.
constexpr auto formerAsk = "mcp.ask"_L1;
constexpr auto runCodeTool = "mcp.run_code"_L1;

using Layer = QHash<QString, QVariant>;

// Variables that begin as those of settings do, and are none.
const QStringList otherVariables{u"GLOVEBOX_HOME"_s, u"GLOVEBOX_TOKEN"_s, u"GLOVEBOX_PACKAGES"_s};
constexpr auto testVariables = "GLOVEBOX_TEST_"_L1;

// Somebody who writes "strcit" believes that runs are strict: a name that nobody knows is an error, wherever it stands.
Status unknownName(const QString &path, const QString &name, const QStringList &candidates)
{
    return fail(ErrorCode::InvalidInput,
                aboutUnknown(QT_TRANSLATE_NOOP("engine", "%1: unknown setting \"%2\". Correct its name or remove it."),
                             QT_TRANSLATE_NOOP("engine", "%1: unknown setting \"%2\". Did you mean \"%3\"? Correct its "
                                                         "name or remove it."),
                             {path, name}, candidates));
}

Status checkNames(const QJsonObject &root, const QString &path)
{
    QStringList keys, groups;
    for (const SettingInfo &info : Settings::schema()) {
        keys.append(info.key);
        groups.append(info.key.section(u'.', 0, 0));
    }
    for (auto group = root.begin(); group != root.end(); ++group) {
        if (!groups.contains(group.key()))
            return unknownName(path, group.key(), groups);
        const QJsonObject settings = group->toObject();
        for (auto setting = settings.begin(); setting != settings.end(); ++setting) {
            if (const QString key = group.key() + u'.' + setting.key(); !keys.contains(key) && key != formerAsk)
                return unknownName(path, key, keys);
        }
    }
    return {};
}

Result<Layer> layerFrom(const SettingsFile &file)
{
    ASSIGN_OR_RETURN(const auto root, file.read());
    RETURN_IF_ERROR(checkNames(root, file.path()));
    Layer layer;
    for (const SettingInfo &info : Settings::schema()) {
        const auto value = SettingsFile::valueAt(root, info.key);
        if (!value)
            return fail(
                ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine",
                                  "In the settings %1, \"%2\" must be an object. Correct the file, or move it aside."),
                {file.path(), info.key.section(u'.', 0, 0)});
        if (value->isUndefined())
            continue;
        ASSIGN_OR_RETURN(const auto setting, checkedJson(info, *value, file.path() + u": "_s + info.key));
        layer.insert(info.key, setting);
    }
    if (!layer.contains(runCodeTool) && SettingsFile::valueAt(root, formerAsk) == QJsonValue(true))
        layer.insert(runCodeTool, u"asks"_s);
    return layer;
}

// Empty: none is near.
QString nearestVariable(const QString &name)
{
    QStringList endings;
    for (const QString &variable : otherVariables)
        endings.append(variable.sliced(SettingInfo::variablePrefix.size()));
    for (const SettingInfo &info : Settings::schema())
        endings.append(info.variable().sliced(SettingInfo::variablePrefix.size()));
    const QString meant = nearest(name.sliced(SettingInfo::variablePrefix.size()), endings);
    return meant.isEmpty() ? meant : SettingInfo::variablePrefix + meant;
}

Result<Layer> layerFrom(const QStringList &environment)
{
    Layer layer;
    for (const QString &pair : environment) {
        const QString name = pair.section(u'=', 0, 0);
        if (!name.startsWith(SettingInfo::variablePrefix) || name.startsWith(testVariables)
            || otherVariables.contains(name))
            continue;
        const auto info = std::ranges::find(Settings::schema(), name, &SettingInfo::variable);
        if (info == Settings::schema().end()) {
            const QString meant = nearestVariable(name);
            return fail(ErrorCode::InvalidInput,
                        meant.isEmpty() ? QT_TRANSLATE_NOOP("engine", "Unknown environment variable %1. Correct its "
                                                                      "name or unset it.")
                                        : QT_TRANSLATE_NOOP("engine", "Unknown environment variable %1. Did you mean "
                                                                      "%2? Correct its name or unset it."),
                        meant.isEmpty() ? QStringList{name} : QStringList{name, meant});
        }
        ASSIGN_OR_RETURN(const auto setting, checked(*info, pair.mid(name.size() + 1), name));
        layer.insert(info->key, setting);
    }
    return layer;
}

QJsonValue toJsonValue(const SettingInfo &info, const QVariant &value)
{
    if (info.type == Type::Integer)
        return value.toLongLong();
    if (info.type == Type::Boolean)
        return value.toBool();
    return value.toString();
}

} // namespace

struct Settings::Private
{
    explicit Private(const QString &path)
        : file(path)
    {
    }

    SettingsFile file;
    EnvironmentMay environmentMay = EnvironmentMay::SetAnything;
    mutable QMutex mutex; // guards the layers
    Layer fileLayer;
    Layer environmentLayer;
    Layer flagLayer;

    // Below the flags; with the mutex.
    SettingValue setting(const SettingInfo &info) const
    {
        SettingValue given{info.defaultValue, SettingOrigin::Default};
        if (const auto it = fileLayer.constFind(info.key); it != fileLayer.constEnd())
            given = {*it, SettingOrigin::File};
        const auto it = environmentLayer.constFind(info.key);
        if (it == environmentLayer.constEnd()
            || (environmentMay == EnvironmentMay::OnlyTighten && !isWithin(info, *it, given.value)))
            return given;
        return {*it, SettingOrigin::Environment};
    }

    // An error for the first variable that would grant more than may be.
    Status checkEnvironment() const
    {
        for (const SettingInfo &info : schema()) {
            if (!environmentLayer.contains(info.key) || setting(info).origin == SettingOrigin::Environment)
                continue;
            return fail(ErrorCode::InvalidInput,
                        info.tighter == Tighter::Unordered
                            ? Text(QT_TRANSLATE_NOOP("engine", "%1 is set in the environment, which may not change %2 "
                                                               "here. Take the variable out."),
                                   {info.variable(), info.key})
                            : Text(QT_TRANSLATE_NOOP("engine", "%1 is \"%2\" in the environment, which may only "
                                                               "tighten %3 here (\"%4\"). Take the variable out."),
                                   {info.variable(), environmentLayer.value(info.key).toString(), info.key,
                                    setting(info).value.toString()}));
        }
        return {};
    }

    // Changes one key of the file and takes over what other programs wrote there meanwhile.
    Status change(const QString &key, const QJsonValue &value)
    {
        RETURN_IF_ERROR(layerFrom(file)); // a file that isn't valid stays as it is
        RETURN_IF_ERROR(file.change(key, value));
        if (key == runCodeTool)
            RETURN_IF_ERROR(file.change(formerAsk, QJsonValue::Undefined));
        return reload();
    }

    Status reload()
    {
        ASSIGN_OR_RETURN(auto layer, layerFrom(file));
        const QMutexLocker lock(&mutex);
        fileLayer = std::move(layer);
        return {};
    }
};

Settings::Settings(std::unique_ptr<Private> priv)
    : d(std::move(priv))
{
}

Settings::~Settings() = default;

Result<std::unique_ptr<Settings>> Settings::load(const QString &file, const QStringList &environment,
                                                 EnvironmentMay may)
{
    auto d = std::make_unique<Private>(file);
    ASSIGN_OR_RETURN(d->fileLayer, layerFrom(d->file));
    ASSIGN_OR_RETURN(d->environmentLayer, layerFrom(environment));
    d->environmentMay = may;
    RETURN_IF_ERROR(d->checkEnvironment());
    return std::unique_ptr<Settings>(new Settings(std::move(d)));
}

Result<const SettingInfo *> Settings::info(const QString &key)
{
    const auto &schema = Settings::schema();
    const auto it = std::ranges::find(schema, key, &SettingInfo::key);
    if (it == schema.end()) {
        QStringList keys;
        for (const SettingInfo &info : schema)
            keys.append(info.key);
        return fail(ErrorCode::NotFound,
                    aboutUnknown(QT_TRANSLATE_NOOP("engine", "Unknown setting \"%1\"."),
                                 QT_TRANSLATE_NOOP("engine", "Unknown setting \"%1\". Did you mean \"%2\"?"), {key},
                                 keys));
    }
    return &*it;
}

SettingValue Settings::value(const QString &key) const
{
    const auto info = Settings::info(key);
    Q_ASSERT(info);
    if (!info)
        return {};
    const QMutexLocker lock(&d->mutex);
    const auto flag = d->flagLayer.constFind(key);
    return flag == d->flagLayer.constEnd() ? d->setting(**info) : SettingValue{*flag, SettingOrigin::Flag};
}

Status Settings::setFlag(const QString &key, const QVariant &value)
{
    ASSIGN_OR_RETURN(const auto info, Settings::info(key));
    ASSIGN_OR_RETURN(const auto setting, checked(*info, value, key));
    const QMutexLocker lock(&d->mutex);
    d->flagLayer.insert(key, setting);
    return {};
}

Status Settings::store(const QString &key, const QVariant &value)
{
    ASSIGN_OR_RETURN(const auto info, Settings::info(key));
    ASSIGN_OR_RETURN(const auto setting, checked(*info, value, key));
    if (info->isFolder)
        RETURN_IF_ERROR(checkFolder(key, setting.toString()));
    return d->change(key, toJsonValue(*info, setting));
}

Status Settings::remove(const QString &key)
{
    RETURN_IF_ERROR(Settings::info(key));
    return d->change(key, QJsonValue::Undefined);
}

Status Settings::reload()
{
    return d->reload();
}

Result<QString> Settings::moveAside(const QString &file)
{
    const QString wanted = file + u".broken-"_s + QDate::currentDate().toString(Qt::ISODate);
    QString aside = wanted;
    for (int i = 2; QFileInfo::exists(aside) || QFileInfo(aside).isSymLink(); ++i)
        aside = u"%1-%2"_s.arg(wanted).arg(i);
    QFile broken(file);
    if (!broken.rename(aside))
        return fail(ErrorCode::Io,
                    QT_TRANSLATE_NOOP("engine", "%1 can't be renamed (%2). Check the permissions of its folder."),
                    {file, broken.errorString()});
    return aside;
}

Policy Settings::policy() const
{
    const auto number = [this](const QString &key) { return value(key).value.toLongLong(); };
    Policy policy;
    policy.limits.wall = std::chrono::seconds(number(u"run.wall_seconds"_s));
    if (const qint64 cpu = number(u"run.cpu_seconds"_s); cpu > 0)
        policy.limits.cpu = std::chrono::seconds(cpu);
    if (const int share = int(number(u"run.cpu_percent"_s)); share > 0)
        policy.limits.cpuPercent = share;
    policy.limits.memoryBytes = number(u"run.memory_mb"_s) * mebibyte;
    policy.limits.processes = int(number(u"run.processes"_s));
    policy.limits.outputBytes = number(u"run.output_bytes"_s);
    policy.limits.diskBytes = number(u"run.disk_mb"_s) * mebibyte;
    if (const qint64 traffic = number(u"run.traffic_mb"_s); traffic > 0)
        policy.limits.trafficBytes = traffic * mebibyte;
    if (const qint64 bandwidth = number(u"run.bandwidth_kb"_s); bandwidth > 0)
        policy.limits.bandwidthBytes = bandwidth * kibibyte;
    policy.strict = value(u"run.strict"_s).value.toBool();
    policy.backend = value(u"run.backend"_s).value.toString();
    return policy;
}

int Settings::maxConcurrent() const
{
    const int set = value(u"engine.max_concurrent"_s).value.toInt();
    return set > 0 ? set : std::max(1, QThread::idealThreadCount());
}

int Settings::queueLimit() const
{
    return value(u"engine.queue_limit"_s).value.toInt();
}

} // namespace glovebox
