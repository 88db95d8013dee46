// SPDX-License-Identifier: Apache-2.0
#include "makingas.h"

#include <unistd.h>

#include <cerrno>

#ifdef __linux__
#include <sys/fsuid.h>
#endif

namespace glovebox {

namespace {

#ifdef __linux__
void makeFilesAs(uid_t uid, gid_t gid)
{
    ::setfsuid(0); // else the group can't be changed
    ::setfsgid(gid);
    ::setfsuid(uid);
}
#else
void makeFilesAs(uid_t, gid_t) { }
#endif

} // namespace

MakingAs::MakingAs(const std::optional<HostIdentity> &owner)
    : m_isOther(owner.has_value())
{
    if (m_isOther)
        makeFilesAs(owner->uid, owner->gid);
}

MakingAs::~MakingAs()
{
    const int error = errno;
    if (m_isOther)
        makeFilesAs(::geteuid(), ::getegid());
    errno = error;
}

} // namespace glovebox
