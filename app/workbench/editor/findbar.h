// SPDX-License-Identifier: Apache-2.0
// The bar in which a person says what to look for, and what to put in its place.
#pragma once

#include "code/editing.h"

#include "app/workbench/shell/theme.h"

#include <QFrame>

class QLabel;
class QLineEdit;
class QToolButton;

namespace glovebox {

class MistakeField;

class FindBar : public QFrame
{
    Q_OBJECT
public:
    // Simple: finding, for output. Full: replacing, too.
    enum Kind { Simple, Full };

    // objectName: of the first part of all object names in it ("bench.output").
    FindBar(Theme &theme, Kind kind, const QString &objectName, QWidget *parent = nullptr);

    // Shows it with the focus in the field; text: what to look for, if not empty.
    void open(const QString &text, bool withReplace = false);
    FindQuery query() const;
    QString replacement() const;
    // What was found, beside the field; good: false is a way of saying "nothing".
    void setResult(const QString &sentence, bool good);
    // The pattern can't be read: the text is underlined.
    void setMistake(const QString &sentence);

Q_SIGNALS:
    void changed(); // the query is another one
    void next(bool backward);
    void replaceOne();
    void replaceAll();
    void closed();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QToolButton *makeToggle(const QString &text, const QString &name, const QString &description);
    QToolButton *makeButton(Icon icon, const QString &name, const QString &description);
    void close();

    Theme &m_theme;
    QString m_prefix;
    MistakeField *m_field;
    QLabel *m_result;
    QToolButton *m_matchCase;
    QToolButton *m_wholeWords;
    QToolButton *m_pattern;
    QWidget *m_replaceRow = nullptr;
    QLineEdit *m_replacement = nullptr;
};

} // namespace glovebox
