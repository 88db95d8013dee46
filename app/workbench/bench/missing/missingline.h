// SPDX-License-Identifier: Apache-2.0
// Below everything that is shown of a run, once it ended for want of a module: which, and the ways to a package that has it.
#pragma once

#include "app/workbench/packages/packagegetting.h"

#include <QWidget>

class QBoxLayout;
class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace glovebox {

class GettingBar;

class MissingLine : public QWidget
{
    Q_OBJECT
public:
    MissingLine(Theme &theme, PackageGetting &getting, QWidget *parent = nullptr);

    struct Offer
    {
        MissingModule missing;
        bool canLend = true; // to a run of its own
        QString session; // name of the one that the run was in; empty: none
        QList<Requirement> named; // by code that waits for an answer before it runs; empty: this is about missing

        bool operator==(const Offer &) const = default;
    };
    void show(const Offer &offer);
    void hideOffer(); // what goes on stays in sight
    void say(const QString &sentence); // that getting it failed
    // Where the run was in none: the sessions to choose from, and a new one.
    void chooseSession(const QList<std::pair<QString, QString>> &idsAndNames);

Q_SIGNALS:
    void lendWanted();
    void installWanted();
    void buildWanted(); // PackageGetting::beginWithSource()
    void runWithoutWanted();
    void sessionChosen(const QString &id); // empty: a new one
    void dismissed();
    void focusLeaves(); // nothing is left here to have it

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void showMissing(const Offer &offer);
    void showNamed(const Offer &offer);
    void follow();
    void takeFocus(); // to the first way

    Theme &m_theme;
    PackageGetting &m_getting;
    bool m_hasOffer = false;
    bool m_isSaying = false;
    QWidget *m_offer;
    QBoxLayout *m_lines = nullptr;
    QLabel *m_words;
    QLabel *m_doubts;
    QPushButton *m_lend = nullptr;
    QPushButton *m_install = nullptr;
    QPushButton *m_without = nullptr;
    QToolButton *m_close = nullptr;
    GettingBar *m_bar;
    QMenu *m_menu;
};

} // namespace glovebox
