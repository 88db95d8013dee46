// SPDX-License-Identifier: Apache-2.0
#include "stash.h"

#include "claim.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include <condition_variable>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <thread>

namespace glovebox {
namespace {

// A file is "glovebox-stash 1 <sha256 in hex>\n" and then the content.
constexpr QByteArrayView magic("glovebox-stash 1 ");
constexpr qsizetype headerBytes = magic.size() + 2 * sha256Bytes + 1;

QByteArray headerFor(const QByteArray &content)
{
    return magic.toByteArray() + sha256({content}).toHex() + '\n';
}

bool isName(const QString &name)
{
    static const QRegularExpression pattern(QStringLiteral("\\A[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\\z"));
    return pattern.match(name).hasMatch() && !name.contains(QLatin1StringView(".broken-"))
           && !name.endsWith(QLatin1StringView(".new"));
}

Status failedAt(const QString &path, int error)
{
    return fail(codeForErrno(error),
                Text(QT_TRANSLATE_NOOP("engine", "Unsaved texts can't be kept: %1 can't be written (%2)."),
                     {path, errnoText(error)}));
}

} // namespace

struct StashStore::Private
{
    std::optional<FileLock> lock;
    std::optional<Error> unavailable;

    mutable std::mutex mutex;
    std::condition_variable_any changed;
    std::map<QString, std::optional<Content>> pending; // nullopt: to be removed
    std::optional<std::pair<QString, std::optional<Content>>> writing;
    Status firstFailure;
    std::map<QString, Error> failures; // of what is not on disk as it was last saved
    std::function<void()> told;
    bool isClosed = false;
    std::jthread writer;

    void work(std::stop_token stop, const QString &folder);
};

void StashStore::Private::work(std::stop_token stop, const QString &folder)
{
    blockSignals();
    std::unique_lock guard(mutex);
    for (;;) {
        changed.wait(guard, stop, [&] { return !pending.empty(); });
        if (pending.empty())
            return; // asked to stop, and nothing is left
        writing = *pending.begin();
        pending.erase(pending.begin());
        const auto [name, make] = *writing;
        guard.unlock();
        Status done;
        const QString path = folder + QLatin1Char('/') + name;
        if (!make) {
            ::unlink(QFile::encodeName(path).constData());
        } else {
            const QByteArray content = (*make)();
            if (const int error = replaceFile(path, headerFor(content) + content))
                done = failedAt(path + QStringLiteral(".new"), error);
        }
        guard.lock();
        writing.reset();
        if (!done && firstFailure)
            firstFailure = done;
        const bool hadTrouble = !failures.empty();
        failures.erase(name);
        if (!done)
            failures.emplace(name, done.error());
        if (hadTrouble == failures.empty() && told)
            told();
        changed.notify_all();
    }
}

StashStore::StashStore(QString folder)
    : m_folder(std::move(folder))
    , d(std::make_unique<Private>())
{
    if (const Status made = makePrivateFolder(m_folder); !made) {
        d->unavailable = made.error();
        return;
    }
    auto lock = claim(m_folder + QStringLiteral("/lock"));
    if (!lock) {
        d->unavailable = lock.error();
        return;
    }
    if (!*lock) {
        d->unavailable =
            Error{ErrorCode::Busy,
                  Text(QT_TRANSLATE_NOOP("engine", "Another Glovebox window keeps its unsaved texts in %1. Save yours "
                                                   "to files: this window can't keep them."),
                       {m_folder}),
                  {}};
        return;
    }
    d->lock = std::move(*lock);
    d->writer = std::jthread([this](std::stop_token stop) { d->work(stop, m_folder); });
}

StashStore::~StashStore() = default; // the thread is asked to stop, writes what is pending, and is joined

std::optional<Error> StashStore::unavailable() const
{
    return d->unavailable;
}

std::optional<Error> StashStore::trouble() const
{
    if (d->unavailable)
        return d->unavailable;
    const std::scoped_lock guard(d->mutex);
    return d->failures.empty() ? std::nullopt : std::optional(d->failures.begin()->second);
}

void StashStore::onTrouble(std::function<void()> told)
{
    const std::scoped_lock guard(d->mutex);
    d->told = std::move(told);
}

void StashStore::save(const QString &name, QByteArray content)
{
    save(name, [content = std::move(content)] { return content; });
}

void StashStore::save(const QString &name, Content make)
{
    Q_ASSERT(isName(name));
    if (d->unavailable)
        return;
    const std::scoped_lock guard(d->mutex);
    if (d->isClosed)
        return;
    d->pending[name] = std::move(make);
    d->changed.notify_all();
}

void StashStore::remove(const QString &name)
{
    Q_ASSERT(isName(name));
    if (d->unavailable)
        return;
    const std::scoped_lock guard(d->mutex);
    if (d->isClosed)
        return;
    d->pending[name] = std::nullopt;
    d->changed.notify_all();
}

Status StashStore::flush()
{
    std::unique_lock guard(d->mutex);
    d->changed.wait(guard, [&] { return d->pending.empty() && !d->writing; });
    return std::exchange(d->firstFailure, Status());
}

void StashStore::close()
{
    {
        const std::scoped_lock guard(d->mutex);
        d->isClosed = true;
    }
    d->writer = {}; // asked to stop, and joined
    d->lock.reset();
}

Result<std::optional<QByteArray>> StashStore::load(const QString &name) const
{
    if (d->unavailable)
        return std::nullopt;
    std::optional<std::optional<Content>> unwritten;
    {
        const std::scoped_lock guard(d->mutex);
        if (const auto it = d->pending.find(name); it != d->pending.end())
            unwritten = it->second;
        else if (const auto &writing = d->writing; writing && writing->first == name)
            unwritten = writing->second;
    }
    if (unwritten)
        return *unwritten ? std::optional((**unwritten)()) : std::nullopt;
    const QString path = m_folder + QLatin1Char('/') + name;
    QFile file(path);
    if (!file.exists())
        return std::nullopt;
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::Io, Text(QT_TRANSLATE_NOOP("engine", "Unsaved texts in %1 can't be read."), {path}),
                    Text("%1", {file.errorString()}));
    const QByteArray header = file.read(headerBytes);
    QByteArray content = file.readAll();
    file.close();
    if (header == headerFor(content))
        return content;

    QString aside;
    for (int i = 1; aside.isEmpty() || QFile::exists(aside); ++i)
        aside = QStringLiteral("%1.broken-%2").arg(path).arg(i);
    QFile::rename(path, aside);
    return fail(ErrorCode::Damaged,
                Text(QT_TRANSLATE_NOOP("engine", "A file of the window is damaged and was not restored: %1."), {aside}),
                Text(QT_TRANSLATE_NOOP("engine", "The checksum doesn't match.")));
}

QStringList StashStore::names() const
{
    if (d->unavailable)
        return {};
    QStringList found;
    const QStringList files = QDir(m_folder).entryList(QDir::Files);
    for (const QString &name : files) {
        if (isName(name) && name != QLatin1StringView("lock"))
            found.append(name);
    }
    const std::scoped_lock guard(d->mutex);
    const auto note = [&](const QString &name, bool there) {
        if (!there)
            found.removeAll(name);
        else if (!found.contains(name))
            found.append(name);
    };
    if (const auto &writing = d->writing)
        note(writing->first, writing->second.has_value());
    for (const auto &[name, content] : d->pending)
        note(name, content.has_value());
    found.sort();
    return found;
}

} // namespace glovebox
