// SPDX-License-Identifier: Apache-2.0
#include "linediff.h"

#include <QStringList>

#include <algorithm>
#include <vector>

namespace glovebox {

namespace {

constexpr int mostEdits = 1000; // the trace takes mostEdits^2 numbers

using LineKind = DiffLine::Kind;

constexpr QChar openEnd = u'\n'; // stands in a line only where none follows

QStringList linesOf(const QString &text)
{
    QStringList lines = text.split(u'\n');
    if (lines.last().isEmpty())
        lines.removeLast(); // what ends with a line's end has no line after it
    else
        lines.last() += openEnd;
    return lines;
}

// The kinds of the way from a to b; empty: it is too long.
std::vector<LineKind> shortestWay(const QStringList &a, const QStringList &b)
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
    std::vector<LineKind> way;
    int x = n;
    int y = m;
    for (int d = edits - 1; d >= 0; --d) {
        const int k = x - y;
        std::vector<int> &before = trace[size_t(d)];
        const bool down = k == -d || (k != d && at(before, k - 1) < at(before, k + 1));
        const int fromX = down ? at(before, k + 1) : at(before, k - 1);
        const int fromY = fromX - (down ? k + 1 : k - 1);
        while (x > fromX && y > fromY && x > 0 && y > 0) {
            way.push_back(LineKind::Same);
            --x;
            --y;
        }
        if (d > 0)
            way.push_back(down ? LineKind::Added : LineKind::Removed);
        x = fromX;
        y = fromY;
    }
    std::ranges::reverse(way);
    return way;
}

// Words, runs of spaces, and each other character by itself.
QStringList tokensOf(const QString &line)
{
    const auto classOf = [](QChar c) { return c.isLetterOrNumber() || c == u'_' ? 1 : c.isSpace() ? 2 : 0; };
    QStringList tokens;
    int last = 0;
    for (const QChar c : line) {
        const int is = classOf(c);
        if (is != 0 && is == last)
            tokens.last() += c;
        else
            tokens.append(c);
        last = is;
    }
    return tokens;
}

// Marks what is different in a line and the one that took its place; nothing where they have little in common.
void markWords(DiffLine &removed, DiffLine &added)
{
    constexpr qsizetype mostTokens = 200; // of a line
    const QStringList a = tokensOf(removed.text);
    const QStringList b = tokensOf(added.text);
    if (a.size() > mostTokens || b.size() > mostTokens)
        return;
    QList<std::pair<int, int>> inA;
    QList<std::pair<int, int>> inB;
    int atA = 0;
    int atB = 0;
    qsizetype same = 0;
    const auto mark = [](QList<std::pair<int, int>> &all, int at, int length) {
        if (!all.isEmpty() && all.last().first + all.last().second == at)
            all.last().second += length;
        else
            all.append({at, length});
    };
    qsizetype nextA = 0;
    qsizetype nextB = 0;
    for (const LineKind kind : shortestWay(a, b)) {
        const QString &token = kind == LineKind::Added ? b[nextB] : a[nextA];
        const int length = int(token.size());
        if (kind == LineKind::Removed)
            mark(inA, atA, length);
        else if (kind == LineKind::Added)
            mark(inB, atB, length);
        else if (!token.front().isSpace())
            same += length;
        atA += kind == LineKind::Added ? 0 : length;
        atB += kind == LineKind::Removed ? 0 : length;
        nextA += kind == LineKind::Added ? 0 : 1;
        nextB += kind == LineKind::Removed ? 0 : 1;
    }
    if (same * 3 < std::max(removed.text.size(), added.text.size()))
        return;
    removed.words = inA;
    added.words = inB;
}

// Lines that were removed and added at one place, in pairs.
void markWordsIn(QList<DiffLine> &lines)
{
    constexpr int mostPairs = 2000; // a hundred milliseconds at worst
    int pairs = 0;
    for (qsizetype i = 0; i < lines.size();) {
        const qsizetype removed = i;
        while (i < lines.size() && lines[i].kind == LineKind::Removed)
            ++i;
        const qsizetype added = i;
        while (i < lines.size() && lines[i].kind == LineKind::Added)
            ++i;
        for (qsizetype j = 0; j < std::min(added - removed, i - added) && pairs < mostPairs; ++j, ++pairs)
            markWords(lines[removed + j], lines[added + j]);
        if (i == removed)
            ++i;
    }
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
    std::vector<LineKind> way = shortestWay(middleA, middleB);
    if (way.empty()) {
        way.assign(size_t(middleA.size()), LineKind::Removed);
        way.insert(way.end(), size_t(middleB.size()), LineKind::Added);
    }
    // At one place removed comes before added.
    for (auto from = way.begin(); from != way.end();) {
        const auto begin = std::find_if(from, way.end(), [](LineKind kind) { return kind != LineKind::Same; });
        from = std::find(begin, way.end(), LineKind::Same);
        std::stable_partition(begin, from, [](LineKind kind) { return kind == LineKind::Removed; });
    }
    way.insert(way.begin(), size_t(head), LineKind::Same);
    way.insert(way.end(), size_t(tail), LineKind::Same);

    // What is near a difference is shown.
    std::vector<bool> shown(way.size(), false);
    for (size_t i = 0; i < way.size(); ++i) {
        if (way[i] == LineKind::Same)
            continue;
        const size_t from = i > size_t(context) ? i - size_t(context) : 0;
        for (size_t j = from; j < std::min(way.size(), i + size_t(context) + 1); ++j)
            shown[j] = true;
    }
    QList<DiffLine> lines;
    qsizetype nextA = 0;
    qsizetype nextB = 0;
    for (size_t i = 0; i < way.size(); ++i) {
        DiffLine line{.kind = way[i], .text = way[i] == LineKind::Added ? b[nextB] : a[nextA], .words = {}};
        line.isOpen = line.text.endsWith(openEnd);
        line.text.chop(line.isOpen ? 1 : 0);
        line.before = way[i] != LineKind::Added ? int(++nextA) : 0;
        line.after = way[i] != LineKind::Removed ? int(++nextB) : 0;
        if (shown[i])
            lines.append(line);
        else if (lines.isEmpty() || lines.last().kind != LineKind::Gap)
            lines.append({.kind = LineKind::Gap, .text = {}, .before = line.before, .after = line.after, .words = {}});
    }
    markWordsIn(lines);
    return lines;
}

std::optional<HunkPlace> hunkAt(const QList<DiffLine> &lines, qsizetype index)
{
    if (lines[index].kind == LineKind::Gap || (index > 0 && lines[index - 1].kind != LineKind::Gap))
        return std::nullopt;
    HunkPlace place;
    for (qsizetype i = index; i < lines.size() && lines[i].kind != LineKind::Gap; ++i) {
        place.before = place.before == 0 ? lines[i].before : place.before;
        place.after = place.after == 0 ? lines[i].after : place.after;
        place.beforeCount += lines[i].before > 0 ? 1 : 0;
        place.afterCount += lines[i].after > 0 ? 1 : 0;
    }
    return place;
}

} // namespace glovebox
