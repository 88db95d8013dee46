// SPDX-License-Identifier: Apache-2.0
// The room's public header: which languages a snippet may be written in, which interpreters this machine has for them, and
// how a snippet is handed to one.
#pragma once

#include "celltext.h"

#include "engine/policy/policy.h"

#include <QByteArrayList>
#include <QRegularExpression>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace glovebox {

// A program on this machine that was looked at.
struct InterpreterCandidate
{
    QString path; // what is started, the same path inside; of one that isn't usable: as found
    QString version; // "3.11.2"; empty when not asked for
    QStringList folders; // what it needs besides /usr (folders, pyvenv.cfg): absolute, read-only, same path inside
    QString modules; // one of them that is at /node_modules, too; empty: none
    bool usable = false;
    Text reason; // why it is not usable

    bool operator==(const InterpreterCandidate &) const = default;
};

// How to start a snippet with an interpreter.
struct LaunchRecipe
{
    QByteArrayList argv; // the interpreter's, driver included; the same for every snippet
    QByteArrayList arguments; // the snippet's own, behind argv; with a driver they are in job
    QByteArrayList environment; // NAME=value, whole: nothing else is set
    QByteArray fileName; // Language::snippetName()
    QList<InnerFile> driver; // empty: no driver
    QByteArray job; // first message on the driver's channel (descriptor 3), whole with its frame
    QStringList folders; // as InterpreterCandidate::folders
    QString modules; // as InterpreterCandidate::modules

    bool operator==(const LaunchRecipe &) const = default;
};

// How people write a language, for an editor. Patterns are held against a line without the white space around it.
struct WritingStyle
{
    int indentation = 4; // columns of a step, where a text has none to go by
    QRegularExpression opens{QStringLiteral("[{[(]$")}; // the next line goes one step in
    QRegularExpression leaves{QStringLiteral("(?!)")}; // the next line goes one step out; matches nothing
    bool bracesAreBlocks = true; // a closing one at the beginning of a line goes one step out

    bool operator==(const WritingStyle &) const = default;
};

// One language. A folder each below engine/languages, registered in languages.cpp. Stateless and thread-safe.
class Language
{
public:
    virtual ~Language() = default;
    virtual QString id() const = 0; // "python"
    virtual QString name() const = 0; // "Python"
    virtual QString codeName() const { return name(); } // as what somebody wants to run: "shell"
    virtual QStringList extensions() const = 0; // "py"
    virtual QString newExtension() const { return extensions().first(); } // of a file that gets its first name
    virtual QStringList programs() const = 0; // names to look for, best first: "python3"
    virtual QStringList versionArguments() const = 0;
    virtual QString package() const = 0; // what to install when missing: "python3"
    // Whether a program of this file name speaks the language ("python3.11"): for #! lines, and for links that lead to it.
    virtual bool isSpokenBy(const QString &program) const;
    // Id of another language that files of these extensions are often written in and say so in a #! line; empty: none.
    virtual QString sharesExtensionsWith() const { return {}; }
    virtual WritingStyle style() const { return {}; }
    // Whether the runtime hands on any bytes in a variable of the environment; otherwise only UTF-8.
    virtual bool variablesHoldBytes() const { return true; }
    // The snippet's own name in /work, "main.py". sourceName: file name that the code came from, may be empty.
    virtual QByteArray snippetName(const QString &sourceName) const = 0;
    // What is written to /work: the code without a UTF-8 byte order mark, since Node.js as a module and the shells trip over it.
    virtual QByteArray sourceText(const QByteArray &code) const;
    // Whether packages can be lent to a run.
    virtual bool takesPackages() const { return false; }
    virtual QString examplePackages() const { return {}; } // "numpy pandas>=2", as somebody would ask for them
    // Whether code may name its packages itself, in a "# /// script" block.
    virtual bool namesPackagesInCode() const { return false; }
    // The interpreter as it is with the packages of an environment, which has it at bin/ and them below lib/.
    virtual InterpreterCandidate withPackages(const InterpreterCandidate &interpreter, const QString &) const
    {
        return interpreter;
    }
    // sourceName: as of snippetName(). args: see validateArguments().
    virtual LaunchRecipe recipe(const InterpreterCandidate &interpreter, const QByteArrayList &args,
                                const Limits &limits, const QString &sourceName) const = 0;
    // Where code finds the tools that it may call, as a file of /work with typed functions; a cell finds it without a file. Each call is a
    // connection to this port of the run's own: {"tool","arguments"} up to the end of what is sent, then {"value"} or {"error"} up to the
    // end of the answer. Nothing: the language has none. Of no tools: its name all the same.
    virtual std::optional<InnerFile> toolModule(const QList<OfferedTool> &, quint16) const { return {}; }
    // Starts an interpreter that stays, and takes cells (job.h) as jobs; nothing: the language has none.
    virtual std::optional<LaunchRecipe> cellRecipe(const InterpreterCandidate &, const Limits &) const { return {}; }
    virtual QByteArray prompt() const { return "> "; } // for cells that are typed
    // Whether a person has typed a whole cell.
    virtual CellText cellText(QByteArrayView) const { return CellText::Whole; }
};

// Runs an interpreter with these arguments and gives what it prints; empty when it fails, nullopt when nothing can be run.
using VersionQuestion =
    std::function<std::optional<QByteArray>(const InterpreterCandidate &interpreter, const QStringList &arguments)>;

// Whom runs belong to; nullopt where the platform has none. Asked when an interpreter is looked for and not before: for root
// the system is asked about users, which takes a millisecond and more.
using IdentityQuestion = std::function<std::optional<HostIdentity>()>;

// The job of a recipe, for a run that gets variables of its own besides (job.h).
QByteArray followedByVariables(QByteArray job);

struct CellCode
{
    QByteArray code;
    QByteArray toolModule; // content of Language::toolModule(); empty: the cell has no tools

    bool operator==(const CellCode &) const = default;
};

// What the last expression of a cell came to, as the language shows it: repr() in Python, util.inspect() in Node.js. The cell's code can
// make it say anything.
struct CellValue
{
    QByteArray text; // UTF-8, unless the code sent something else; at most maximumValueBytes
    bool isCut = false; // there is more of it

    bool operator==(const CellValue &) const = default;
};
constexpr qint64 maximumValueBytes = 64 * kibibyte;

// A cell as a job (job.h). name: for tracebacks; tag: of its answer, which nobody can know before; both without NUL.
QByteArray encodeCell(const QByteArray &name, const QByteArray &tag, const CellCode &cell);

// Finds the answer to one cell (job.h) in what comes on the channel, whatever else does. Holds no more than such an answer.
class CellAnswer
{
public:
    explicit CellAnswer(QByteArray tag)
        : m_tag(std::move(tag))
    {
    }
    // What follows the answer is passed over.
    void feed(QByteArrayView bytes);
    std::optional<int> status() const { return m_status; } // the exit status; nothing: the answer isn't whole yet
    const std::optional<CellValue> &value() const
    {
        return m_value;
    } // nothing: there is none, or the frame is no such frame

private:
    const QByteArray m_tag;
    QByteArray m_said; // the answer, or what may be its beginning
    bool m_hasBegun = false; // the tag has been read
    std::optional<int> m_status;
    std::optional<CellValue> m_value;
};

// Finds interpreters and detects languages. Thread-safe; no call waits for an interpreter that another call asks.
class Languages
{
public:
    // cacheFile: versions by (path, device, inode, size, mtime); may be empty.
    // ask: never unsealed; empty: versions stay unknown. libexec: has glovebox-looker, which touches folders of PATH before this process
    // does, so that none whose file system hangs holds up a caller for more than 3 s; empty: this process alone looks.
    Languages(IdentityQuestion identity, QString cacheFile, VersionQuestion ask = {}, const QString &libexec = {});
    ~Languages();

    static const std::vector<std::unique_ptr<Language>> &all();
    static QStringList ids();
    // NotFound with a sentence that lists the known ids.
    static Result<const Language *> byId(const QString &id);
    // The same for people: an id in any case, a language's name, an extension ("py", "js") or a program ("python3", "nodejs").
    static Result<const Language *> called(const QString &name);
    // By extension, then by a #! line (which also tells bash from sh in an .sh file). NotFound when neither tells.
    static Result<const Language *> detect(const QString &fileName, QByteArrayView code);
    // "Python and Node.js": of those that can.
    static QString namesOf(bool (*can)(const Language &language));
    // For a program that has to offer one when nothing tells.
    static const Language &fallback() { return *all().front(); }
    // The first usable interpreter, remembered as long as its file is there; while there is none each call looks again.
    // NotFound names the package to install and why others were passed over; Cancelled when it is stopped while it looks.
    Result<InterpreterCandidate> find(const Language &language, const std::stop_token &stop = {}) const;
    // The one of this path, as of candidates(): the machine is looked at again. Empty: as above. Any other path is NotFound, so
    // that a request chooses among interpreters and never what is started.
    Result<InterpreterCandidate> find(const Language &language, const QString &path,
                                      const std::stop_token &stop = {}) const;
    // Looks again, and find() gives what this call saw. All that are there, with versions from the cache or asked for: up to
    // 5 s for each interpreter that hangs. The last ones are folders that were skipped.
    QList<InterpreterCandidate> candidates(const Language &language) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

// "Packages can be installed for Python and Node.js, not for sh." language: an id.
Text noPackagesFor(const QString &language);
// A sentence for code that can't be run at all: empty, larger than 4 MiB, binary (NUL bytes), not UTF-8 (names the byte).
Status validateCode(QByteArrayView code);
// A sentence for arguments that can't be handed over: a NUL byte, one of 128 KiB or more, more than 1 MiB together.
Status validateArguments(const QByteArrayList &args);
constexpr qint64 maximumCodeBytes = 4 * mebibyte;

} // namespace glovebox
