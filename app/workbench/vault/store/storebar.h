// SPDX-License-Identifier: Apache-2.0
// What is wrong with where secrets are kept, a row each with the ways out as links.
#pragma once

#include "app/workbench/shell/frame/messagepane.h"
#include "app/workbench/shell/theme.h"

#include <QWidget>

class QVBoxLayout;

namespace glovebox {

struct StoreTrouble
{
    QString id; // "keychain", "file", "strays"; part of object names
    QString heading; // "The keychain is locked."
    QString sentence; // what to do; may be empty
    QList<MessagePane::Step> steps;
};

class StoreBar : public QWidget
{
    Q_OBJECT
public:
    // before: what has the focus before the links.
    StoreBar(Theme &theme, QWidget *before, QWidget *parent = nullptr);

    // Names: "vault.store.ID", and "vault.store.ID.STEP" of the links.
    void show(const QList<StoreTrouble> &troubles);

private:
    Theme &m_theme;
    QWidget *m_before;
    QVBoxLayout *m_column;
    QStringList m_shown; // so that a link that has the focus stays when nothing changed
    QList<StoreTrouble> m_troubles;
    QList<QWidget *> m_rows;
};

} // namespace glovebox
