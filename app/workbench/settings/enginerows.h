// SPDX-License-Identifier: Apache-2.0
// The engine's settings as rows, made from its schema: what it gets tomorrow is here too.
#pragma once

#include "rows/settingrow.h"

#include "engine/engine.h"

#include <functional>

namespace glovebox {

// A row that shows and asks for one engine setting.
struct EngineRow
{
    QString key;
    SettingRow *row = nullptr;
    std::function<void(const SettingValue &value)> show;
};

// store: the person wants this value. An invalid variant: the default.
using StoreSetting = std::function<void(const QString &key, const QVariant &value)>;

// Those that begin with one of groups ("run.") and that a person can choose, by group and in the order of the schema.
QStringList engineKeys(const QStringList &groups);
// In the order of the schema.
QList<EngineRow> makeEngineRows(Theme &theme, const QStringList &keys, const StoreSetting &store, QWidget *parent);

} // namespace glovebox
