// SPDX-License-Identifier: Apache-2.0
#include "importpane.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"

#include <QApplication>
#include <QFileInfo>
#include <QKeyEvent>
#include <QListWidget>
#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

ImportPane::ImportPane(QWidget *parent)
    : QWidget(parent)
    , m_title(makeLabel({}, this, FontRole::Title))
    , m_list(new QListWidget(this))
    , m_remark(makeLabel({}, this, FontRole::Base, Colour::Warn))
    , m_import(makeButton(tr("Add these"), u"vault.import.take"_s, this, tr("Add the chosen secrets")))
{
    setObjectName(u"vault.import"_s);
    setBackground(this, Colour::Raised);
    auto *column = columnIn(this, Space::s, {Space::l, Space::m, Space::m, Space::m});
    column->addWidget(m_title);
    column->addWidget(makeLabel(tr("Choose what becomes a secret. The file stays as it is; remove the values from it "
                                   "yourself."),
                                this, FontRole::Base, Colour::Dim));
    setNames(m_list, u"vault.import.names"_s, tr("Names in the file"));
    m_list->setFrameShape(QFrame::NoFrame);
    column->addWidget(m_list, 1);
    m_remark->setObjectName(u"vault.import.remark"_s);
    column->addWidget(m_remark);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(Space::s);
    setLook(m_import, ButtonLook::Primary);
    buttons->addWidget(m_import);
    auto *cancel = makeButton(tr("Cancel"), u"vault.import.cancel"_s, this);
    buttons->addWidget(cancel);
    buttons->addStretch();
    column->addLayout(buttons);
    connect(m_import, &QPushButton::clicked, this, &ImportPane::take);
    connect(cancel, &QPushButton::clicked, this, &ImportPane::dismissed);
}

int ImportPane::expect(const QString &path)
{
    finish();
    m_title->setText(tr("Import from %1").arg(QFileInfo(path).fileName()));
    m_import->setEnabled(false);
    say(tr("Reading the file…"));
    m_list->setFocus();
    return m_reading;
}

void ImportPane::begin(const QString &path, std::vector<EnvEntry> entries, const QStringList &known)
{
    m_path = path;
    m_entries = std::move(entries);
    m_title->setText(tr("Import from %1").arg(QFileInfo(path).fileName()));
    m_list->clear();
    QStringList seen = known;
    bool any = false;
    for (EnvEntry &entry : m_entries) {
        if (entry.problem.isEmpty() && seen.contains(entry.name))
            entry.problem = known.contains(entry.name) ? tr("There is a secret of this name already.")
                                                       : tr("This name was there before; the first one counts.");
        seen.append(entry.name);
        const QString name =
            entry.name.isEmpty() ? tr("Line %1").arg(entry.line) : withHiddenShown(entry.name.left(60));
        auto *item =
            new QListWidgetItem(entry.problem.isEmpty() ? name : u"%1 · %2"_s.arg(name, entry.problem), m_list);
        item->setFlags(entry.problem.isEmpty() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                                               : Qt::ItemIsSelectable);
        item->setCheckState(entry.problem.isEmpty() ? Qt::Checked : Qt::Unchecked);
        any = any || entry.problem.isEmpty();
    }
    m_import->setEnabled(any);
    say(m_entries.empty() ? tr("There is no NAME=VALUE in this file.") : QString());
    if (isAncestorOf(QApplication::focusWidget())) // else the person went elsewhere while it was read
        m_list->setFocus();
    m_list->setCurrentRow(0);
}

void ImportPane::keep(std::vector<EnvEntry> entries, const QString &sentence)
{
    begin(m_path, std::move(entries), {});
    say(sentence);
}

void ImportPane::finish()
{
    ++m_reading;
    m_entries.clear();
    m_list->clear();
}

void ImportPane::take()
{
    auto chosen = std::make_shared<std::vector<EnvEntry>>();
    for (size_t i = 0; i < m_entries.size(); ++i) {
        if (m_entries[i].problem.isEmpty() && m_list->item(int(i))->checkState() == Qt::Checked)
            chosen->push_back(std::move(m_entries[i]));
    }
    if (chosen->empty())
        return say(tr("Nothing is chosen."));
    m_import->setEnabled(false);
    Q_EMIT wanted(chosen);
}

void ImportPane::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT dismissed();
    else
        QWidget::keyPressEvent(event);
}

} // namespace glovebox
