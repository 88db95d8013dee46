// SPDX-License-Identifier: Apache-2.0
// The vault: secrets by name, what each may be lent to, and the ways to add, change, import and remove them.
//
// navigate() knows {"secret": name}: shows it; {"add": true}: the form of a new one; {"unlock": true}: what is locked is to be
// unlocked.
#pragma once

#include "list/secretsmodel.h"
#include "lock/screenlock.h"
#include "secret/secretclipboard.h"
#include "secret/secretform.h"
#include "store/passphrasepane.h"
#include "store/storebar.h"

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <QPointer>
#include <QSortFilterProxyModel>

#include <stop_token>

class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTreeView;

namespace glovebox {

class ImportPane;
class MessagePane;
class SecretPane;
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
    QString closingEnds() const override; // a form, whose text is kept nowhere else
    QList<StatusItem> status() const override;
    void navigate(const QJsonObject &request) override;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    // How a store is, of those that new values go into or that have values.
    struct Place
    {
        QString kind;
        StoreStatus status;
        bool passphrase = false; // a PassphraseStore
        bool chosen = false; // new values go there
        bool operator==(const Place &) const = default;
    };
    // What is in the vault, as it was read last (vaultstock.cpp).
    struct Names
    {
        std::optional<Error> error; // the index can't be read
        QList<ShownSecret> secrets;
    };
    struct Stock
    {
        QList<Place> places;
        VaultReport report;
    };

    void addActions();
    void build();
    QWidget *makeHead();
    void connectSides();
    void arrange();
    void takeSelection();
    void showSide(QWidget *side); // null: none
    void openSide(QWidget *side); // and nothing comes back after it
    void closeSide();
    bool isFormUnsaved() const;
    bool mayLeaveForm(); // else it says so: something in it isn't kept yet
    void takeFocus();
    void showName(const QString &name);
    QString selectedName() const;
    void letGo(); // nobody is to see a value any more

    void refresh();
    void takeNames(const Names &names);
    void takeStock(const Stock &stock);
    void askForKeychain();
    bool isInsteadOfList(const QList<StoreTrouble> &troubles) const;
    void showBar();
    void showTroubles();
    QList<StoreTrouble> troubles();
    QList<MessagePane::Step> waysOut(const Place &place);
    const Place *place(const QString &kind) const;

    // deeds (vaultdeeds.cpp); each may block, so it goes to the vault in the background
    Patience patience() const;
    void addSecret();
    void changeSecret(const QString &name);
    void save(const SecretForm::Wanted &wanted);
    void remove(const QString &name);
    void forget(const QString &name);
    void copy(const QString &name);
    void withValue(const QString &name, std::function<void(const SecretValue &)> use);
    void chooseEnvFile();
    void importFrom(const QString &path);
    void importAll(const std::shared_ptr<std::vector<EnvEntry>> &entries);

    // places of secrets (vaultstores.cpp)
    PassphraseStore *passphraseStore() const; // null: there is none
    void askToUnlock(const QString &kind);
    void showPassphrase(PassphrasePane::Purpose purpose);
    void beginPassphrase();
    void lockFile();
    void takePassphrase(const std::shared_ptr<SecretValue> &present, const std::shared_ptr<SecretValue> &next);
    void beginNewFile();
    void keepIn(const QString &kind);
    void followSettings();
    void sayWhatIsMissing(const QString &kind); // of the store of this kind, which was chosen
    void removeStrays();

    WorkbenchContext &m_context;
    QPointer<QWidget> m_widget;
    QLineEdit *m_search = nullptr;
    StoreBar *m_bar = nullptr;
    QStackedWidget *m_stack = nullptr;
    MessagePane *m_message = nullptr;
    QSplitter *m_splitter = nullptr;
    QTreeView *m_list = nullptr;
    QStackedWidget *m_sides = nullptr;
    SecretPane *m_pane = nullptr;
    SecretForm *m_form = nullptr;
    ImportPane *m_import = nullptr;
    PassphrasePane *m_passphrase = nullptr;
    QWidget *m_under = nullptr; // the passphrase's pane is over it, and it comes back after that
    std::unique_ptr<SecretsModel> m_model;
    QSortFilterProxyModel m_shown;
    SecretClipboard m_clipboard;
    ScreenLock m_screen;
    std::optional<Error> m_error;
    QList<Place> m_places;
    QStringList m_strays; // names of secrets that values without a secret were of
    bool m_hasKeychain = false; // that could be chosen; known where the file can't be used
    bool m_known = false; // it was read once
    bool m_focusWanted = false; // by activate(), where the first thing to do comes into sight
    bool m_unlocking = false; // a keychain asks the person
    bool m_unlockWanted = false; // by navigate(), as soon as it is known what is locked
    int m_generation = 0; // of the reading; late answers are dropped
    std::stop_source m_closing; // nobody waits for a keychain any more
    QString m_wantedName; // selected when it is in the list
};

} // namespace glovebox
