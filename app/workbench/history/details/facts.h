// SPDX-License-Identifier: Apache-2.0
// A run on record in words: the heading, the line below it, and the facts of the summary.
#pragma once

#include "record.h"

#include "app/workbench/shell/theme.h"

#include <QDateTime>
#include <QScrollArea>

namespace glovebox {

QString headingOf(const RunRecord &record); // "Failed. The run exited with status 1."
Colour headingColour(const RunRecord &record);
QString originOf(const RunRecord &record, const QDateTime &now); // "Run 0192f0c1 · today 09:41:07 · Workbench"

struct SummaryFact
{
    QString name;
    QString value;
    Colour colour = Colour::Text;
    bool isData = false; // ids, paths: not words of ours
    QString way = {}; // a link that leads to the tab of changes

    bool operator==(const SummaryFact &) const = default;
};
QList<SummaryFact> factsOf(const RunRecord &record);

// A line each: the name, and what is so, with a rule below.
class SummaryView : public QScrollArea
{
    Q_OBJECT
public:
    explicit SummaryView(QWidget *parent = nullptr);
    void setFacts(const QList<SummaryFact> &facts);

Q_SIGNALS:
    void changesWanted();
};

} // namespace glovebox
