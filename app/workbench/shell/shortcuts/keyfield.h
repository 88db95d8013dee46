// SPDX-License-Identifier: Apache-2.0
// A field that takes the next keys that are pressed together, rather than what they write.
#pragma once

#include <QKeySequence>
#include <QLineEdit>

namespace glovebox {

// Tab and Escape lead out of it, as out of any field.
class KeyField : public QLineEdit
{
    Q_OBJECT
public:
    explicit KeyField(QWidget *parent = nullptr);

    QKeySequence keys() const { return m_keys; }
    void setKeys(const QKeySequence &keys);

Q_SIGNALS:
    void pressed(const QKeySequence &keys);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QKeySequence m_keys;
};

} // namespace glovebox
