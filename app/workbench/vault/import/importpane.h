// SPDX-License-Identifier: Apache-2.0
// The names in a .env file, to choose from before any of them is taken over.
#pragma once

#include "envfile.h"

#include "app/workbench/shell/look.h"

#include <QWidget>

class QLabel;
class QListWidget;
class QPushButton;

namespace glovebox {

class ImportPane : public QWidget
{
    Q_OBJECT
public:
    explicit ImportPane(QWidget *parent = nullptr);

    // Says that the file is being read, until begin() or say(). What is returned is expected until finish() or the next file.
    int expect(const QString &path);
    bool expects(int reading) const { return reading == m_reading; }
    // known: names of the vault; those are not taken over.
    void begin(const QString &path, std::vector<EnvEntry> entries, const QStringList &known);
    // Those of wanted() that could not be added: they can be tried once more.
    void keep(std::vector<EnvEntry> entries, const QString &sentence);
    void say(const QString &sentence) { showText(m_remark, sentence); }
    void finish(); // forgets the values

Q_SIGNALS:
    void wanted(const std::shared_ptr<std::vector<glovebox::EnvEntry>> &entries);
    void dismissed();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    void take();

    QString m_path;
    std::vector<EnvEntry> m_entries;
    int m_reading = 0;
    QLabel *m_title;
    QListWidget *m_list;
    QLabel *m_remark;
    QPushButton *m_import;
};

} // namespace glovebox
