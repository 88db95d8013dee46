// SPDX-License-Identifier: Apache-2.0
// The answer to one HTTP request: JSON where there is nothing but the result, else a stream of events (SSE).
#pragma once

#include "engine/mcp/protocol/wire/outlet.h"

#include <functional>
#include <mutex>

namespace glovebox::mcp {

// Complete, with a length. body: of that type, or empty.
QByteArray httpResponse(int status, const QByteArray &body, const QByteArray &moreFields = {},
                        const QByteArray &type = "application/json");

class HttpAnswer : public Outlet
{
public:
    struct Way
    {
        std::function<bool(QByteArrayView)> write; // to the client; false: it is gone
        std::function<void(bool wasWritten)>
            done; // the last call, on any thread; the answer is whole, or the client gone
        bool isStateless = false; // errors have a status of their own
        QByteArray fields; // of the head, each with its line's end
    };

    explicit HttpAnswer(Way way);
    ~HttpAnswer() override; // the answer is whole

    void send(const QByteArray &message, Sending what) override;
    // To be stopped when the client has gone.
    std::stop_source goneSource() const { return m_gone; }

private:
    int statusOf(Sending what) const;
    void write(const QByteArray &bytes);
    static QByteArray chunk(const QByteArray &bytes);

    const Way m_way;
    std::mutex m_mutex; // over what follows
    enum class Stage { Nothing, Stream, Whole } m_stage = Stage::Nothing;
    bool m_isWritable = true;
};

} // namespace glovebox::mcp
