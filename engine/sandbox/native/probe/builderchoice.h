// SPDX-License-Identifier: Apache-2.0
// Chooses who builds the native sandboxes of an engine: the direct builder, or bwrap where that one fails.
#pragma once

#include "engine/sandbox/native/native.h"

#include <functional>
#include <mutex>
#include <stop_token>

namespace glovebox {

template<>
inline constexpr auto enumNames<NativeBuilder> = namesOf<NativeBuilder>({
    {NativeBuilder::Direct, "direct"},
    {NativeBuilder::Bubblewrap, "bwrap"},
});

} // namespace glovebox

namespace glovebox::native {

// The first launch is the direct builder's trial, so that choosing costs nothing where it works: only when it fails is bwrap
// looked at. Each passes by a real sealed run up to its verified report, since making the namespaces may succeed and a later
// step fail. What was chosen stays; when neither works, the next launch tries again. Thread-safe.
class BuilderChoice
{
public:
    using Launch = std::function<Result<std::unique_ptr<SealedProcess>>(NativeBuilder)>;
    using Probe = std::function<BackendReport(NativeBuilder)>; // a sealed run of nothing in particular

    explicit BuilderChoice(std::optional<NativeBuilder> only)
        : m_chosen(only)
    {
    }

    // nullopt while none was found to work.
    std::optional<NativeBuilder> chosen() const;
    // Cancelled when it is stopped while another launch tries.
    Result<std::unique_ptr<SealedProcess>> launch(const Launch &launchWith, const Probe &probeWith,
                                                  const std::stop_token &stop = {});
    // Of the chosen one; of none, with the reasons of both. No launch waits for it.
    BackendReport probe(const Probe &probeWith);

private:
    BackendReport tryAll(const Probe &probeWith);
    void choose(NativeBuilder builder);

    Turn m_choosing; // held while the first launch tries
    mutable std::mutex m_mutex; // guards m_chosen
    std::optional<NativeBuilder> m_chosen;
};

} // namespace glovebox::native
