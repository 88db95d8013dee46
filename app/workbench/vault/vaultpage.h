// SPDX-License-Identifier: Apache-2.0
// The vault: secrets by name, what each may be lent to, and the ways to add, change, import and remove them.
#pragma once

#include "secretclipboard.h"
#include "secretform.h"

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <QPointer>
#include <QSortFilterProxyModel>

class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTreeView;

namespace glovebox {

class ImportPane;
class MessagePane;
class SecretPane;
class SecretsModel;
struct EnvEntry;

class VaultPage : public Page
{
    Q_OBJECT
public:
    explicit VaultPage(WorkbenchContext &context);
    ~VaultPage() override;

    QString id() const override { return QStringLiteral("vault"); }
    QString title() const override { return tr("Vault"); }
    Icon icon() const override { return Icon::Vault; }
    QWidget *widget() override;
    void activate() override;
    void deactivate() override;
    void engineReady() override;
    void engineClosing() override;
    QList<StatusItem> status() const override;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Stock; // what is in the vault, as it was read last

    void addActions();
    void build();
    QWidget *makeHead();
    void arrange();
    void refresh();
    void take(const Stock &stock);
    void takeSelection();
    void showSide(QWidget *side); // null: none
    void showName(const QString &name);
    QString selectedName() const;

    void addSecret();
    void changeSecret(const QString &name);
    void save(const SecretForm::Wanted &wanted);
    void remove(const QString &name);
    void withValue(const QString &name, std::function<void(const SecretValue &)> use);
    void chooseEnvFile();
    void importAll(const std::shared_ptr<std::vector<EnvEntry>> &entries);

    WorkbenchContext &m_context;
    QPointer<QWidget> m_widget;
    QLineEdit *m_search = nullptr;
    QLabel *m_notice = nullptr;
    QPushButton *m_again = nullptr;
    QStackedWidget *m_stack = nullptr;
    MessagePane *m_message = nullptr;
    QSplitter *m_splitter = nullptr;
    QTreeView *m_list = nullptr;
    QStackedWidget *m_sides = nullptr;
    SecretPane *m_pane = nullptr;
    SecretForm *m_form = nullptr;
    ImportPane *m_import = nullptr;
    std::unique_ptr<SecretsModel> m_model;
    QSortFilterProxyModel m_shown;
    SecretClipboard m_clipboard;
    StoreState m_state = StoreState::Absent;
    bool m_known = false; // it was read once
    QString m_wantedName; // selected when it is in the list
};

} // namespace glovebox
