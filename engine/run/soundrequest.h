// SPDX-License-Identifier: Apache-2.0
// A request that makes sense. Intake checks each request once; whatever takes a SoundRequest needn't ask again.
#pragma once

#include "run.h"

#include "engine/languages/languages.h"
#include "engine/network/network.h"
#include "engine/sandbox/sandbox.h"

namespace glovebox {

// The language asked for, or else the one that file name and code tell.
Result<const Language *> languageOf(const RunRequest &request);

// Refers to a request, a language and a backend, which outlive the SoundRequest.
class SoundRequest
{
public:
    // language: languageOf() the request. InvalidInput, NotFound or Unsupported with a sentence for the first thing that can't be
    // done: a limit out of range, code that is no text, two files of one name, a grant that this version can't give. What
    // can't be given is refused, never left out in silence. Looks at nothing on the machine.
    static Result<SoundRequest> check(const RunRequest &request, const Result<const Language *> &language,
                                      const Backends &backends);

    const RunRequest &operator*() const { return *m_request; }
    const RunRequest *operator->() const { return m_request; }
    const Language &language() const { return *m_language; }
    Backend &backend() const { return *m_backend; } // of the policy
    const network::Allowlist &allowlist() const { return m_allowlist; } // of the policy

private:
    SoundRequest(const RunRequest &request, const Language &language, Backend &backend, network::Allowlist allowlist)
        : m_request(&request)
        , m_language(&language)
        , m_backend(&backend)
        , m_allowlist(std::move(allowlist))
    {
    }

    const RunRequest *m_request;
    const Language *m_language;
    Backend *m_backend;
    network::Allowlist m_allowlist;
};

} // namespace glovebox
