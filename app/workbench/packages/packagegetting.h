// SPDX-License-Identifier: Apache-2.0
// Gets packages as the command line does: one run fetches them, the person answers, another run installs them. Beside the window,
// and without leaving anything where it is cancelled.
#pragma once

#include "app/workbench/shell/context.h"

#include <QObject>

#include <memory>
#include <optional>

namespace glovebox {

// What somebody wants, and who shall have it.
struct PackageOrder
{
    PackageWish wish; // without what the session has
    QString session; // whose packages these add to; empty: none
    bool keeps = false; // the session has them from then on; else one run in it gets all of them together
    QByteArray code; // of that run, which may name more; empty: none
    bool fetches = true; // else only what is on this machine already
    QStringList without; // names, in place of what the wish requires: the session is to be left without these

    bool operator==(const PackageOrder &) const = default;
};

struct GotPackages
{
    InstalledPackages installed; // without packages: the session was left with none
    std::optional<Session> session; // that has them now; nothing: none was to keep them
    bool areHere = true; // false: the order was to fetch none, and they aren't on this machine
    bool wereBuiltBefore = false; // of the same sources by the same tools: what was built now isn't used

    bool operator==(const GotPackages &) const = default;
};

// What the person is asked when everything is fetched and nothing is installed.
struct PackageQuestion
{
    Text summary; // "numpy 2.1.0 and 3 others"
    Text source; // FetchedPackages::source
    qint64 bytes = 0;
    QStringList newNames; // among packages that are known
    QList<Text> doubts;
    QStringList scripted; // FetchedPackages::scripted: each may be let run by its name

    bool operator==(const PackageQuestion &) const = default;
};

// What the person is asked before code of a package is run to build it.
struct BuildQuestion
{
    QString name; // of the package
    Text what; // wordsAboutBuild()
    bool hasTools = false; // whose code is run with it
    QList<Text> doubts; // about names of the package and of its tools

    bool operator==(const BuildQuestion &) const = default;
};

// One order at a time. Lives on the GUI thread; its work is on a thread of WorkbenchContext::lastingWork().
class PackageGetting : public QObject
{
    Q_OBJECT
public:
    enum class Stage { Idle, Looking, Fetching, AskingToBuild, Building, Asking, Installing, Cancelling };

    explicit PackageGetting(WorkbenchContext &context, QObject *parent = nullptr);
    ~PackageGetting() override; // cancels

    // False: another order goes on, or there is no engine. ended() follows else.
    bool begin(const PackageOrder &order);
    // In Stage::AskingToBuild and Stage::Asking. scripts: names of PackageQuestion::scripted whose install scripts may run.
    void answer(bool agrees, const QStringList &scripts = {});
    // After an order that ended as lacking() says: once more, and that package may be built from its source.
    bool beginWithSource();
    void cancel(); // at a second call, what goes on is killed

    Stage stage() const { return m_stage; }
    bool isBusy() const { return m_stage != Stage::Idle; }
    const PackageOrder &order() const { return m_order; } // the one that goes on, or was the last
    const QString &host() const { return m_host; } // of the index; known from Stage::Fetching on
    const Text &sources() const { return m_sources; } // Packages::sources(); the same
    bool isAsking() const { return m_stage == Stage::AskingToBuild || m_stage == Stage::Asking; }
    const PackageQuestion &question() const { return m_question; }
    const BuildQuestion &buildQuestion() const { return m_buildQuestion; } // from Stage::AskingToBuild on
    // Name of the package for want of whose wheel the last order failed, as it has only its source; empty: it didn't.
    const QString &lacking() const { return m_lacking; }
    QString names() const; // "numpy, pandas>=2": what the order installs, or leaves out
    bool isRemoval() const { return !m_order.without.isEmpty(); }

Q_SIGNALS:
    void stageChanged();
    void printed(const QByteArray &text); // by the tool, on its standard error
    void ended(const glovebox::Result<glovebox::GotPackages> &got);

private:
    class Talk;
    friend class Talk;
    void take(Stage stage);

    WorkbenchContext &m_context;
    PackageOrder m_order;
    Stage m_stage = Stage::Idle;
    QString m_host;
    Text m_sources;
    PackageQuestion m_question;
    BuildQuestion m_buildQuestion;
    QString m_lacking;
    std::shared_ptr<Talk> m_talk; // null: idle
};

// That a package has only its source, for who offers to build it.
QString onlySourceWords(const QString &name, const QString &host);

} // namespace glovebox
