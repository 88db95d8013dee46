// SPDX-License-Identifier: Apache-2.0
// The runs on record as a table, newest first, however many there are.
//
// The newest ones are held as a list; of the others, blocks are known by their first and last sequence number and hold their
// rows only while somebody looks at them: the log is only added to, at the end that is shown first. After the first screen the
// rest is walked through in the background, so that the whole record can be scrolled through; the log is never asked to count.
#pragma once

#include "logthread.h"

#include "app/workbench/shell/words/words.h"

#include <QAbstractTableModel>
#include <QHash>
#include <QSet>
#include <QTimer>

#include <atomic>
#include <memory>
#include <vector>

namespace glovebox {

// One line of it as it may be shown: what reorders or hides text is made visible.
QString shownLine(const QString &line);
// "09:41:07" of today, "20 Nov 09:41:07", "2025-11-20 09:41:07".
QString shownTime(qint64 microseconds, const QDateTime &now);
QString shownCaller(Caller::Kind kind, const QString &program);

// Lives on the GUI thread. The log's thread must outlive it, and is used by nobody else.
class RunsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column {
        TimeColumn,
        OutcomeColumn,
        BlockedColumn,
        LanguageColumn,
        CodeColumn,
        CallerColumn,
        DurationColumn,
        columns
    };
    static constexpr int blockRows = 200; // and those of the first page

    // store: of the code and output in which RunFilter::contains is searched for; nothing: only first lines are.
    RunsModel(const Theme &theme, LogThread &log, const std::optional<ContentStore> &store = {},
              QObject *parent = nullptr);
    ~RunsModel() override;
    void stop(); // whatever is being searched for; before the log's thread is stopped

    // Reads anew. What is there stays until the first rows of the new list come.
    void setFilter(const RunFilter &filter); // its beforeSeq and limit are of no matter
    const RunFilter &filter() const { return m_filter; }
    bool isFiltered() const;
    void reload();
    // The log changed: adds what is new at the top and brings up to date what wasn't finished.
    void takeChanges();
    // Reads on in the background only while this is true; what was asked for is answered always.
    void setActive(bool active);
    // The rows that are looked at are read when they aren't held.
    void setVisibleRows(int first, int last);

    // The first rows of a list.
    bool isReading() const { return m_reading || (m_count == 0 && !m_complete && !m_error && m_newest > 0); }
    bool isComplete() const { return m_complete; } // rowCount() is all there is
    // Runs that would be in the list, and get packages (RunFilter::foldsPackages), as far as it was read.
    int folded() const { return m_folded; }
    const std::optional<Error> &error() const { return m_error; } // the list could not be read

    const RunRow *runAt(int row) const; // null: not held now
    int rowOf(qint64 seq) const; // -1: not in the list, or not held now

    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : m_count; }
    int columnCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : columns; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    bool canFetchMore(const QModelIndex &parent) const override;
    void fetchMore(const QModelIndex &parent) override;

Q_SIGNALS:
    void stateChanged(); // reading, complete or error
    void runChanged(const QString &run); // it is finished now
    void arrived(int count); // new rows at the top

private:
    struct Block
    {
        qint64 first = 0; // sequence numbers
        qint64 last = 0;
        int start = 0; // row, behind the list at the top
        int count = 0;
        QList<RunRow> rows; // empty: not held
        bool stale = false; // a run of it wasn't finished when it was read
        int surprises = 0; // readings that found something else
        qint64 used = 0;
    };
    struct FirstPage
    {
        RunSlice found;
        qint64 newest = 0; // of the whole log, before the rows were read
        QStringList open; // runs that aren't finished, of the newest of the whole log
        bool operator==(const FirstPage &) const = default;
    };
    struct News
    {
        QList<RunRow> rows; // unfiltered, newest first
        QList<RunRow> finished;
        QSet<qint64> found; // of those that the filter asks for by what no row names
        bool reached = false; // nothing lies between the oldest of rows and what was known
        bool operator==(const News &) const = default;
    };

    void start();
    void takeFirstPage(Result<FirstPage> page);
    void readOn();
    void takeMore(const Result<RunSlice> &found);
    void readMissing();
    void takeBlock(qint64 first, const Result<QList<RunRow>> &rows);
    void takeNews(const Result<News> &news);
    QList<RunRow> wantedOf(const News &news); // and counts those that are folded
    void merge(QList<RunRow> rows); // into the list at the top, newest first
    void mergeBelow(const RunRow &run); // into the blocks
    void letGo(const Error &error);
    void forgetUnused();
    void countBlocked();
    bool matches(const RunRow &row) const; // but for what no row names, and for what is folded
    bool isFolded(const RunRow &row) const { return m_filter.foldsPackages && row.getsPackages; }
    // That no row names.
    bool isByEntry() const { return !m_filter.secret.isEmpty() || !m_filter.pairing.isEmpty() || isInBodies(); }
    bool isInBodies() const { return m_store && !m_filter.contains.isEmpty(); }
    BodyLook look() const; // null: no body needs a look
    size_t blockAt(qint64 seq) const; // the newest that holds something as old as this; may be the end
    size_t blockOfRow(int row) const;

    const Theme &m_theme;
    LogThread &m_log;
    const std::optional<ContentStore> m_store;
    const std::shared_ptr<std::atomic<int>> m_wanted; // m_generation, for the log's thread
    RunFilter m_filter;
    QList<RunRow> m_head;
    std::vector<Block> m_blocks;
    int m_count = 0;
    int m_folded = 0;
    int m_generation = 0; // of the list; late answers for another one are dropped
    bool m_active = false;
    bool m_reading = false;
    bool m_readingOn = false;
    bool m_readingBlock = false;
    bool m_readingNews = false;
    bool m_newsAgain = false; // the log changed while the news were read
    bool m_complete = false;
    std::optional<Error> m_error;
    qint64 m_newest = 0; // every run up to here was looked at
    qint64 m_lookedAt = 0; // and down to here
    QStringList m_open; // runs whose end isn't known
    int m_firstVisible = 0;
    int m_lastVisible = -1;
    qint64 m_uses = 0;
    QTimer m_dropTimer;
    // Of finished runs that were looked at, by their seq: the places that they were kept from. Entries never change.
    QHash<qint64, int> m_blocked;
    bool m_countingBlocked = false;
};

} // namespace glovebox
