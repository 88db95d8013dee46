// SPDX-License-Identifier: Apache-2.0
// The list of runs: rows of one height, so that a million of them scroll like ten, and what a person looks at stays where it is.
#pragma once

#include "runsmodel.h"

#include <QTableView>

#include <functional>

namespace glovebox {

class RunsTable : public QTableView
{
    Q_OBJECT
public:
    RunsTable(Theme &theme, RunsModel &model, QWidget *parent = nullptr);

    // Escape calls it. False: there was nothing to dismiss, and the key is for whoever is around the table.
    void setDismiss(std::function<bool()> dismiss) { m_dismiss = std::move(dismiss); }
    void goToNewest();
    bool isAtNewest() const;

Q_SIGNALS:
    void chosen(const QModelIndex &index); // by Return or a double click
    void newestChanged(); // isAtNewest()

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    // Looking through all rows for one that begins with a letter would read them all.
    void keyboardSearch(const QString &) override { }

private:
    void takeTheme();
    void arrange();
    void keepPlace(int first, int last);

    Theme &m_theme;
    RunsModel &m_model;
    std::function<bool()> m_dismiss;
    bool m_atNewest = true;
};

} // namespace glovebox
