// SPDX-License-Identifier: Apache-2.0
// Reading and keeping the list; what its cells show is in runcells.cpp.
#include "runsmodel.h"

#include <algorithm>

namespace glovebox {

namespace {

using namespace std::chrono_literals;

constexpr auto searchedAtOnce = 100ms; // of a search in code and output: what it found comes into the list
constexpr int rowsAtOnce = 25 * RunsModel::blockRows; // when the record is walked through
constexpr int heldBlocks = 40;
constexpr int mostNews = 5'000; // runs; of more, the list is read anew
constexpr qsizetype mostOpen = 1024; // runs that are asked for one by one; an engine runs 256 at a time

bool isOpen(const RunRow &row)
{
    return row.finishedSeq == 0;
}

void addOpen(QStringList &open, const QList<RunRow> &rows)
{
    for (const RunRow &row : rows) {
        if (isOpen(row) && open.size() < mostOpen && !open.contains(row.run))
            open.append(row.run);
    }
}

} // namespace

RunsModel::RunsModel(const Theme &theme, LogThread &log, const std::optional<ContentStore> &store, QObject *parent)
    : QAbstractTableModel(parent)
    , m_theme(theme)
    , m_log(log)
    , m_store(store)
    , m_wanted(std::make_shared<std::atomic<int>>(0))
{
    m_dropTimer.setInterval(10ms);
    connect(&m_dropTimer, &QTimer::timeout, this, [this] {
        if (!m_log.isDropping())
            m_dropTimer.stop();
    });
}

RunsModel::~RunsModel()
{
    stop();
}

void RunsModel::setFilter(const RunFilter &filter)
{
    m_filter = filter;
    start();
}

void RunsModel::reload()
{
    m_log.reopen();
    start();
}

void RunsModel::start()
{
    *m_wanted = ++m_generation;
    if (m_log.drop())
        m_dropTimer.start();
    m_reading = true;
    m_readingOn = m_readingBlock = m_readingNews = m_newsAgain = m_countingBlocked = false;
    RunFilter filter = m_filter;
    filter.beforeSeq = 0;
    filter.limit = blockRows;
    m_log.ask(
        this,
        [filter, look = look(),
         filtered = isFiltered() || m_filter.foldsPackages](AuditReader &reader) -> Result<FirstPage> {
            FirstPage page;
            RunFilter everything;
            everything.limit = blockRows;
            const auto newest = reader.runs(everything);
            if (!newest)
                return std::unexpected(newest.error());
            if (!newest->isEmpty())
                page.newest = newest->first().seq;
            addOpen(page.open, *newest);
            if (!filtered) {
                page.found = {*newest, 0, newest->isEmpty() ? 0 : newest->last().seq, newest->size() < blockRows};
                return page;
            }
            auto found = reader.search(filter, look, searchedAtOnce);
            if (!found)
                return std::unexpected(found.error());
            page.found = *std::move(found);
            addOpen(page.open, page.found.rows); // older ones among what is shown
            return page;
        },
        [this, generation = m_generation](Result<FirstPage> page) {
            if (generation == m_generation)
                takeFirstPage(std::move(page));
        });
    Q_EMIT stateChanged();
}

void RunsModel::takeFirstPage(Result<FirstPage> page)
{
    m_reading = false;
    // No log yet is a list without runs.
    const bool isThere = page || page.error().code == ErrorCode::NotFound;
    beginResetModel();
    m_error = isThere ? std::nullopt : std::optional(page.error());
    m_head = page ? std::move(page->found.rows) : QList<RunRow>();
    m_blocks.clear();
    m_count = int(m_head.size());
    m_folded = page ? int(page->found.folded) : 0;
    m_complete = !page || page->found.isEnd;
    m_lookedAt = page ? page->found.lookedAt : 0;
    m_newest = page ? page->newest : 0; // 0: there is no run; then changes read all of it
    m_open = page ? std::move(page->open) : QStringList();
    m_firstVisible = 0;
    m_lastVisible = -1;
    endResetModel();
    Q_EMIT stateChanged();
    if (m_active)
        readOn();
    if (m_newest > 0 && std::exchange(m_newsAgain, false))
        takeChanges();
}

void RunsModel::setActive(bool active)
{
    m_active = active;
    if (active)
        readOn();
}

bool RunsModel::canFetchMore(const QModelIndex &parent) const
{
    return !parent.isValid() && !m_complete && !m_reading;
}

void RunsModel::fetchMore(const QModelIndex &parent)
{
    if (!parent.isValid())
        readOn();
}

void RunsModel::readOn()
{
    if (m_complete || m_reading || m_readingOn || m_error)
        return;
    m_readingOn = true;
    RunFilter filter = m_filter;
    filter.beforeSeq = m_lookedAt;
    filter.limit = rowsAtOnce;
    m_log.ask(
        this, [filter, look = look()](AuditReader &reader) { return reader.search(filter, look, searchedAtOnce); },
        [this, generation = m_generation](const Result<RunSlice> &found) {
            if (generation == m_generation)
                takeMore(found);
        });
}

void RunsModel::takeMore(const Result<RunSlice> &found)
{
    m_readingOn = false;
    if (!found) {
        letGo(found.error());
        return;
    }
    addOpen(m_open, found->rows);
    m_complete = found->isEnd;
    m_folded += int(found->folded);
    m_lookedAt = found->lookedAt > 0 ? found->lookedAt : m_lookedAt;
    if (m_count == 0 && !found->rows.isEmpty()) {
        beginInsertRows({}, 0, int(found->rows.size()) - 1);
        m_head = found->rows;
        m_count = int(m_head.size());
        endInsertRows();
        Q_EMIT stateChanged();
    } else if (!found->rows.isEmpty()) {
        // The first of them are kept: somebody may be waiting at the end of the list.
        beginInsertRows({}, m_count, m_count + int(found->rows.size()) - 1);
        for (qsizetype at = 0; at < found->rows.size(); at += blockRows) {
            Block block;
            block.rows = found->rows.sliced(at, std::min<qsizetype>(blockRows, found->rows.size() - at));
            block.first = block.rows.first().seq;
            block.last = block.rows.last().seq;
            block.start = m_count - int(m_head.size()) + int(at);
            block.count = int(block.rows.size());
            block.stale = std::ranges::any_of(block.rows, isOpen);
            if (m_count + at > m_lastVisible + rowsAtOnce)
                block.rows.clear();
            else
                block.used = ++m_uses;
            m_blocks.push_back(std::move(block));
        }
        m_count += int(found->rows.size());
        endInsertRows();
        forgetUnused();
    }
    if (m_complete)
        Q_EMIT stateChanged();
    else if (m_active)
        readOn();
}

// An error in the middle leaves what is there: it is shown where there is nothing, else with the next reading.
void RunsModel::letGo(const Error &error)
{
    if (error.code == ErrorCode::Cancelled)
        return;
    m_error = error;
    Q_EMIT stateChanged();
}

void RunsModel::setVisibleRows(int first, int last)
{
    m_firstVisible = first;
    m_lastVisible = last;
    readMissing();
    countBlocked();
}

// One at a time, for what is visible when the answer comes: whoever scrolls fast doesn't wait for what they have passed.
void RunsModel::readMissing()
{
    if (m_readingBlock || m_error)
        return;
    const size_t first = blockOfRow(m_firstVisible - blockRows / 2);
    const size_t last = blockOfRow(m_lastVisible + blockRows / 2);
    if (m_lastVisible + blockRows / 2 < m_head.size())
        return;
    for (size_t i = first; i <= last && i < m_blocks.size(); ++i) {
        Block &block = m_blocks[i];
        block.used = ++m_uses;
        if (!block.rows.isEmpty())
            continue;
        m_readingBlock = true;
        RunFilter filter = m_filter;
        filter.fromSeq = block.last;
        filter.beforeSeq = block.first + 1;
        filter.limit = block.count;
        m_log.ask(
            this,
            [filter, look = look()](AuditReader &reader) -> Result<QList<RunRow>> {
                auto found = reader.search(filter, look);
                return found ? Result<QList<RunRow>>(std::move(found->rows)) : std::unexpected(found.error());
            },
            [this, first = block.first, generation = m_generation](const Result<QList<RunRow>> &rows) {
                if (generation == m_generation)
                    takeBlock(first, rows);
            });
        return;
    }
}

size_t RunsModel::blockAt(qint64 seq) const
{
    const auto block = std::ranges::partition_point(m_blocks, [seq](const Block &each) { return each.last > seq; });
    return size_t(block - m_blocks.begin());
}

size_t RunsModel::blockOfRow(int row) const
{
    const int behind = row - int(m_head.size());
    const auto next =
        std::ranges::partition_point(m_blocks, [behind](const Block &each) { return each.start <= behind; });
    return next == m_blocks.begin() ? 0 : size_t(next - m_blocks.begin()) - 1;
}

void RunsModel::takeBlock(qint64 first, const Result<QList<RunRow>> &rows)
{
    constexpr int mostSurprises = 3;
    m_readingBlock = false;
    if (!rows) {
        letGo(rows.error());
        return;
    }
    const size_t at = blockAt(first);
    if (at == m_blocks.size() || m_blocks[at].first != first)
        return;
    Block &block = m_blocks[at];
    if (rows->size() != block.count || rows->last().seq != block.last) {
        // A run was finished meanwhile, and is one that the filter lets through now: the news say which.
        if (++block.surprises > mostSurprises)
            start();
        else
            takeChanges();
        return;
    }
    block.rows = *rows;
    block.stale = std::ranges::any_of(*rows, isOpen);
    block.surprises = 0;
    block.used = ++m_uses;
    const int row = int(m_head.size()) + block.start;
    Q_EMIT dataChanged(index(row, 0), index(row + block.count - 1, columns - 1));
    forgetUnused();
    readMissing();
}

void RunsModel::forgetUnused()
{
    QList<std::pair<qint64, Block *>> held;
    for (Block &block : m_blocks) {
        if (!block.rows.isEmpty())
            held.append({block.used, &block});
    }
    if (held.size() <= heldBlocks)
        return;
    std::ranges::sort(held);
    for (qsizetype i = 0; i < held.size() - heldBlocks; ++i)
        held.at(i).second->rows.clear();
}

// Reads what is new of the whole log, and not of the filtered list: a search for something rare would go through all of it
// each time.
void RunsModel::takeChanges()
{
    if (m_reading || m_readingNews) {
        m_newsAgain = true; // it may have been too early for what came now
        return;
    }
    if (m_error || m_newest == 0) {
        start();
        return;
    }
    m_readingNews = true;
    m_log.ask(
        this,
        [known = m_newest, open = m_open, secret = m_filter.secret, pairing = m_filter.pairing,
         text = isInBodies() ? m_filter.contains : QString(), look = look(),
         isAsked = isByEntry()](AuditReader &reader) -> Result<News> {
            News news;
            RunFilter filter;
            filter.limit = blockRows;
            while (!news.reached && news.rows.size() < mostNews) {
                const auto rows = reader.runs(filter);
                if (!rows)
                    return std::unexpected(rows.error());
                for (const RunRow &row : *rows) {
                    if (row.seq > known)
                        news.rows.append(row);
                }
                news.reached = rows->size() < filter.limit || rows->last().seq <= known;
                if (!rows->isEmpty())
                    filter.beforeSeq = rows->last().seq;
            }
            for (const QString &run : open) {
                const auto row = reader.run(run);
                if (!row)
                    return std::unexpected(row.error());
                if (!isOpen(*row))
                    news.finished.append(*row);
            }
            for (const RunRow &row : isAsked ? news.rows + news.finished : QList<RunRow>()) {
                const auto asked = reader.search({.fromSeq = row.seq,
                                                  .beforeSeq = row.seq + 1,
                                                  .limit = 1,
                                                  .contains = text,
                                                  .secret = secret,
                                                  .pairing = pairing},
                                                 look);
                if (!asked)
                    return std::unexpected(asked.error());
                if (!asked->rows.isEmpty())
                    news.found.insert(row.seq);
            }
            return news;
        },
        [this, generation = m_generation](const Result<News> &news) {
            if (generation == m_generation)
                takeNews(news);
        });
}

void RunsModel::takeNews(const Result<News> &news)
{
    m_readingNews = false;
    if (!news) {
        letGo(news.error());
        return;
    }
    if (!news->reached) {
        start();
        return;
    }
    addOpen(m_open, news->rows);
    const int foldedBefore = m_folded;
    QList<RunRow> wanted = wantedOf(*news);
    if (!news->rows.isEmpty())
        m_newest = news->rows.first().seq;
    for (const RunRow &row : news->finished) {
        m_open.removeAll(row.run);
        Q_EMIT runChanged(row.run);
    }
    std::ranges::sort(wanted, std::greater(), &RunRow::seq);
    // Blocks that were read before their runs were finished are read again when they are looked at.
    for (Block &block : m_blocks) {
        if (block.stale)
            block.rows.clear();
    }
    merge(std::move(wanted));
    if (m_folded != foldedBefore)
        Q_EMIT stateChanged();
    readMissing();
    if (std::exchange(m_newsAgain, false))
        takeChanges();
}

void RunsModel::merge(QList<RunRow> rows)
{
    int added = 0;
    while (!rows.isEmpty()) {
        const qint64 seq = rows.first().seq;
        const auto at = std::ranges::lower_bound(m_head, seq, std::greater(), &RunRow::seq);
        const int row = int(at - m_head.begin());
        if (at != m_head.end() && at->seq == seq) {
            *at = rows.takeFirst();
            Q_EMIT dataChanged(index(row, 0), index(row, columns - 1));
            continue;
        }
        if (at == m_head.end() && !m_head.isEmpty() && !(m_blocks.empty() && m_complete)) {
            mergeBelow(rows.takeFirst());
            continue;
        }
        // Those that go to the same place go there together.
        qsizetype count = 1;
        while (count < rows.size() && (at == m_head.end() || rows.at(count).seq > at->seq))
            ++count;
        beginInsertRows({}, row, row + int(count) - 1);
        for (qsizetype i = 0; i < count; ++i)
            m_head.insert(row + i, rows.takeFirst());
        m_count += int(count);
        endInsertRows();
        if (row == 0)
            added += int(count);
    }
    if (added > 0)
        Q_EMIT arrived(added);
    Q_EMIT stateChanged();
}

// A run of long ago that was finished now. In a block whose rows aren't held, its place is known no better.
void RunsModel::mergeBelow(const RunRow &run)
{
    size_t at = blockAt(run.seq);
    if (m_blocks.empty() || (at == m_blocks.size() && !m_complete))
        return; // will be read with what follows
    if (at > 0 && (at == m_blocks.size() || run.seq > m_blocks[at].first))
        --at; // between two: at the end of the former
    Block &block = m_blocks[at];
    const auto place = std::ranges::lower_bound(block.rows, run.seq, std::greater(), &RunRow::seq);
    const int offset = int(place - block.rows.begin());
    const int row = int(m_head.size()) + block.start + offset;
    if (place != block.rows.end() && place->seq == run.seq) {
        *place = run;
        Q_EMIT dataChanged(index(row, 0), index(row, columns - 1));
        return;
    }
    if (!m_filter.outcome)
        return; // it is there already
    beginInsertRows({}, row, row);
    if (!block.rows.isEmpty())
        block.rows.insert(offset, run);
    block.first = std::max(block.first, run.seq);
    block.last = std::min(block.last, run.seq);
    ++block.count;
    for (size_t i = at + 1; i < m_blocks.size(); ++i)
        ++m_blocks[i].start;
    ++m_count;
    endInsertRows();
}

const RunRow *RunsModel::runAt(int row) const
{
    if (row < 0 || row >= m_count)
        return nullptr;
    if (row < m_head.size())
        return &m_head.at(row);
    const Block &block = m_blocks[blockOfRow(row)];
    return block.rows.isEmpty() ? nullptr : &block.rows.at(row - int(m_head.size()) - block.start);
}

int RunsModel::rowOf(qint64 seq) const
{
    const auto inHead = std::ranges::lower_bound(m_head, seq, std::greater(), &RunRow::seq);
    if (inHead != m_head.end())
        return inHead->seq == seq ? int(inHead - m_head.begin()) : -1;
    const size_t at = blockAt(seq);
    if (at == m_blocks.size())
        return -1;
    const Block &block = m_blocks[at];
    const auto found = std::ranges::find(block.rows, seq, &RunRow::seq);
    return found == block.rows.end() ? -1 : int(m_head.size()) + block.start + int(found - block.rows.begin());
}

} // namespace glovebox
