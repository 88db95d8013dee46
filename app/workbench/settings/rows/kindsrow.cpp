// SPDX-License-Identifier: Apache-2.0
#include "kindsrow.h"

#include "app/workbench/shell/words/words.h"

#include "engine/vault/vault.h"

#include <QListWidget>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int shownKinds = 8;

} // namespace

KindsRow::KindsRow(Theme &theme, const QString &id, const QString &title, const QString &explanation,
                   const QString &found, QWidget *parent)
    : SettingRow(theme, id, title, explanation, found, parent)
    , m_list(new QListWidget(this))
{
    for (const LeakKind &kind : leakKinds()) {
        auto *item = new QListWidgetItem(translated(kind.name), m_list);
        item->setData(Qt::UserRole, kind.id);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
    }
    m_list->setCurrentRow(0);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const auto fit = [this] {
        m_list->setFixedHeight(shownKinds * m_list->sizeHintForRow(0) + 2 * m_list->frameWidth());
    };
    connect(&theme, &Theme::changed, m_list, fit);
    fit();
    setField(m_list);
    connect(m_list, &QListWidget::itemChanged, this, &KindsRow::take);
}

void KindsRow::showIgnored(const QString &ignored, bool readOnly)
{
    const QSignalBlocker quiet(m_list);
    m_unknown = ignored.split(u' ', Qt::SkipEmptyParts);
    for (int row = 0; row < m_list->count(); ++row) {
        QListWidgetItem *item = m_list->item(row);
        const bool isIgnored = m_unknown.removeAll(item->data(Qt::UserRole).toString()) > 0;
        item->setCheckState(isIgnored ? Qt::Unchecked : Qt::Checked);
        item->setFlags(item->flags().setFlag(Qt::ItemIsUserCheckable, !readOnly));
    }
    m_list->viewport()->update();
}

void KindsRow::take()
{
    QStringList ignored = m_unknown;
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->checkState() == Qt::Unchecked)
            ignored.append(m_list->item(row)->data(Qt::UserRole).toString());
    }
    Q_EMIT chosen(ignored.join(u' '));
}

} // namespace glovebox
