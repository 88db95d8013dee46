// SPDX-License-Identifier: Apache-2.0
// Turns SIGTERM, SIGINT and SIGHUP into a Qt signal, by way of a pipe: a signal handler may do nothing else.
#pragma once

#include "engine/engine.h"

#include <QObject>

class QSocketNotifier;

namespace glovebox {

// One a process; the handlers go with it.
class TerminationSignals : public QObject
{
    Q_OBJECT
public:
    explicit TerminationSignals(QObject *parent = nullptr);
    ~TerminationSignals() override;

Q_SIGNALS:
    void received(int signal); // each time; at the second a person is impatient

private:
    UniqueFd m_read;
    UniqueFd m_write;
    QSocketNotifier *m_notifier = nullptr;
};

} // namespace glovebox
