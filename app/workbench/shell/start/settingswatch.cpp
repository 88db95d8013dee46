// SPDX-License-Identifier: Apache-2.0
#include "settingswatch.h"

#include <QFileInfo>
#include <QGuiApplication>

namespace glovebox {

using namespace std::chrono_literals;

namespace {

constexpr auto afterAChange = 150ms;

QList<SettingValue> valuesOf(const Settings &settings)
{
    QList<SettingValue> values;
    for (const SettingInfo &info : Settings::schema())
        values.append(settings.value(info.key));
    return values;
}

struct Reread
{
    Status status;
    bool isOther = false;
};

} // namespace

SettingsWatch::SettingsWatch(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(afterAChange);
    connect(&m_soon, &QTimer::timeout, this, &SettingsWatch::look);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_soon, qOverload<>(&QTimer::start));
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_soon, qOverload<>(&QTimer::start));
    connect(&context, &WorkbenchContext::engineChanged, this, &SettingsWatch::look);
    if (const auto *application = qobject_cast<QGuiApplication *>(QCoreApplication::instance()))
        connect(application, &QGuiApplication::focusWindowChanged, this, [this](const QWindow *window) {
            if (window)
                m_soon.start();
        });
}

void SettingsWatch::look()
{
    Settings *const settings = m_context.settings();
    if (!settings)
        return;
    if (m_isReading) {
        m_soon.start();
        return;
    }
    // First, so that nothing is missed between reading and watching. A file that was replaced is another one.
    const QString file = m_context.paths().settingsFile();
    for (const QString &path : {file, QFileInfo(file).path()}) {
        if (!m_watcher.files().contains(path) && !m_watcher.directories().contains(path) && QFileInfo::exists(path))
            m_watcher.addPath(path);
    }
    m_isReading = true;
    inBackground(
        m_context.pool(), this,
        [settings] {
            const QList<SettingValue> before = valuesOf(*settings);
            Reread reread{.status = settings->reload()};
            reread.isOther = valuesOf(*settings) != before;
            return reread;
        },
        [this](const Reread &reread) {
            m_isReading = false;
            const std::optional<Error> error = reread.status ? std::nullopt : std::optional(reread.status.error());
            if (m_context.settings() && (reread.isOther || error != m_context.settingsError()))
                m_context.tellSettings(error);
        });
}

} // namespace glovebox
