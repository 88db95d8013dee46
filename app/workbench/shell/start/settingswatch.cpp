// SPDX-License-Identifier: Apache-2.0
#include "settingswatch.h"

#include <QFileInfo>
#include <QGuiApplication>
#include <QWindow>

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
    QList<SettingValue> values;
};

// The folder itself may not be there yet.
QString nearestFolder(const QString &file)
{
    QString folder = QFileInfo(file).path();
    while (!QFileInfo::exists(folder) && folder != QFileInfo(folder).path())
        folder = QFileInfo(folder).path();
    return folder;
}

} // namespace

SettingsWatch::SettingsWatch(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(afterAChange);
    connect(&m_soon, &QTimer::timeout, this, &SettingsWatch::look);
    // Not put off by the next change: a folder above may change without end.
    const auto lookSoon = [this] {
        if (!m_soon.isActive())
            m_soon.start();
    };
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, lookSoon);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, lookSoon);
    connect(&context, &WorkbenchContext::engineChanged, this, [this] {
        m_values = m_context.settings() ? valuesOf(*m_context.settings()) : QList<SettingValue>();
        look();
    });
    connect(&context, &WorkbenchContext::settingsChanged, this, [this] {
        if (m_context.settings())
            m_values = valuesOf(*m_context.settings()); // every page was told
    });
    if (const auto *application = qobject_cast<QGuiApplication *>(QCoreApplication::instance()))
        connect(application, &QGuiApplication::focusWindowChanged, this, [lookSoon](const QWindow *window) {
            if (window)
                lookSoon();
        });
}

void SettingsWatch::engineOpens()
{
    m_tried = fileState();
}

SettingsWatch::FileState SettingsWatch::fileState() const
{
    const QFileInfo file(m_context.paths().settingsFile());
    return {file.lastModified(), file.metadataChangeTime(), file.permissions(), QFileInfo(file.path()).permissions()};
}

// A file that is replaced is another one, and a folder that comes is nearer.
void SettingsWatch::watch()
{
    const QString file = m_context.paths().settingsFile();
    const QString folder = nearestFolder(file);
    for (const QString &path : m_watcher.directories()) {
        if (path != folder)
            m_watcher.removePath(path);
    }
    for (const QString &path : {file, folder}) {
        if (!m_watcher.files().contains(path) && !m_watcher.directories().contains(path) && QFileInfo::exists(path))
            m_watcher.addPath(path);
    }
}

void SettingsWatch::look()
{
    watch(); // first, so that nothing is missed between reading and watching
    Settings *const settings = m_context.settings();
    if (!settings) {
        if (m_context.settingsError() && fileState() != m_tried)
            m_context.retryEngine(); // engineChanged() follows
        return;
    }
    if (m_isReading) {
        m_soon.start();
        return;
    }
    m_isReading = true;
    inBackground(
        m_context.pool(), this,
        [settings] {
            Status status = settings->reload();
            return Reread{std::move(status), valuesOf(*settings)};
        },
        [this](const Reread &reread) {
            m_isReading = false;
            const std::optional<Error> error = reread.status ? std::nullopt : std::optional(reread.status.error());
            if (m_context.settings() && (reread.values != m_values || error != m_context.settingsError()))
                m_context.tellSettings(error);
        });
}

} // namespace glovebox
