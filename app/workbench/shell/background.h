// SPDX-License-Identifier: Apache-2.0
// Work that may block, off the GUI thread, with its result delivered back on it.
#pragma once

#include "engine/base/base.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <type_traits>
#include <utility>

namespace glovebox {

// On a thread of pool.
template<typename Work> void startIn(QThreadPool &pool, Work work)
{
    pool.start([work = std::move(work)]() mutable {
        blockSignals();
        work();
    });
}

// work() runs on a thread of pool; then(result) runs on the GUI thread when the event loop is back there, unless receiver is
// gone by then. What work() uses must live until the pool is done: the engine outlives the context's pool.
template<typename Work, typename Then> void inBackground(QThreadPool &pool, QObject *receiver, Work work, Then then)
{
    startIn(pool, [guard = QPointer<QObject>(receiver), work = std::move(work), then = std::move(then)]() mutable {
        // The hop goes through the application object: it outlives every page, and the guard is read on the GUI thread only.
        auto deliver = [&guard](auto call) {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [guard = std::move(guard), call = std::move(call)]() mutable {
                    if (guard)
                        call();
                },
                Qt::QueuedConnection);
        };
        if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
            work();
            deliver([then = std::move(then)]() mutable { then(); });
        } else {
            // Shared, so that what can only be moved (a reader, an engine) gets through too.
            auto result = std::make_shared<std::invoke_result_t<Work>>(work());
            deliver([then = std::move(then), result]() mutable { then(std::move(*result)); });
        }
    });
}

} // namespace glovebox
