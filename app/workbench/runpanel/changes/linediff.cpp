// SPDX-License-Identifier: Apache-2.0
#include "linediff.h"

#include <QStringList>

#include <algorithm>
#include <vector>

namespace glovebox {

namespace {

constexpr int mostEdits = 1000; // the trace takes mostEdits^2 numbers

using Kind = DiffLine::Kind;

QStringList linesOf(const QString &text)
{
    QStringList lines = text.split(u'\n');
    if (lines.last().isEmpty())
        lines.removeLast(); // what ends with a line's end has no line after it
    return lines;
}

// The kinds of the way from a to b; empty: it is too long.
std::vector<Kind> shortestWay(const QStringList &a, const QStringList &b)
{
    const int n = int(a.size());
    const int m = int(b.size());
    const int most = std::min(n + m, mostEdits);
    std::vector<std::vector<int>> trace;
    std::vector<int> ends(2 * size_t(most) + 3, 0); // how far in a each diagonal has come
    const auto at = [&](std::vector<int> &of, int diagonal) -> int & {
        const int place = diagonal + most + 1;
        return of[size_t(place)];
    };
    int edits = 0;
    for (bool arrived = false; !arrived; ++edits) {
        if (edits > most)
            return {};
        trace.push_back(ends);
        for (int k = -edits; k <= edits && !arrived; k += 2) {
            const bool down = k == -edits || (k != edits && at(ends, k - 1) < at(ends, k + 1));
            int x = down ? at(ends, k + 1) : at(ends, k - 1) + 1;
            while (x < n && x - k < m && a[x] == b[x - k])
                ++x;
            at(ends, k) = x;
            arrived = x >= n && x - k >= m;
        }
    }
    std::vector<Kind> way;
    int x = n;
    int y = m;
    for (int d = edits - 1; d >= 0; --d) {
        const int k = x - y;
        std::vector<int> &before = trace[size_t(d)];
        const bool down = k == -d || (k != d && at(before, k - 1) < at(before, k + 1));
        const int fromX = down ? at(before, k + 1) : at(before, k - 1);
        const int fromY = fromX - (down ? k + 1 : k - 1);
        while (x > fromX && y > fromY && x > 0 && y > 0) {
            way.push_back(Kind::Same);
            --x;
            --y;
        }
        if (d > 0)
            way.push_back(down ? Kind::Added : Kind::Removed);
        x = fromX;
        y = fromY;
    }
    std::ranges::reverse(way);
    return way;
}

} // namespace

QList<DiffLine> lineDiff(const QString &before, const QString &after, int context)
{
    QStringList a = linesOf(before);
    QStringList b = linesOf(after);
    qsizetype head = 0;
    while (head < a.size() && head < b.size() && a[head] == b[head])
        ++head;
    qsizetype tail = 0;
    while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
        ++tail;
    const QStringList middleA = a.mid(head, a.size() - head - tail);
    const QStringList middleB = b.mid(head, b.size() - head - tail);
    std::vector<Kind> way = shortestWay(middleA, middleB);
    if (way.empty()) {
        way.assign(size_t(middleA.size()), Kind::Removed);
        way.insert(way.end(), size_t(middleB.size()), Kind::Added);
    }
    way.insert(way.begin(), size_t(head), Kind::Same);
    way.insert(way.end(), size_t(tail), Kind::Same);

    // What is near a difference is shown.
    std::vector<bool> shown(way.size(), false);
    for (size_t i = 0; i < way.size(); ++i) {
        if (way[i] == Kind::Same)
            continue;
        const size_t from = i > size_t(context) ? i - size_t(context) : 0;
        for (size_t j = from; j < std::min(way.size(), i + size_t(context) + 1); ++j)
            shown[j] = true;
    }
    QList<DiffLine> lines;
    qsizetype nextA = 0;
    qsizetype nextB = 0;
    for (size_t i = 0; i < way.size(); ++i) {
        const QString text = way[i] == Kind::Added ? b[nextB] : a[nextA];
        nextA += way[i] != Kind::Added ? 1 : 0;
        nextB += way[i] != Kind::Removed ? 1 : 0;
        if (shown[i])
            lines.append({way[i], text});
        else if (lines.isEmpty() || lines.last().kind != Kind::Gap)
            lines.append({Kind::Gap, {}});
    }
    return lines;
}

} // namespace glovebox
