// SPDX-License-Identifier: Apache-2.0
// Deletes code, output and files of old runs: says what that would free, asks, and says what was freed.
#pragma once

#include "settingrow.h"

#include "app/workbench/shell/context.h"

#include <optional>

class QLabel;
class QPushButton;

namespace glovebox {

class ChoiceField;

class RetentionRow : public SettingRow
{
    Q_OBJECT
public:
    RetentionRow(WorkbenchContext &context, QWidget *parent);

    // Counts in the background what could be deleted.
    void measure();
    // What was being deleted the next engine finishes.
    void engineClosing();
    bool isDeleting() const { return m_state == State::Deleting; }

Q_SIGNALS:
    void deleted(); // room was freed

private:
    enum class State { Measuring, Measured, Asking, Deleting };

    struct Measured
    {
        Result<Deletable> deletable;
        std::optional<Deletion> last;
    };

    void enter(State state);
    void take(const Measured &measured);
    void ask();
    void answer(bool isYes);
    void finish(const Result<Deletion> &deletion);
    QString age() const; // "90 days"
    void showLast(const std::optional<Deletion> &last);

    WorkbenchContext &m_context;
    ChoiceField *m_age;
    QLabel *m_sentence;
    QPushButton *m_delete;
    QPushButton *m_yes;
    QPushButton *m_no;
    State m_state = State::Measuring;
    Deletable m_deletable;
    qint64 m_before = 0; // of what was measured
    int m_askedAge = 0; // of what is being deleted, in the list
    int m_wanted = 0; // which measuring is waited for
};

} // namespace glovebox
