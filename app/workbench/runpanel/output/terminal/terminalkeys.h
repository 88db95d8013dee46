// SPDX-License-Identifier: Apache-2.0
// Gives the keys that are typed into the output view to the program in the terminal that is shown there.
#pragma once

#include <QKeySequence>
#include <QObject>
#include <QPointer>

#include <functional>

class QKeyEvent;

namespace glovebox {

class OutputView;
class ShownRun;

// Keys with Ctrl+Shift, Ctrl+Tab and the like stay the window's, and so do those that lead out of the view; Shift with
// Page Up, Page Down, Home and End scrolls. Ctrl+C copies what is selected, else interrupts.
class TerminalKeys : public QObject
{
    Q_OBJECT
public:
    // leaving: the keys that go on to the next part of the window, as they are now.
    TerminalKeys(OutputView *view, std::function<QList<QKeySequence>()> leaving);

    void setRun(ShownRun *run); // null: none
    bool isTyping() const { return m_isTyping; } // keys that are pressed now go to a program
    // Whose terminal takes what is typed into the view, once it has the keyboard; null: there is none.
    ShownRun *liveRun() const { return isLive() ? m_run.get() : nullptr; }

Q_SIGNALS:
    void typingChanged();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool isLive() const;
    bool takes(const QKeyEvent &event) const;
    QByteArray bytesOf(const QKeyEvent &event) const;
    bool handle(const QKeyEvent &event);
    void paste();
    void send(const QByteArray &bytes);
    void showTyping();

    OutputView *m_view;
    std::function<QList<QKeySequence>()> m_leaving;
    QPointer<ShownRun> m_run;
    bool m_isTyping = false;
};

} // namespace glovebox
