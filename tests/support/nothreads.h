// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

#include <pthread.h>

namespace glovebox::test {

// While one lives, no thread starts, as where the most that there may be are there already: it wants a stack that is larger than
// any memory. Unlike RLIMIT_NPROC that binds root, too, and nobody else.
class NoThreads
{
public:
    NoThreads()
    {
        ::pthread_getattr_default_np(&m_before);
        pthread_attr_t wanted;
        ::pthread_getattr_default_np(&wanted);
        ::pthread_attr_setstacksize(&wanted, size_t(1) << 60);
        ::pthread_setattr_default_np(&wanted);
        ::pthread_attr_destroy(&wanted);
    }
    ~NoThreads()
    {
        ::pthread_setattr_default_np(&m_before);
        ::pthread_attr_destroy(&m_before);
    }
    Q_DISABLE_COPY_MOVE(NoThreads)

private:
    pthread_attr_t m_before;
};

} // namespace glovebox::test
