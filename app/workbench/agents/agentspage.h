// SPDX-License-Identifier: Apache-2.0
// The agents: programs that may run code here over MCP, what each may do without a question, and what they ran. Knows no requests.
#pragma once

#include "agentrules.h"
#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"
#include "endpoint.h"
#include "notice/asknotice.h"

#include <QHash>
#include <QPointer>
#include <QTimer>

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace glovebox {

class ApprovalSheet;
class CallList;
class ClientList;
class ServerList;

class AgentsPage : public Page
{
    Q_OBJECT
public:
    explicit AgentsPage(WorkbenchContext &context);
    ~AgentsPage() override;

    QString id() const override { return QStringLiteral("agents"); }
    QString title() const override { return tr("Agents"); }
    Icon icon() const override { return Icon::Agents; }
    QWidget *widget() override;
    void activate() override;
    void deactivate() override { m_refresh.stop(); }
    void engineReady() override
    {
        m_endpoint.follow();
        if (m_rules)
            m_rules->show();
        read();
    }
    void engineClosing() override { m_endpoint.close(); }
    QList<StatusItem> status() const override;
    int waiting() const override { return int(m_asks.size()); }
    QString closingEnds() const override;

    // What the page shows of the record, and of who is connected.
    struct Known
    {
        struct Client
        {
            PairedClient client;
            QList<StoredGrant> grants;

            bool operator==(const Client &) const = default;
        };
        QList<Client> clients;
        QList<Caller> connected;
        QList<RunRow> calls; // newest first
        QHash<QString, QString> sessions; // names, by id
        std::optional<Text> trouble;

        bool operator==(const Known &) const = default;
    };

private:
    QHash<QString, QString> names() const; // of paired agents, by id
    void take(); // from the inbox
    void read(); // from the record
    void show();
    void showWaiting();
    void showClients();
    void showConnected();
    void showCalls();
    void remove(const PairedClient &client);
    // In the history: of the paired client, else of the program.
    void showRunsOf(const QString &pairing, const QString &program, const QString &name);
    void tell(const Status &status);

    WorkbenchContext &m_context;
    Endpoint m_endpoint;
    AskNotice m_notice;
    QList<Inbox::Ask> m_asks;
    Known m_known;
    bool m_isReading = false;
    QString m_removing; // id of the client that the person is asked about
    QTimer m_refresh;
    QPointer<ApprovalSheet> m_sheet; // the window owns it once it is there
    QPointer<QScrollArea> m_scroll;
    QPointer<QLabel> m_summary;
    QPointer<AgentRules> m_rules;
    QPointer<QWidget> m_waiting, m_connected, m_clients, m_calls; // each with a column that is filled anew
    QPointer<CallList> m_live;
    QPointer<ClientList> m_add;
    QPointer<ServerList> m_servers;
};

} // namespace glovebox
