// SPDX-License-Identifier: Apache-2.0
#include "logwatch.h"

#include <QFileInfo>
#include <QGuiApplication>
#include <QStorageInfo>
#include <QWindow>

namespace glovebox {

using namespace std::chrono_literals;

static constexpr auto afterTheLastChange = 300ms; // a log that is copied back isn't opened half
static constexpr qint64 littleRoom = 1 * mebibyte;

LogWatch::LogWatch(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(afterTheLastChange);
    connect(&m_soon, &QTimer::timeout, this, &LogWatch::look);
    const auto lookSoon = [this] {
        if (isWanted())
            m_soon.start();
    };
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, lookSoon);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, lookSoon);
    if (const auto *application = qobject_cast<QGuiApplication *>(QCoreApplication::instance()))
        connect(application, &QGuiApplication::focusWindowChanged, this, [lookSoon](const QWindow *window) {
            if (window)
                lookSoon();
        });
    connect(&context, &WorkbenchContext::engineChanged, this, &LogWatch::watch);
}

void LogWatch::engineOpened()
{
    m_tried = logState(); // trying may have changed it
}

LogWatch::LogState LogWatch::logState() const
{
    const QFileInfo file(m_context.paths().auditFile());
    return {.modified = file.lastModified(),
            .changed = file.metadataChangeTime(),
            .bytes = file.size(),
            .mode = file.permissions(),
            .folderMode = QFileInfo(file.path()).permissions(),
            .hasRoom = QStorageInfo(file.path()).bytesAvailable() >= littleRoom};
}

bool LogWatch::isWanted() const
{
    return m_context.engine() && !m_context.engine()->hasLog();
}

// A file that is replaced is another one, and the folder itself may be what was mended.
void LogWatch::watch()
{
    const QFileInfo file(m_context.paths().auditFile());
    const QString folder = file.path();
    const QStringList known = m_watcher.files() + m_watcher.directories();
    for (const QString &path : {file.filePath(), folder, QFileInfo(folder).path()}) {
        if (!isWanted() && known.contains(path))
            m_watcher.removePath(path);
        else if (isWanted() && !known.contains(path) && QFileInfo::exists(path))
            m_watcher.addPath(path);
    }
}

void LogWatch::look()
{
    watch();
    if (isWanted() && logState() != m_tried)
        m_context.retryEngine(); // engineChanged() follows
}

} // namespace glovebox
