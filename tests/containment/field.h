// SPDX-License-Identifier: Apache-2.0
// Where a case is tried: once sealed, once raw as its positive control. The same code looks at both, on the host, and says
// whether the payload got what it wanted.
#pragma once

#include "attempt.h"
#include "observe.h"

namespace containment {

class Field
{
public:
    // engine is null for the positive control.
    explicit Field(glovebox::Engine *engine, Start start = Start::Cold);
    ~Field();

    bool isSealed() const { return m_engine; }
    bool hasTerminal() const { return isSealed() && m_start == Start::Terminal; }
    // "run" for the command line, as this field starts things; what follows is the case's.
    QByteArrayList runWords() const;
    glovebox::Engine &engine() { return *m_engine; }
    QString folder() const { return m_folder.path(); } // of the host; a raw payload starts in it
    // Where programs of Glovebox have their files: nobody else can write there.
    QString home() const { return m_home.path(); }
    QByteArray inFolder(const QByteArray &name) const;

    // The same folder as the payload sees it, and the policy that shows it.
    QByteArray shown() const;
    glovebox::Policy showing(glovebox::FolderGrant::Mode mode) const;

    std::unique_ptr<Attempt> start(const Payload &payload);
    // Does the deed to its end; true when the text came out.
    bool reveals(const Payload &payload, const QByteArray &text);
    // Does the deed and holds still: nullptr when it never came so far.
    std::unique_ptr<Attempt> hold(const Payload &payload);

    // Why the case says nothing here, or what was seen.
    void note(const QString &text) { m_note = text; }
    const QString &noted() const { return m_note; }
    void doesNotApply(const QString &why);
    bool applies() const { return m_applies; }
    // Of sandboxes that were built ahead; only of a warm field.
    int warmRuns() const { return m_warmRuns; }
    // Not empty: the payload never ran.
    QString trouble() const;

private:
    glovebox::Engine *m_engine;
    const Start m_start;
    int m_warmRuns = 0;
    QTemporaryDir m_folder;
    QTemporaryDir m_home;
    QString m_note;
    QString m_trouble;
    bool m_applies = true;
};

struct Case
{
    const char *number; // of ESCAPES: "01"
    const char *title;
    bool (*escapes)(Field &field); // null: not there yet
    const char *reason = ""; // of null: what it waits for. Else, if not empty: why there is no positive control
};

extern const QList<Case> fileCases, kernelCases, processCases, networkCases, egressCases, resourceCases, recordCases,
    secretCases;

// A file of the host with a random text; removed in the end, with the folders that were made for it.
class Canary
{
public:
    explicit Canary(const QString &path, mode_t mode = 0644);
    ~Canary();
    Canary(const Canary &) = delete;
    Canary &operator=(const Canary &) = delete;

    QByteArray path() const;
    const QByteArray &text() const { return m_text; }

private:
    QString m_path;
    QString m_madeFolder;
    QByteArray m_text;
};

// Another process of the host, waiting, with a secret in its memory and in its command line.
class Victim
{
public:
    Victim();
    ~Victim();
    Victim(const Victim &) = delete;
    Victim &operator=(const Victim &) = delete;

    qint64 pid() const { return m_pid; }
    QByteArray number() const { return QByteArray::number(m_pid); }
    const QByteArray &secret() const { return m_secret; }
    const void *address() const { return m_secret.constData(); }

private:
    QByteArray m_secret = newToken();
    qint64 m_pid = -1;
};

const QByteArray &environmentSecret(); // in variables of this process, set before anything else starts
QString homeFolder(); // the real one of who runs the suite
// Waits until it is true, at most so long.
bool waitFor(const std::function<bool()> &isTrue, std::chrono::milliseconds patience = std::chrono::seconds(2));

} // namespace containment
