// SPDX-License-Identifier: Apache-2.0
// Root for whom permissions count, as they do for everybody else.
#pragma once

#include <QtGlobal>

#include <array>

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace glovebox {

// Of root's capabilities those that set permissions aside are put down, by this thread and for a while.
class AsTheirOwner
{
public:
    explicit AsTheirOwner(bool isWanted = true)
    {
        if (isWanted && ::syscall(SYS_capget, &m_header, m_former.data()) == 0) {
            auto less = m_former;
            less[0].effective &= ~((1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH));
            m_isSet = ::syscall(SYS_capset, &m_header, less.data()) == 0;
        }
    }
    ~AsTheirOwner()
    {
        if (m_isSet)
            ::syscall(SYS_capset, &m_header, m_former.data());
    }
    Q_DISABLE_COPY_MOVE(AsTheirOwner)

private:
    __user_cap_header_struct m_header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, 2> m_former = {};
    bool m_isSet = false;
};

} // namespace glovebox
