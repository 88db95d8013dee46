// SPDX-License-Identifier: Apache-2.0
// Below everything that is shown of a run, once it was kept from a host: which, and the way to let it have that.
#pragma once

#include "app/workbench/runpanel/shownrun.h"
#include "app/workbench/shell/theme.h"

#include <QPointer>
#include <QWidget>

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace glovebox {

enum class AllowFor {
    NextRun,
    Session, // this tab, as long as the program lives; never written
    Always, // all tabs: a setting
};

class BlockedLine : public QWidget
{
    Q_OBJECT
public:
    explicit BlockedLine(Theme &theme, QWidget *parent = nullptr);

    void setRun(ShownRun *run); // again, when it may have been kept from more; null: hidden

Q_SIGNALS:
    // host: a rule in its canonical text.
    void allowed(glovebox::ShownRun *run, const QString &host, glovebox::AllowFor howLong);
    void reasonWanted();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void moveEvent(QMoveEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    QPushButton *addLink(QHBoxLayout *row, const QString &name, const QString &text);
    void arrange();
    void showSentence();

    Theme &m_theme;
    QBoxLayout *m_lines = nullptr;
    QHBoxLayout *m_words = nullptr; // the first of them, where it is narrow
    QHBoxLayout *m_row = nullptr; // the second
    QString m_whole; // what the sentence says
    QString m_brief; // the same, where that has no room
    QPointer<ShownRun> m_run;
    QPointer<ShownRun> m_dismissed;
    bool m_isSeveral = false;
    QString m_rule; // the one that would let it have the one that it was kept from
    QLabel *m_sentence;
    QWidget *m_ways; // of letting it have that
    QLabel *m_question = nullptr;
    QPushButton *m_choose; // of several
    QPushButton *m_why;
    QToolButton *m_close = nullptr;
};

} // namespace glovebox
