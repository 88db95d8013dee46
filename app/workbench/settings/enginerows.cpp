// SPDX-License-Identifier: Apache-2.0
#include "enginerows.h"

#include "app/workbench/shell/words/limitwords.h"
#include "app/workbench/shell/words/words.h"
#include "rows/choicerow.h"
#include "rows/kindsrow.h"
#include "rows/textrow.h"

#include "engine/network/network.h"
#include "engine/vault/vault.h"

#include <QCheckBox>
#include <QCoreApplication>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(EngineRows)
};

// A setting that is a limit of a run is read and written in the words of the policy sentence.
struct LimitSetting
{
    QLatin1StringView key;
    LimitKind kind;
    qint64 unit; // of the setting, in that of the kind
};
constexpr LimitSetting limitSettings[] = {
    {"run.wall_seconds"_L1, LimitKind::Wall, 1000},          {"run.cpu_seconds"_L1, LimitKind::CpuTime, 1000},
    {"run.cpu_percent"_L1, LimitKind::CpuShare, 1},          {"run.memory_mb"_L1, LimitKind::Memory, mebibyte},
    {"run.processes"_L1, LimitKind::Processes, 1},           {"run.output_bytes"_L1, LimitKind::Output, 1},
    {"run.disk_mb"_L1, LimitKind::Disk, mebibyte},           {"run.traffic_mb"_L1, LimitKind::Traffic, mebibyte},
    {"run.bandwidth_kb"_L1, LimitKind::Bandwidth, kibibyte},
};

const LimitSetting *limitOf(const QString &key)
{
    const auto *it = std::ranges::find(limitSettings, key, &LimitSetting::key);
    return it == std::end(limitSettings) ? nullptr : it;
}

QString titleOf(const SettingInfo &info)
{
    if (const LimitSetting *limit = limitOf(info.key))
        return limitTitle(limit->kind);
    if (info.key == "run.strict"_L1)
        return Words::tr("Strict");
    if (info.key == "bench.allow"_L1)
        return Words::tr("Hosts that are always allowed");
    if (info.key == "artifacts.files"_L1)
        return Words::tr("Files that are kept of a run");
    if (info.key == "artifacts.total_mb"_L1)
        return Words::tr("MB that are kept of a run's files");
    if (info.key == "engine.upstream_proxy"_L1)
        return Words::tr("Proxy");
    if (info.key == "packages.index"_L1)
        return Words::tr("Package index");
    if (info.key == "packages.npm_index"_L1)
        return Words::tr("Registry of Node.js packages");
    if (info.key == "packages.wheels"_L1)
        return Words::tr("Folder of wheels");
    if (info.key == "vault.store"_L1)
        return Words::tr("Place of secrets");
    if (info.key == "vault.signing_key"_L1)
        return Words::tr("Place of the signing key");
    if (info.key == "leaks.ignore"_L1)
        return Words::tr("Searched secrets");
    if (info.key == "window.shortcuts"_L1)
        return Words::tr("Shortcuts");
    if (info.key == "mcp.paused"_L1)
        return Words::tr("Pause all agents");
    if (info.key == "mcp.workbench"_L1)
        return Words::tr("Ask about agents' runs in this window");
    if (info.key == "mcp.runs_at_once"_L1)
        return Words::tr("Runs of an agent at once");
    if (info.key == "mcp.runs_a_minute"_L1)
        return Words::tr("Runs of an agent a minute");
    if (info.key == "mcp.unpaired_at_once"_L1)
        return Words::tr("Runs of unpaired agents at once");
    if (info.key == "mcp.unpaired_a_minute"_L1)
        return Words::tr("Runs of unpaired agents a minute");
    if (info.key == "mcp.hosts"_L1)
        return Words::tr("Hosts for agents");
    if (info.key == "mcp.secrets"_L1)
        return Words::tr("Keys for agents");
    if (info.key == "mcp.folders"_L1)
        return Words::tr("Folders for agents");
    if (info.key == "mcp.limits"_L1)
        return Words::tr("Wider limits for agents");
    if (info.key == "mcp.packages"_L1)
        return Words::tr("Packages for agents");
    if (info.key == "mcp.tools"_L1)
        return Words::tr("Tools of servers for agents");
    if (info.key == "mcp.elicitation"_L1)
        return Words::tr("Agents' own windows");
    if (info.key.startsWith("mcp."_L1) && !info.choices.isEmpty())
        return Words::tr("The tool %1").arg(info.key.section(u'.', 1));
    if (info.key == "engine.max_concurrent"_L1)
        return Words::tr("Runs at the same time");
    if (info.key == "engine.queue_limit"_L1)
        return Words::tr("Runs that may wait");
    return translated(info.description);
}

QString explanationOf(const SettingInfo &info)
{
    if (const LimitSetting *limit = limitOf(info.key))
        return limitExplanation(limit->kind);
    if (info.key == "bench.allow"_L1)
        return Words::tr(
            "Names with spaces between them, for example example.org files.example.org:8443. Remove one to "
            "take it back.");
    if (info.key == "leaks.ignore"_L1)
        return Words::tr("Code before a run and its output afterwards are searched for these. Those that aren't ticked "
                         "are passed over. No run is ever kept back for it.");
    if (info.key == "window.shortcuts"_L1)
        return Words::tr("Keys that differ from the default, as \"bench.run=Ctrl+R; bench.save=\". The sheet of "
                         "shortcuts changes them.");
    QString text = translated(info.description) + Words::tr(".", "end of a sentence");
    if (info.key.startsWith("engine."_L1))
        text += u' ' + Words::tr("A change here counts from the next start of Glovebox.");
    return text;
}

QString choiceText(const QString &choice)
{
    return choice == u"on"_s         ? Words::tr("On", "what agents may do")
           : choice == u"asks"_s     ? Words::tr("Asks", "what agents may do")
           : choice == u"off"_s      ? Words::tr("Off", "what agents may do")
           : choice == u"keychain"_s ? Words::tr("Keychain")
           : choice == u"file"_s     ? Words::tr("File")
                                     : choice;
}

QString textOf(const SettingInfo &info, const QVariant &value)
{
    if (!info.choices.isEmpty())
        return choiceText(value.toString());
    if (const LimitSetting *limit = limitOf(info.key))
        return limitText(limit->kind, value.toLongLong() * limit->unit);
    if (info.type == SettingInfo::Type::Boolean)
        return value.toBool() ? Words::tr("on") : Words::tr("off");
    if (info.key == "bench.allow"_L1 && value.toString().isEmpty())
        return Words::tr("none", "hosts that are always allowed");
    if (info.key == "leaks.ignore"_L1 && value.toString().isEmpty())
        return Words::tr("all of them", "kinds of secrets that are looked for");
    return value.toString();
}

QString originOf(const SettingInfo &info, const SettingValue &value)
{
    switch (value.origin) {
    case SettingOrigin::File:
        return Words::tr("Set here; the default is: %1").arg(textOf(info, info.defaultValue));
    case SettingOrigin::Environment:
        return Words::tr("Overridden by the environment variable %1.").arg(info.variable());
    case SettingOrigin::Flag:
        return Words::tr("Overridden when this window was started.");
    case SettingOrigin::Default:
        break;
    }
    return Words::tr("Default");
}

bool isGivenFromOutside(const SettingValue &value)
{
    return value.origin == SettingOrigin::Environment || value.origin == SettingOrigin::Flag;
}

std::expected<QVariant, QString> parseLimitSetting(const SettingInfo &info, const LimitSetting &limit,
                                                   const QString &typed)
{
    const LimitSpan span{std::max<qint64>(info.minimum, 1) * limit.unit, info.maximum * limit.unit}; // 0 is no limit
    const auto value = parseLimit(limit.kind, typed, span);
    if (!value)
        return std::unexpected(value.error());
    if (*value % limit.unit != 0)
        return std::unexpected(limit.unit == mebibyte   ? Words::tr("In whole MB, without a fraction.")
                               : limit.unit == kibibyte ? Words::tr("In whole KB a second, without a fraction.")
                                                        : Words::tr("In whole seconds, without a fraction."));
    if (*value / limit.unit < info.minimum || *value / limit.unit > info.maximum)
        return std::unexpected(limitRange(limit.kind, span));
    return *value / limit.unit;
}

std::expected<QVariant, QString> parseHosts(const QString &typed)
{
    QStringList hosts;
    if (typed.trimmed().compare(Words::tr("none", "hosts that are always allowed"), Qt::CaseInsensitive) != 0) {
        for (const QString &text : typed.simplified().split(u' ', Qt::SkipEmptyParts)) {
            const auto rule = ruleFromText(text);
            if (!rule)
                return std::unexpected(translated(rule.error().message));
            hosts.append(QString::fromStdString(network::toText(*rule)));
        }
    }
    hosts.removeDuplicates();
    if (const auto sound = allowlistFromTexts(hosts); !sound)
        return std::unexpected(translated(sound.error().message));
    return hosts.join(u' ');
}

std::expected<QVariant, QString> parseSetting(const SettingInfo &info, const QString &typed)
{
    if (const LimitSetting *limit = limitOf(info.key))
        return parseLimitSetting(info, *limit, typed);
    if (info.key == "bench.allow"_L1)
        return parseHosts(typed);
    if (info.type == SettingInfo::Type::String)
        return typed.trimmed();
    bool isNumber = false;
    const qint64 number = typed.trimmed().toLongLong(&isNumber);
    if (!isNumber || number < info.minimum || number > info.maximum)
        return std::unexpected(Words::tr("A whole number between %1 and %2.").arg(info.minimum).arg(info.maximum));
    return number;
}

class SwitchRow : public SettingRow
{
public:
    SwitchRow(Theme &theme, const QString &id, const SettingInfo &info, QWidget *parent)
        : SettingRow(theme, id, titleOf(info), explanationOf(info), info.key, parent)
        , box(new QCheckBox(Words::tr("On", "a setting"), this))
    {
        setField(box);
    }
    QCheckBox *box;
};

EngineRow makeRow(Theme &theme, const SettingInfo &info, const StoreSetting &store, QWidget *parent)
{
    const QString key = info.key;
    const QString id = QString(key).replace(u'_', u'-');
    EngineRow made{.key = key, .row = nullptr, .show = {}};
    if (info.type == SettingInfo::Type::Boolean) {
        auto *row = new SwitchRow(theme, id, info, parent);
        made.row = row;
        made.show = [row](const SettingValue &value) {
            row->box->setChecked(value.value.toBool());
            row->box->setEnabled(!isGivenFromOutside(value));
        };
        QObject::connect(row->box, &QCheckBox::clicked, row, [store, key](bool on) { store(key, on); });
    } else if (!info.choices.isEmpty()) {
        auto *row = new ChoiceRow(theme, id, titleOf(info), explanationOf(info), parent, key);
        for (const QString &choice : info.choices)
            row->choice().addItem(choiceText(choice), choice);
        made.row = row;
        made.show = [row](const SettingValue &value) {
            row->choice().setCurrentIndex(row->choice().findData(value.value));
            row->choice().setEnabled(!isGivenFromOutside(value));
        };
        QObject::connect(&row->choice(), &QComboBox::activated, row,
                         [store, key, row] { store(key, row->choice().currentData()); });
    } else if (key == "leaks.ignore"_L1) {
        QStringList names;
        for (const LeakKind &kind : leakKinds())
            names.append(translated(kind.name));
        auto *row =
            new KindsRow(theme, id, titleOf(info), explanationOf(info), key + u'\n' + names.join(u'\n'), parent);
        made.row = row;
        made.show = [row](const SettingValue &value) {
            row->showIgnored(value.value.toString(), isGivenFromOutside(value));
        };
        QObject::connect(row, &KindsRow::chosen, row, [store, key](const QString &ignored) { store(key, ignored); });
    } else {
        auto *row = new TextRow(
            theme, id, titleOf(info), explanationOf(info), key,
            [info](const QString &typed) { return parseSetting(info, typed); }, parent);
        made.row = row;
        made.show = [row, info](const SettingValue &value) {
            row->showText(textOf(info, value.value), isGivenFromOutside(value));
        };
        QObject::connect(row, &TextRow::chosen, row, [store, key](const QVariant &value) { store(key, value); });
    }
    QObject::connect(made.row, &SettingRow::resetWanted, made.row, [store, key] { store(key, {}); });
    made.show = [show = made.show, row = made.row, info](const SettingValue &value) {
        show(value);
        row->showOrigin(originOf(info, value), value.origin == SettingOrigin::File);
    };
    return made;
}

} // namespace

QStringList engineKeys(const QStringList &groups)
{
    QStringList keys;
    for (const QString &group : groups) {
        for (const SettingInfo &info : Settings::schema()) {
            // As long as there is one backend, there is nothing to choose.
            if (info.key.startsWith(group) && info.key != "run.backend"_L1)
                keys.append(info.key);
        }
    }
    return keys;
}

QList<EngineRow> makeEngineRows(Theme &theme, const QStringList &keys, const StoreSetting &store, QWidget *parent)
{
    QList<EngineRow> rows;
    for (const SettingInfo &info : Settings::schema()) {
        if (keys.contains(info.key))
            rows.append(makeRow(theme, info, store, parent));
    }
    return rows;
}

} // namespace glovebox
