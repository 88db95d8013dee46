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

// Of the keys that begin with group ("run."), in the order of the schema.
QList<EngineRow> makeEngineRows(Theme &theme, const QString &group, const StoreSetting &store, QWidget *parent);

} // namespace glovebox
