// SPDX-License-Identifier: Apache-2.0
#include "shortcutssheet.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"
#include "keyfield.h"
#include "shortcutsmodel.h"
#include "shortcutstore.h"
#include "shortcuttext.h"

#include <QKeyEvent>
#include <QLineEdit>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize sheetSize(760, 600); // px at 13 px text

} // namespace

ShortcutsSheet::ShortcutsSheet(WorkbenchContext &context, ShortcutStore &store,
                               const QHash<QString, QString> &pageTitles, QWidget *parent)
    : QDialog(parent)
    , m_context(context)
    , m_store(store)
    , m_model(new ShortcutsModel(context.theme(), context.actions(), pageTitles))
    , m_search(new QLineEdit(this))
    , m_list(new QTreeView(this))
    , m_field(new KeyField(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Shortcuts"));
    setNames(this, u"frame.shortcuts"_s, tr("Shortcuts"));
    setBackground(this, Colour::Raised);
    m_model->setParent(this);
    auto *column = columnIn(this, Space::m, {Space::xl, Space::l, Space::xl, Space::l});

    m_search->setPlaceholderText(tr("Find a command or its keys"));
    m_search->setClearButtonEnabled(true);
    setNames(m_search, u"frame.shortcuts.search"_s, tr("Show commands that contain"));
    m_search->installEventFilter(this);
    m_field->installEventFilter(this);
    column->addWidget(m_search);

    showRows(m_list, m_model);
    setNames(m_list, u"frame.shortcuts.list"_s, tr("Commands and their keys"));
    m_list->setTabKeyNavigation(false);
    column->addWidget(m_list, 1);

    m_field->setPlaceholderText(tr("Press the new keys here"));
    setNames(m_field, u"frame.shortcuts.keys"_s, tr("New keys"));
    m_give = makeButton(tr("Use these keys"), u"frame.shortcuts.give"_s, this);
    m_none = makeButton(tr("No keys"), u"frame.shortcuts.none"_s, this);
    m_reset = makeButton(tr("Back to the default"), u"frame.shortcuts.reset"_s, this);
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    row->addWidget(m_field, 1);
    for (QPushButton *button : {m_give, m_none, m_reset})
        row->addWidget(button);
    column->addLayout(row);
    m_remark = makeLabel({}, this, FontRole::Base, Colour::Dim);
    m_remark->setObjectName(u"frame.shortcuts.remark"_s);
    m_remark->setMinimumHeight(2 * fontMetrics().lineSpacing()); // what stands above doesn't jump
    column->addWidget(m_remark);

    m_resetAll = makeButton(tr("All back to the defaults"), u"frame.shortcuts.resetall"_s, this);
    auto *close = makeButton(tr("Close"), u"frame.shortcuts.close"_s, this);
    auto *foot = new QHBoxLayout;
    foot->setSpacing(Space::s);
    foot->addWidget(m_resetAll);
    foot->addStretch(1);
    foot->addWidget(close);
    column->addLayout(foot);
    for (QPushButton *button : {m_give, m_none, m_reset, m_resetAll, close})
        button->setAutoDefault(false);

    connect(m_search, &QLineEdit::textChanged, this, &ShortcutsSheet::refill);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ShortcutsSheet::showCurrent);
    connect(m_list, &QTreeView::activated, m_field, [this] { m_field->setFocus(Qt::OtherFocusReason); });
    connect(m_field, &KeyField::pressed, this, &ShortcutsSheet::judge);
    connect(m_give, &QPushButton::clicked, this, &ShortcutsSheet::give);
    connect(m_none, &QPushButton::clicked, this, [this] {
        ShortcutChanges changes = m_context.actions().changedShortcuts();
        changeTo(current(), {}, changes);
        m_store.set(changes);
    });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        ShortcutChanges changes = m_context.actions().changedShortcuts();
        changes.remove(current());
        m_store.set(changes);
    });
    connect(m_resetAll, &QPushButton::clicked, this, [this] { m_store.set({}); });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(&context.actions(), &ActionRegistry::shortcutsChanged, this, &ShortcutsSheet::refill);
    connect(&context, &WorkbenchContext::engineChanged, this, &ShortcutsSheet::showCurrent);

    const Theme &theme = context.theme();
    resize(QSize(theme.scaled(sheetSize.width()), theme.scaled(sheetSize.height()))
               .boundedTo(parent->size() - QSize(2 * Space::xl, 2 * Space::xl)));
    refill();
    m_search->setFocus();
}

void ShortcutsSheet::resizeEvent(QResizeEvent *event)
{
    QDialog::resizeEvent(event);
    m_list->setColumnWidth(0, m_list->width() * 5 / 10);
    m_list->setColumnWidth(1, m_list->width() * 3 / 10);
}

void ShortcutsSheet::refill()
{
    const QString before = current();
    m_model->filter(m_search->text());
    const int row = std::max(0, m_model->rowOf(before));
    m_list->setCurrentIndex(m_model->index(row, 0));
    showCurrent();
}

QString ShortcutsSheet::current() const
{
    const QModelIndex index = m_list->currentIndex();
    return index.isValid() ? m_model->row(index.row()).id : QString();
}

void ShortcutsSheet::showCurrent()
{
    m_field->setKeys({});
    judge();
}

// Says which command has the keys in the field already, and what can be done.
void ShortcutsSheet::judge()
{
    const ActionRegistry &actions = m_context.actions();
    const QString id = current();
    const bool isFixed = m_list->currentIndex().isValid() && id.isEmpty();
    const bool canChange = !id.isEmpty() && m_store.canSet();
    const QKeySequence keys = m_field->keys();
    bool canGive = canChange && !keys.isEmpty();
    QString remark;
    Colour colour = Colour::Dim;
    if (m_model->rowCount() == 0) {
        remark = tr("No command is called like this.");
    } else if (!m_context.settings()) {
        remark = tr("Keys can be changed when Glovebox is ready.");
    } else if (!m_store.canSet()) {
        remark =
            tr("Keys are given by the environment variable GLOVEBOX_WINDOW_SHORTCUTS; they can't be changed here.");
    } else if (isFixed) {
        remark = tr("These keys always mean this.");
    } else if (keys.isEmpty()) {
        remark = tr("Press Return, then the new keys of \"%1\".").arg(actions.action(id)->text());
    } else if (areForTyping(keys)) {
        canGive = false;
        colour = Colour::Warn;
        remark = tr("These keys are for typing. Press them together with Ctrl or Alt.");
    } else if (const QString meaning = meaningInTexts(keys); !meaning.isEmpty()) {
        canGive = false;
        colour = Colour::Warn;
        remark = tr("While text is edited, these keys mean \"%1\". Press others.").arg(meaning);
    } else if (const QStringList others = actions.clashes(id, keys); !others.isEmpty()) {
        QStringList names;
        for (const QString &other : others)
            names.append(u'"' + actions.action(other)->text() + u'"');
        colour = Colour::Warn;
        remark = tr("These keys mean %1 now. Using them here takes them from there.").arg(names.join(tr(", ")));
    } else {
        remark = tr("These keys are free. Return takes them.");
    }
    m_remark->setText(remark);
    setTextColour(m_remark, colour);
    m_field->setEnabled(canChange);
    m_give->setEnabled(canGive);
    m_none->setEnabled(canChange && !actions.shortcuts(id).isEmpty());
    m_reset->setEnabled(canChange && actions.changedShortcuts().contains(id));
    m_resetAll->setEnabled(m_store.canSet() && !actions.changedShortcuts().isEmpty());
}

void ShortcutsSheet::changeTo(const QString &id, const QList<QKeySequence> &keys, ShortcutChanges &changes) const
{
    // An action that has its own keys again is no change.
    if (m_context.actions().spec(id)->shortcuts == keys)
        changes.remove(id);
    else
        changes.insert(id, keys);
}

void ShortcutsSheet::give()
{
    const ActionRegistry &actions = m_context.actions();
    const QKeySequence keys = m_field->keys();
    const QString id = current();
    ShortcutChanges changes = actions.changedShortcuts();
    for (const QString &other : actions.clashes(id, keys)) {
        QList<QKeySequence> left = actions.shortcuts(other);
        left.removeIf([&keys](const QKeySequence &had) {
            return had.matches(keys) != QKeySequence::NoMatch || keys.matches(had) != QKeySequence::NoMatch;
        });
        changeTo(other, left, changes);
    }
    changeTo(id, {keys}, changes);
    m_store.set(changes);
    m_list->setFocus();
}

// The arrows move in the list also while something is searched; Return goes on to the keys.
bool ShortcutsSheet::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    if (watched == m_field && key->key() == Qt::Key_Escape && key->modifiers() == Qt::NoModifier) {
        showCurrent();
        m_list->setFocus(Qt::OtherFocusReason);
        return true;
    }
    const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (watched == m_field && isReturn && key->modifiers() == Qt::NoModifier && m_give->isEnabled()) {
        give();
        return true;
    }
    if (watched != m_search)
        return QDialog::eventFilter(watched, event);
    const int step = key->key() == Qt::Key_Down ? 1 : key->key() == Qt::Key_Up ? -1 : 0;
    if (step != 0) {
        const int row = std::clamp(m_list->currentIndex().row() + step, 0, std::max(0, m_model->rowCount() - 1));
        m_list->setCurrentIndex(m_model->index(row, 0));
        return true;
    }
    if (isReturn) {
        m_field->setFocus(Qt::OtherFocusReason);
        return true;
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace glovebox
