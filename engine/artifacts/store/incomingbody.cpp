// SPDX-License-Identifier: Apache-2.0
#include "contentstore.h"

#include "storefile.h"

#include <cerrno>

namespace glovebox {

struct IncomingBody::Private
{
    const ContentStore &store;
    TemporaryFile file;
    Sha256 hash;
    qint64 bytes = 0;

    // Synced under its own name, with the folders that lead to it.
    Status moveTo(const QString &path)
    {
        ASSIGN_OR_RETURN(const QStringList folders, folderFor(path));
        if ((store.m_syncing == ContentStore::Syncing::Each && !file.sync()) || !file.renameTo(path))
            return cannotStore(errno, path);
        return store.settle(folders, path);
    }
};

IncomingBody::IncomingBody(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

IncomingBody::~IncomingBody() = default;
IncomingBody::IncomingBody(IncomingBody &&) noexcept = default;

Result<IncomingBody> IncomingBody::begin(const ContentStore &store, qint64 expectedBytes)
{
    const QString folder = store.incomingFolder();
    RETURN_IF_ERROR(makePrivateFolder(folder));
    for (int attempt = 0;; ++attempt) {
        TemporaryFile file(folder);
        if (!file.isOpen())
            return cannotStore(errno, folder);
        if (file.lock() && !file.hasSpaceFor(expectedBytes))
            return cannotStore(errno, folder);
        if (file.lock())
            return IncomingBody(std::make_unique<Private>(store, std::move(file), Sha256(expectedBytes)));
        if (errno != EAGAIN || attempt == 3)
            return cannotStore(errno, folder);
    }
}

Status IncomingBody::add(QByteArrayView bytes)
{
    if (!d->file.write(bytes))
        return cannotStore(errno, d->store.incomingFolder());
    d->hash.add(bytes);
    d->bytes += bytes.size();
    return {};
}

Result<QByteArray> IncomingBody::keep()
{
    QByteArray digest = d->hash.result();
    if (d->bytes == 0)
        return digest; // as put()
    const QString path = d->store.pathOf(digest);
    if (d->store.claim(digest)) {
        ASSIGN_OR_RETURN(const QStringList folders, folderFor(path));
        RETURN_IF_ERROR(d->store.settle(folders, path)); // whoever stored it first may not have done so yet
    } else {
        RETURN_IF_ERROR(d->moveTo(path));
    }
    return digest;
}

Result<QByteArray> IncomingBody::withhold(const QString &owner)
{
    QByteArray digest = d->hash.result();
    RETURN_IF_ERROR(d->moveTo(d->store.withheldPathOf({digest, owner})));
    return digest;
}

} // namespace glovebox
