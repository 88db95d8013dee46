// SPDX-License-Identifier: Apache-2.0
// The one way in which the engine reports failure.
#pragma once

#include "text/text.h"

#include <expected>

namespace glovebox {

enum class ErrorCode {
    InvalidInput, // what was asked for makes no sense; the caller can mend it
    NotFound,
    PermissionDenied,
    Unsupported, // this machine or this version can't do it
    Unavailable, // a part that should be there isn't (spawner gone, no user namespaces)
    Busy, // locked by somebody else, or a queue is full
    Damaged, // stored data fails its own checks
    Newer, // written by a newer version
    Full, // no space left
    Cancelled,
    TimedOut,
    Io,
    Internal,
};

// message: one sentence for a person that says what happened and what to do next.
// detail: the exact cause (errno, path, line) for whoever mends it; may be empty.
struct Error
{
    ErrorCode code = ErrorCode::Internal;
    Text message;
    Text detail;

    bool operator==(const Error &) const = default;
};

template<typename T> using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

inline std::unexpected<Error> fail(ErrorCode code, Text message, Text detail = {})
{
    return std::unexpected(Error{code, std::move(message), std::move(detail)});
}

} // namespace glovebox
