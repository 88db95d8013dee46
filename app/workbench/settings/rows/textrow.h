// SPDX-License-Identifier: Apache-2.0
// A setting that is written: checked while it is typed, taken by Return or when the focus leaves, left alone by Escape.
#pragma once

#include "settingrow.h"

#include <QVariant>

#include <expected>
#include <functional>

class QLineEdit;

namespace glovebox {

class TextRow : public SettingRow
{
    Q_OBJECT
public:
    using Parse =
        std::function<std::expected<QVariant, QString>(const QString &typed)>; // or the sentence that says why not

    TextRow(Theme &theme, const QString &id, const QString &title, const QString &explanation, const QString &found,
            Parse parse, QWidget *parent);

    // What is being typed is not overwritten.
    void showText(const QString &text, bool readOnly = false);

Q_SIGNALS:
    void chosen(const QVariant &value);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void check();
    void take();

    Parse m_parse;
    QLineEdit *m_edit;
    QString m_shown; // what is in force
};

} // namespace glovebox
