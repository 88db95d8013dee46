// SPDX-License-Identifier: Apache-2.0
// The vault page in front of a test: the real window, its widgets by name, and stores that do what a test wants.
#pragma once

#include "tests/app/workbench/desk/desk.h"
#include "tests/support/memorystore.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>

#include <atomic>
#include <memory>
#include <semaphore>
#include <thread>

namespace glovebox {

// A store in memory that is in the state a test wants, and goes away in the middle.
class MoodyStore : public SecretStore
{
public:
    explicit MoodyStore(QString kind = QStringLiteral("keychain"))
        : m_kind(std::move(kind))
    {
    }

    QString kind() const override { return m_kind; }
    StoreStatus status(const Patience &) override
    {
        if (state == StoreState::Ready)
            return {StoreState::Ready, {}, {}};
        return {state, Text("The keychain is %1.", {toString(state.load())}), Text("Do something about it.")};
    }
    Result<SecretValue> read(const QString &slot, const Patience &patience) override
    {
        return state == StoreState::Ready ? m_store->read(slot, patience) : std::unexpected(trouble());
    }
    Status write(const QString &slot, const SecretValue &value, const Patience &patience) override
    {
        return state == StoreState::Ready ? m_store->write(slot, value, patience) : std::unexpected(trouble());
    }
    Status remove(const QString &slot, const Patience &patience) override
    {
        return state == StoreState::Ready ? m_store->remove(slot, patience) : std::unexpected(trouble());
    }
    Result<std::optional<QStringList>> list(const Patience &patience) override
    {
        return state == StoreState::Ready ? m_store->list(patience) : std::unexpected(trouble());
    }
    Status askToUnlock(const Patience &patience) override
    {
        ++asked;
        while (answer == Answer::None && !patience.stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (answer != Answer::Password)
            return fail(ErrorCode::PermissionDenied, "The keychain was not unlocked.");
        state = StoreState::Ready;
        return {};
    }

    enum class Answer { None, Password, Dismissed };
    std::atomic<StoreState> state = StoreState::Ready;
    std::atomic<Answer> answer = Answer::None; // of the person who is asked to unlock it
    std::atomic<int> asked = 0;
    SecretStore &memory() { return *m_store; }

private:
    static Error trouble() { return {ErrorCode::Unavailable, Text("The keychain is in trouble."), {}}; }
    QString m_kind;
    std::shared_ptr<SecretStore> m_store = makeMemoryStore();
};

// As long as it is there, nothing that is done in the background gets done.
class BusyPool
{
public:
    explicit BusyPool(QThreadPool &pool)
    {
        for (int i = 0; i < pool.maxThreadCount(); ++i)
            pool.start([turn = m_turn] { turn->acquire(); });
    }
    ~BusyPool() { m_turn->release(most); }

    BusyPool(const BusyPool &) = delete;
    BusyPool &operator=(const BusyPool &) = delete;

private:
    static constexpr int most = 100; // threads
    std::shared_ptr<std::counting_semaphore<>> m_turn = std::make_shared<std::counting_semaphore<>>(0);
};

class VaultSeat
{
public:
    // The first takes new values.
    void sitDown(std::vector<std::shared_ptr<SecretStore>> stores)
    {
        desk = std::make_unique<Desk>();
        desk->host.setStores(std::move(stores));
        desk->show();
        desk->openEngine();
        desk->frame.showPage(QStringLiteral("vault"));
        Desk::settle();
    }

    template<typename Widget> Widget *find(const QString &name) const
    {
        auto *found = desk->frame.findChild<Widget *>(QStringLiteral("vault.") + name);
        if (!found)
            qFatal("There is no %s.", qPrintable(name));
        return found;
    }
    bool shows(const QString &name) const
    {
        const auto all = desk->frame.findChildren<QWidget *>(QStringLiteral("vault.") + name);
        return std::ranges::any_of(all, &QWidget::isVisible);
    }
    QString text(const QString &name) const { return find<QLabel>(name)->text(); }
    QTreeView *list() const { return find<QTreeView>(QStringLiteral("list")); }
    QString cell(int row, int column) const { return list()->model()->index(row, column).data().toString(); }
    Vault &vault() const { return desk->context.engine()->vault(); }
    QByteArray value(const QString &name) const
    {
        const auto value = vault().reveal(name, Patience());
        return value ? value->view().toByteArray() : QByteArray("error: ") + value.error().message.english().toUtf8();
    }
    bool act(const QString &action) { return desk->context.actions().trigger(QStringLiteral("vault.") + action); }
    void press(const QString &name) { QTest::mouseClick(find<QPushButton>(name), Qt::LeftButton); }
    void type(const QString &name, const QString &text)
    {
        auto *field = find<QLineEdit>(name);
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }
    // By the form, as a person does.
    void add(const QString &name, const QString &value)
    {
        QVERIFY(act(QStringLiteral("add")));
        type(QStringLiteral("form.name"), name);
        type(QStringLiteral("form.value"), value);
        press(QStringLiteral("form.save"));
        QTRY_VERIFY(vault().info(name));
        QTRY_COMPARE(text(QStringLiteral("details.name")), name);
    }
    // Behind the page's back, as another program does.
    Status addElsewhere(const QString &name, const QByteArray &value)
    {
        const Caller cli{.kind = Caller::Kind::Cli, .pid = 1, .program = {}, .claimed = {}};
        return vault().add(name, {}, {}, SecretValue::copyOf(value), cli, Patience());
    }
    QString note() const // what passes, newest last
    {
        const QList<Note> &notes = desk->context.notifications().notes();
        return notes.isEmpty() ? QString() : notes.last().text;
    }

    std::unique_ptr<Desk> desk;
};

// With a keychain, and a file of secrets in a folder of its own.
class StoresSeat : public VaultSeat
{
protected:
    static constexpr int cheap = 4; // log2 N: nobody guesses here
    const QString good = QStringLiteral("correct horse battery");
    const QString better = QStringLiteral("wrong horse battery");

    void makeStores()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_keychain = std::make_shared<MoodyStore>();
        m_file = makeFileStore(path(), cheap);
    }
    QString path() const { return m_folder->filePath(QStringLiteral("secrets.vault")); }
    void keepInFile(int log2N = cheap)
    {
        m_file = makeFileStore(path(), log2N);
        sitDown({m_file, m_keychain});
    }
    void make(const QString &passphrase) { QVERIFY(m_file->create(SecretValue::copyOf(passphrase.toUtf8()))); }
    void unlock(const QString &passphrase)
    {
        type(QStringLiteral("passphrase.present"), passphrase);
        press(QStringLiteral("passphrase.done"));
    }

    std::shared_ptr<MoodyStore> m_keychain;
    std::shared_ptr<PassphraseStore> m_file;
    std::unique_ptr<QTemporaryDir> m_folder;
};

} // namespace glovebox
