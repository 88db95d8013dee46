// SPDX-License-Identifier: Apache-2.0
// Other programs that Glovebox can be a server of: puts its entry into their configuration, after the person saw the change, and
// takes it out again.
#pragma once

#include "app/workbench/shell/context.h"

#include "engine/mcp/mcp.h"

#include <QWidget>

class QVBoxLayout;

namespace glovebox {

class ClientList : public QWidget
{
    Q_OBJECT
public:
    ClientList(WorkbenchContext &context, QWidget *parent);

    void look(); // at the files, in the background

private:
    struct Found
    {
        mcp::ClientProgram program;
        Result<mcp::ConfigurationChange> install; // what would be written
    };
    void show();
    QWidget *makeRow(const Found &found);
    void plan(const mcp::ClientProgram &program, bool isInstall);
    void write();
    void copyEntry(const mcp::ClientProgram &program);

    WorkbenchContext &m_context;
    QVBoxLayout *m_column;
    std::vector<Found> m_found;
    std::optional<Error> m_trouble;
    std::optional<mcp::ConfigurationChange> m_plan; // that the person looks at
};

} // namespace glovebox
