// SPDX-License-Identifier: Apache-2.0
// The room's public header: what a person set, layer over layer, with the origin of every value.
#pragma once

#include "profiles.h"

#include "engine/policy/policy.h"

#include <QJsonValue>
#include <QVariant>

#include <memory>
#include <vector>

namespace glovebox {

enum class SettingOrigin { Default, File, Environment, Flag };

template<>
inline constexpr auto enumNames<SettingOrigin> = namesOf<SettingOrigin>({
    {SettingOrigin::Default, "default"},
    {SettingOrigin::File, "file"},
    {SettingOrigin::Environment, "environment"},
    {SettingOrigin::Flag, "flag"},
});

// One entry of the typed schema (schema.cpp holds the table). key "run.memory_mb" is read from the environment as
// GLOVEBOX_RUN_MEMORY_MB and from the file as {"run":{"memory_mb":256}}.
struct SettingInfo
{
    enum class Type { Integer, Boolean, String };
    // Which of two values grants less.
    enum class Tighter {
        Unordered, // neither
        Lower,
        LowerOrZeroLoosest, // 0: no limit
        True,
        FewerWords, // separated by spaces
        LaterChoice,
    };
    QString key;
    Type type = Type::Integer;
    QVariant defaultValue;
    qint64 minimum = 0, maximum = 0; // integers only; in the unit that the key names
    Tighter tighter = Tighter::Unordered;
    Text description;
    QStringList choices; // strings only: the words that it can be; none: any
    bool isFolder = false; // strings only: the whole path of one of this machine, or empty

    static constexpr QLatin1StringView variablePrefix{"GLOVEBOX_"};
    QString variable() const; // of the environment

    bool operator==(const SettingInfo &) const = default;
};

struct SettingValue
{
    QVariant value;
    SettingOrigin origin = SettingOrigin::Default;

    bool operator==(const SettingValue &) const = default;
};

// Whether the environment is the person's own, or may be written by others (a repository's .mcp.json): then it can ask for less
// than default and file grant, never for more.
enum class EnvironmentMay { SetAnything, OnlyTighten };

// The keys are in schema(). Of bench.allow only the workbench takes notice: what `glovebox run` may reach stands in its command.
// vault.signing_key is heeded until the install has its key. Thread-safe.
class Settings
{
public:
    // A file that is not valid, a name in it or of a variable GLOVEBOX_... that is unknown, or a value of the wrong type or out of range
    // (file or environment), is an error that names file, line or key: what a person tightened is never replaced by a default in silence. A
    // missing file is fine. environment: NAME=value pairs (QProcessEnvironment's list form); tests pass their own. One that may only
    // tighten and loosens, or changes what has no order, is such an error, too; when the file becomes tighter later, the file's value
    // holds.
    static Result<std::unique_ptr<Settings>> load(const QString &file, const QStringList &environment,
                                                  EnvironmentMay may = EnvironmentMay::SetAnything);
    ~Settings();

    static const std::vector<SettingInfo> &schema();
    // NotFound, with the name that was meant.
    static Result<const SettingInfo *> info(const QString &key);

    SettingValue value(const QString &key) const; // of the schema's type; the key must be in the schema
    // The flag layer: for this process only. InvalidInput names the range.
    Status setFlag(const QString &key, const QVariant &value);
    // Writes the file (atomic, 0600), unless it isn't valid. A folder must be there, for which this blocks as long as its file system.
    Status store(const QString &key, const QVariant &value);
    Status remove(const QString &key);
    // Takes what people and other programs wrote there since. Of a file that isn't valid nothing is taken.
    Status reload();
    // Renames a file that can't be used to FILE.broken-DATE, so that the defaults are in force: only ever on the person's
    // word, because what was tightened in it (run.strict) no longer is. Returns its new name.
    static Result<QString> moveAside(const QString &file);

    Policy policy() const; // the default policy of a new run
    int maxConcurrent() const;
    int queueLimit() const;

private:
    struct Private;
    explicit Settings(std::unique_ptr<Private> priv);
    std::unique_ptr<Private> d;
};

} // namespace glovebox
