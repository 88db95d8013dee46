// SPDX-License-Identifier: Apache-2.0
// What stands where there is nothing else to show: what will be here or what is wrong, what was not lost, and the ways on.
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

#include <functional>

class QBoxLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace glovebox {

class MessagePane : public QWidget
{
    Q_OBJECT
public:
    struct Step
    {
        QString id; // "retry": the button's object name is the pane's + ".retry"
        QString text;
        std::function<void()> run;
    };

    explicit MessagePane(const QString &objectName, QWidget *parent = nullptr);

    // detail: the exact cause, may be empty. The first step is the main one; there may be none.
    void show(const QString &heading, const QStringList &paragraphs, const QString &detail, const QList<Step> &steps);
    QPushButton *mainButton() const; // null: there is no step

protected:
    void keyPressEvent(QKeyEvent *event) override; // Return takes the step that has the focus
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();

    QLabel *m_heading;
    QVBoxLayout *m_paragraphs;
    QLabel *m_detail;
    QBoxLayout *m_row; // of the steps
    QWidget *m_column; // of all
    QList<QPushButton *> m_buttons;
    QList<Step> m_steps;
};

} // namespace glovebox
