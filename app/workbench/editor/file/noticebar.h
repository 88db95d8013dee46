// SPDX-License-Identifier: Apache-2.0
// A sentence above the code about it or its file, with the ways out; a state stays until one is taken, a happening goes by itself.
#pragma once

#include "app/workbench/shell/notifications.h"
#include "app/workbench/shell/theme.h"

#include <QFrame>
#include <QTimer>

#include <chrono>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace glovebox {

class IconView;

class NoticeBar : public QFrame
{
    Q_OBJECT
public:
    NoticeBar(Theme &theme, const QString &objectName, QWidget *parent = nullptr);

    // Replaces what is shown. Every remedy closes the bar first.
    void show(Tone tone, const QString &sentence, const QList<Remedy> &remedies = {});
    // Goes after eight ticks in which it could be read: no tick counts while the pointer or the focus is on it, or another window is
    // active.
    void showForAWhile(Tone tone, const QString &sentence);
    void setTick(std::chrono::milliseconds tick) { m_ticks.setInterval(tick); } // 1 s, unless a test is in a hurry
    QString sentence() const;
    void dismiss();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();
    void tick();

    IconView *m_sign;
    QLabel *m_sentence;
    QWidget *m_ways;
    QHBoxLayout *m_remedies; // in it
    QVBoxLayout *m_lines;
    QHBoxLayout *m_words;
    QTimer m_ticks;
    int m_ticksLeft = 0;
};

} // namespace glovebox
