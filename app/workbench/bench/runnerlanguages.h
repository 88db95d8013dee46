// SPDX-License-Identifier: Apache-2.0
// The languages that code can be run in here, with their versions as far as they are known.
#pragma once

#include "policy/policysentence.h"

#include "app/workbench/shell/context.h"

#include <QHash>
#include <QObject>

namespace glovebox {

// Lives on the GUI thread; interpreters are asked for their versions in the pool.
class RunnerLanguages : public QObject
{
    Q_OBJECT
public:
    RunnerLanguages(WorkbenchContext &context, QObject *parent = nullptr);

    void engineReady();

    // What the code is: by the file's name, then by its first line, then `otherwise`.
    QString detect(const QString &fileName, const QString &firstLine, const QString &otherwise) const;
    QString shortName(const QString &id) const; // "Python 3.11"
    QString longName(const QString &id) const; // "Python 3.11.2"
    QString extension(const QString &id) const; // ".py"
    // To choose from; detected: what the first choice, "as the code says", would be.
    QList<LanguageChoice> choices(const QString &detected) const;

Q_SIGNALS:
    void changed();

private:
    struct Known
    {
        QString id;
        QString name;
        QString extension;
        QString version;
        QString trouble;
    };

    const Known *find(const QString &id) const;

    WorkbenchContext &m_context;
    QList<Known> m_known;
};

} // namespace glovebox
