// SPDX-License-Identifier: Apache-2.0
// A sentence above the code about it or its file, with the ways out; a state stays until one is taken, a happening goes by itself.
#pragma once

#include "app/workbench/shell/notifications.h"
#include "app/workbench/shell/theme.h"

#include <QFrame>
#include <QTimer>

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
    // Goes after 8 s in which it could be read, and longer while the pointer or the focus is on it.
    void showForAWhile(Tone tone, const QString &sentence);
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
    QTimer m_seconds;
    int m_secondsLeft = 0;
};

} // namespace glovebox
