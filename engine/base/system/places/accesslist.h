// SPDX-License-Identifier: Apache-2.0
// What a file has beside its permissions: a list of who else may do what (acl(5)), and attributes of the person's (xattr(7)).
//
// POSIX knows of such lists only that there may be some. Where one could let somebody do more than before, these refuse with ENOTSUP.
#pragma once

#include <QByteArray>

namespace glovebox {

// The access list, without which the permissions of its mask would be the group's, and where the file system takes them, the attributes
// user.*; those of the system are of what the file was. From a file without a list none is left, such as a new file has of its folder.
// False: the list can't be as it was, with errno. By POSIX: where the group may do more than everybody may.
bool copyAttributes(int from, int to);
// Also true where the file has none. False: with errno; always by POSIX, where the file's folder may have given it one.
bool removeAccessList(int file);
// What is to be given to a file or folder that loses its access list: to the group what both the list and its mask give it. By POSIX: no
// more than to everybody.
quint32 plainPermissions(int folder, const char *name, quint32 permissions);

// Glovebox's own mark on a folder that it made. False: it can't be marked, as it never can by POSIX.
bool markAsMade(const char *folder);
bool isMarkedAsMade(const char *folder);

} // namespace glovebox
