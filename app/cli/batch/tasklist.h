// SPDX-License-Identifier: Apache-2.0
// All tasks of a batch in their order, out of files of code and lists. Never in memory together.
#pragma once

#include "linereader.h"
#include "task.h"

#include <memory>
#include <vector>

namespace glovebox {

// Read as often as wanted, by one thread. The first reading copies each list, so that later ones see the same lines: a list may come from
// a pipe, or be edited meanwhile. The copy is a nameless file in the engine's data folder.
class TaskList
{
public:
    struct Problem
    {
        TaskPlace place; // its id is the file's, or "LIST:LINE"
        QString list; // for people; empty: the sentence has all
        Error error;
    };
    using Item = std::expected<Task, Problem>;

    // operands: files of code, lists (.jsonl, .ndjson) and "-", a list on standard input.
    TaskList(const Engine &engine, TaskMaker maker, QByteArrayList operands);
    ~TaskList();

    static bool isList(const QByteArray &operand);

    // The next task, or what is wrong with it; nothing at the end.
    std::optional<Item> next();
    // To the first task again.
    void rewind();
    // SHA-256 of what came on standard input; known at the end of the first reading.
    QByteArray digestOfStandardInput() const;

private:
    struct Source;
    std::optional<Item> nextOf(Source &source);
    std::optional<Item> nextLineOf(Source &source);
    Result<LineReader *> linesOf(Source &source);

    const Engine &m_engine;
    const TaskMaker m_maker;
    std::vector<std::unique_ptr<Source>> m_sources;
    std::size_t m_current = 0;
    qint64 m_count = 0; // tasks so far
};

} // namespace glovebox
