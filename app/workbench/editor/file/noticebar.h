// SPDX-License-Identifier: Apache-2.0
// A sentence above the code about it or its file, with the ways out; it stays until one is taken.
#pragma once

#include "app/workbench/shell/notifications.h"
#include "app/workbench/shell/theme.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;

namespace glovebox {

class IconView;

class NoticeBar : public QFrame
{
    Q_OBJECT
public:
    NoticeBar(Theme &theme, const QString &objectName, QWidget *parent = nullptr);

    // Replaces what is shown. Every remedy closes the bar first.
    void show(Tone tone, const QString &sentence, const QList<Remedy> &remedies = {});
    QString sentence() const;
    void dismiss();

private:
    IconView *m_sign;
    QLabel *m_sentence;
    QHBoxLayout *m_remedies;
};

} // namespace glovebox
