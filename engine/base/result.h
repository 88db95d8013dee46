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
    bool saysRemedy = false; // the message names the command or the way out that a remedy beside it would

    bool operator==(const Error &) const = default;
};

template<typename T> using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

inline std::unexpected<Error> fail(ErrorCode code, Text message, Text detail = {})
{
    return std::unexpected(Error{code, std::move(message), std::move(detail)});
}
// sentence: the message's source, with these arguments.
inline std::unexpected<Error> fail(ErrorCode code, const char *sentence, QStringList args, Text detail = {})
{
    return fail(code, Text(sentence, std::move(args)), std::move(detail));
}

} // namespace glovebox

// For functions that return a Result or a Status: an error of what they call ends them with it. The second declares a variable with
// the value, and is a statement of its own.
//
//   RETURN_IF_ERROR(checkNote(note));
//   ASSIGN_OR_RETURN(const SecretInfo present, d->secret(name));
#define RETURN_IF_ERROR(...)                                                                                           \
    do {                                                                                                               \
        if (auto outcome_ = (__VA_ARGS__); !outcome_)                                                                  \
            return std::unexpected(std::move(outcome_).error());                                                       \
    } while (false)
#define ASSIGN_OR_RETURN(...) ASSIGN_OR_RETURN_AT(__LINE__, __VA_ARGS__)
#define ASSIGN_OR_RETURN_AT(line, ...) ASSIGN_OR_RETURN_NAMED(line, __VA_ARGS__) // with the line's number
#define ASSIGN_OR_RETURN_NAMED(line, declaration, ...)                                                                 \
    auto outcome##line##_ = (__VA_ARGS__);                                                                             \
    if (!outcome##line##_)                                                                                             \
        return std::unexpected(std::move(outcome##line##_).error());                                                   \
    declaration = *std::move(outcome##line##_) // NOLINT(bugprone-macro-parentheses): a declaration has none
