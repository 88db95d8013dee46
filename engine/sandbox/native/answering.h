// SPDX-License-Identifier: Apache-2.0
// Answers what the code of a run asks about, on a thread of its own. A look into the run's memory takes as long as that code likes: its
// other threads may keep the memory locked, or it is a file that nobody hands out. Nor does the end of the run wait for that.
#pragma once

#include "calllistener.h"

#include <memory>

namespace glovebox::native {

// Used by the thread that pumps the run.
class Answering
{
public:
    Answering() = default; // adopt() comes before all else
    // Not before everybody inside is being killed.
    ~Answering();
    Answering(const Answering &) = delete;
    Answering &operator=(const Answering &) = delete;

    // False: no descriptor was left.
    bool adopt(CallListener listener);
    // Until begin().
    CallListener &listener();
    // From here on who asks is answered, and stands still for a while where that is too often. False: there is no thread for it.
    bool begin();
    // Readable when take() has something.
    int descriptor() const;
    // What is told of all who were answered until now.
    QList<RunEvent> take();
    // As those of the listener.
    std::optional<RunEvent> unseen();
    void tellAnew();

private:
    struct Shared;
    static void serve(Shared &shared);

    std::shared_ptr<Shared> m_shared;
};

} // namespace glovebox::native
