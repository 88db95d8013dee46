// SPDX-License-Identifier: Apache-2.0
// Goes through the lines that an output view holds, a slice of some milliseconds at a time: nobody waits for it.
#pragma once

#include "linematcher.h"

#include "app/workbench/runpanel/output/outputview.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace glovebox {

// Lives on the GUI thread, as a child of the view. A call ends the one before; so does another log, or another matcher.
class OutputSearch : public QObject
{
    Q_OBJECT
public:
    enum class End {
        Found, // and it is shown
        NotFound,
        TooSlow, // LineMatcher::isTooSlow()
    };
    struct Count
    {
        qint64 matches = 0;
        qint64 number = 0; // of the current one, from 1; 0: there is none, or the lines it is in don't count
    };

    explicit OutputSearch(OutputView *view);

    enum class From {
        Here, // the current match will do, while what is looked for is still being typed
        Next,
        Previous,
    };
    // Marks all matches and goes to the next one from the current, round the end if it wraps. end: at once where a slice is enough.
    void find(const LineMatcher &matcher, From from, bool wraps, std::function<void(End)> end);
    // withOurs: our own remarks count, too.
    void count(const LineMatcher &matcher, bool withOurs, std::function<void(const Count &)> end);
    void stop() { m_next.stop(); }

private:
    void goOn();
    bool findSlice(); // false: there is more to do
    bool countSlice();
    bool isOver() const;

    OutputView *m_view;
    LineMatcher m_matcher;
    QTimer m_next;
    qint64 m_sliceEnd = 0; // ns, of the steady clock
    std::function<bool()> m_slice;
    // of a search
    OutputPosition m_from;
    qint64 m_step = 0;
    bool m_backward = false;
    bool m_wraps = false;
    std::function<void(End)> m_found;
    // of a count
    qint64 m_line = 0;
    bool m_withOurs = false;
    Count m_count;
    std::function<void(const Count &)> m_counted;
};

} // namespace glovebox
