// SPDX-License-Identifier: Apache-2.0
// Where a value is typed, pasted or read from a file. Shown only while a button is held; what a line can't hold stays as it was.
#pragma once

#include "engine/vault/vault.h"

#include <QWidget>

class QLineEdit;
class QThreadPool;

namespace glovebox {

class HoldToShow;

class ValueField : public QWidget
{
    Q_OBJECT
public:
    // pool: files are read there; none holds up the window.
    explicit ValueField(QThreadPool &pool, QWidget *parent = nullptr);

    void clear(); // and a file that is being read isn't waited for any more
    void setHint(const QString &hint); // while it is empty
    bool isEmpty() const;
    QString fileBeingRead() const { return m_reading; } // empty: none
    SecretValue value() const;

Q_SIGNALS:
    void changed();
    void troubled(const QString &sentence); // a file that can't be taken; empty: that is over

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void paste();
    void browse();
    void readFile(const QString &path);
    void forgetFile();
    void take(SecretValue value);
    void show(bool shown);

    QThreadPool &m_pool;
    QLineEdit *m_edit;
    HoldToShow *m_show;
    SecretValue m_exact; // of several lines or long: a field would join or cut them
    QString m_hint;
    QString m_reading; // path of the file
    int m_generation = 0; // of what is read; late answers are dropped
};

} // namespace glovebox
