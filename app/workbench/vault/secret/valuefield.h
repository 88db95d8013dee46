// SPDX-License-Identifier: Apache-2.0
// Where a value is typed, pasted or read from a file. Shown only while a button is held; what a line can't hold stays as it was.
#pragma once

#include "engine/vault/vault.h"

#include <QWidget>

class QLineEdit;

namespace glovebox {

class HoldToShow;

class ValueField : public QWidget
{
    Q_OBJECT
public:
    explicit ValueField(QWidget *parent = nullptr);

    void clear();
    void setHint(const QString &hint); // while it is empty
    bool isEmpty() const;
    SecretValue value() const;

Q_SIGNALS:
    void changed();
    void troubled(const QString &sentence); // a file that can't be taken

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void paste();
    void browse();
    void readFile(const QString &path);
    void take(SecretValue value);
    void show(bool shown);

    QLineEdit *m_edit;
    HoldToShow *m_show;
    SecretValue m_exact; // of several lines or long: a field would join or cut them
};

} // namespace glovebox
