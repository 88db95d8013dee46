// SPDX-License-Identifier: Apache-2.0
// A task of a batch: one run, with a name and a place.
#pragma once

#include "engine/engine.h"

namespace glovebox {

// Where a task stands, which is all that is kept of it while it runs.
struct TaskPlace
{
    QString id; // its own, else the file, or "LIST:LINE"
    qint64 index = 0; // in the whole batch, from 1
    std::optional<qint64> line; // of its list, from 1; none: the task is a file of code
    QByteArray digest; // SHA-256 of everything that makes the run but for the command's grants

    bool operator==(const TaskPlace &) const = default;
};

struct Task
{
    TaskPlace place; // without index
    RunRequest request;
    QByteArray input; // of the run, its standard input

    bool operator==(const Task &) const = default;
};

// Bytes that are shown of a task.
struct ShownPiece
{
    OutputStream stream = OutputStream::Out; // of this program
    QByteArray bytes;
    bool isOutput = true; // of the task, which must not get lost; else a sentence of ours

    bool operator==(const ShownPiece &) const = default;
};

// A folder whose files a list's tasks may name.
struct TaskFolder
{
    QString path; // absolute
    UniqueFd descriptor; // of openFolderPlace()
    Status status; // why tasks may not: such folders are refused to runs, too
};

// The folder that path is, or Glovebox's reason why runs get none of it.
TaskFolder openTaskFolder(const Engine &engine, const QString &path);

// Makes tasks of what every run of the batch gets: policy, secrets, caller, arguments, files and language. Nothing in a task adds to
// that policy. Errors are sentences for a person, without the list's name.
class TaskMaker
{
public:
    explicit TaskMaker(RunRequest common)
        : m_common(std::move(common))
    {
    }

    // A file of code.
    Result<Task> ofFile(const QByteArray &path) const;
    // A line of JSON: {"id", "language", "code" or "file", "args", "stdin", "files", "timeout"}. list: its name, for the id. An error names
    // the line.
    Result<Task> ofLine(QByteArrayView json, qint64 line, const QString &list, const TaskFolder &folder) const;

private:
    Result<Task> ofObject(const QJsonObject &object, qint64 line, const QString &list, const TaskFolder &folder) const;

    const RunRequest m_common;
};

} // namespace glovebox
