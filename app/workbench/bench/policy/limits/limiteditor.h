// SPDX-License-Identifier: Apache-2.0
// The editor of one limit: a field, a few usual values, and the way back to the default.
#pragma once

#include "app/workbench/bench/policy/editors/popover.h"
#include "app/workbench/shell/words/limitwords.h"

class QLabel;
class QLineEdit;

namespace glovebox {

class LimitEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself.
    LimitEditor(Theme &theme, QWidget *anchor, LimitKind kind, qint64 value, qint64 usual);

Q_SIGNALS:
    void chosen(qint64 value);

private:
    void check();
    void take();

    LimitKind m_kind;
    qint64 m_usual;
    QLineEdit *m_field;
    QLabel *m_remark;
};

} // namespace glovebox
