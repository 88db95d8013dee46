// SPDX-License-Identifier: Apache-2.0
// Keeps what isn't saved yet (texts of tabs, the layout) so that it is back after a crash or kill -9.
#pragma once

#include "engine/engine.h"

#include <QByteArray>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace glovebox {

// A folder of small named files, each with a SHA-256 over its content. Written to a temporary name, synced, renamed, on a
// thread of its own: save() never blocks; of several saves of one name the latest is written. Thread-safe.
class StashStore
{
public:
    // folder is made (0700) if need be and locked; when another program holds it, or it can't be written, nothing is kept
    // and unavailable() says so.
    explicit StashStore(QString folder);
    ~StashStore(); // writes what is pending

    std::optional<Error> unavailable() const;
    // Why something is not on disk as it was last saved (a full disk); nothing: it is, or it is about to be. Ends when it is
    // saved again.
    std::optional<Error> trouble() const;
    // Called on a thread of the store whenever trouble() began or ended; empty: nobody is called any more when this returns.
    void onTrouble(std::function<void()> told);

    // name: letters, digits, '.', '-', '_'; at most 100.
    void save(const QString &name, QByteArray content);
    // make: what takes a while to be put together; called on a thread of the store, or by who loads it meanwhile.
    using Content = std::function<QByteArray()>;
    void save(const QString &name, Content make);
    void remove(const QString &name);
    // Waits until everything is on disk; the first failure since the last call.
    Status flush();

    // Writes what is pending. From then on another window may have the folder, and nothing more is kept here.
    void close();

    // nullopt: there is none. Damaged: the file fails its checksum; it was renamed to NAME.broken-N and the message says where
    // it is. Sees saves that are still pending.
    Result<std::optional<QByteArray>> load(const QString &name) const;
    QStringList names() const; // sorted; without broken ones

    const QString &folder() const { return m_folder; }

private:
    struct Private;
    QString m_folder;
    std::unique_ptr<Private> d;
};

} // namespace glovebox
