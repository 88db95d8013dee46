// SPDX-License-Identifier: Apache-2.0
// How far the getting of packages is, what the person is asked about it, and why it failed. Hidden while there is nothing to say.
#pragma once

#include "packagegetting.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace glovebox {

class GettingBar : public QWidget
{
    Q_OBJECT
public:
    // name: begins those of its parts.
    GettingBar(PackageGetting &getting, const QString &name, QWidget *parent = nullptr);

    // What went wrong, unless something goes on; empty: nothing. Where a package has only its source, with the way to build it.
    void say(const QString &sentence);
    void takeFocus(); // to what can be done now, and does nothing to any disk

Q_SIGNALS:
    void buildWanted(); // PackageGetting::beginWithSource()
    void focusLeaves(); // with the end of what goes on: whoever has the bar takes it

private:
    void follow();
    QString progress() const;
    QString doubts() const;
    void offerScripts(const QStringList &packages);

    PackageGetting &m_getting;
    QLabel *m_words;
    QLabel *m_doubts;
    QVBoxLayout *m_scripts = nullptr;
    QLabel *m_moreScripts = nullptr;
    QList<std::pair<QCheckBox *, QString>> m_boxes; // of a package's scripts each, with its name
    QPushButton *m_yes = nullptr;
    QPushButton *m_no = nullptr;
    QPushButton *m_build = nullptr; // below the words, for it is long
    QPushButton *m_cancel = nullptr;
};

} // namespace glovebox
