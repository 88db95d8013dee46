// SPDX-License-Identifier: Apache-2.0
// Three examples that run, above the tabs' content at the first start.
#pragma once

#include "examples.h"

#include "app/workbench/shell/context.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace glovebox {

class WelcomeBar : public QWidget
{
    Q_OBJECT
public:
    WelcomeBar(WorkbenchContext &context, QWidget *parent);

    // Whether a run stands below, which needs room, too: in a low window the examples are a line then.
    void setRun(bool isThere);
    // Text is large in a small window: the examples are a line, beside which a run has no room all the same.
    bool isNarrow() const { return m_isNarrow; }

Q_SIGNALS:
    void chosen(const glovebox::Example &example);
    void closed();
    void becameNarrow();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override; // the page's size

private:
    void take(); // what can run, and what will be told of it
    void fit();
    void arrange(bool isBrief);

    WorkbenchContext &m_context;
    QHBoxLayout *m_head = nullptr;
    QHBoxLayout *m_row = nullptr; // of the examples
    QList<QLabel *> m_words; // that go first
    struct Offer
    {
        Example example;
        QLabel *about;
        QPushButton *button;
    };
    QList<Offer> m_offers;
    QToolButton *m_close = nullptr;
    bool m_isBrief = false;
    bool m_isNarrow = false;
    bool m_hasRun = false;
};

} // namespace glovebox
