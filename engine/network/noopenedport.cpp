// SPDX-License-Identifier: Apache-2.0
// Where no run can have a network of its own, none has ports.
#include "openedport.h"

namespace glovebox {

namespace {

std::unexpected<Error> unsupported()
{
    return fail(ErrorCode::Unsupported,
                QT_TRANSLATE_NOOP("engine", "Ports of jobs can't be opened on this operating system."), {});
}

} // namespace

Result<std::unique_ptr<OpenedPort>> OpenedPort::open(PortToOpen)
{
    return unsupported();
}

OpenedPort::~OpenedPort() = default;

Result<QString> OpenedPort::newLink()
{
    return unsupported();
}

} // namespace glovebox
