// SPDX-License-Identifier: Apache-2.0
// Secrets on the bench: lent by name in the sentence, said before the run where they can't be, never kept by value.
#include "app/workbench/runpanel/output/outputview.h"
#include "tests/app/workbench/bench/benchseat.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QByteArray lentValue = "correct-horse-battery";

// The person's keychain, which is locked.
class LockedStore : public SecretStore
{
public:
    QString kind() const override { return u"memory"_s; }
    StoreStatus status(const Patience &) override
    {
        return {StoreState::Locked, Text("The keychain is locked."), Text("Unlock it.")};
    }
    Result<SecretValue> read(const QString &, const Patience &) override { return locked(); }
    Status write(const QString &, const SecretValue &, const Patience &) override { return locked(); }
    Status remove(const QString &, const Patience &) override { return locked(); }
    Result<std::optional<QStringList>> list(const Patience &) override { return locked(); }

private:
    static std::unexpected<Error> locked() { return fail(ErrorCode::Unavailable, Text("The keychain is locked.")); }
};

} // namespace

class TestBenchSecrets : public QObject, private BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void aSecretIsLentByKeysAndIsNotInTheOutput();
    void itIsAnotherVariableOrAFile();
    void nonsenseForAVariableIsRefusedThere();
    void theFieldShowsTheVariableThatCounts();
    void aLimitIsSaidBeforeTheRunAndTheRunIsDenied();
    void aSecretThatIsGoneIsDenied();
    void anEmptyVaultLeadsToTheForm();
    void aLockedStoreSaysSo();
    void namesComeBackAndNoValueIsKept();
    void aNameThatIsNoVariableGetsTheNearest();

private:
    void keep(const QString &name, const SecretLimits &limits = {})
    {
        const auto kept = vault().add(name, {}, limits, SecretValue::copyOf(lentValue), {}, Patience());
        QVERIFY2(kept, kept ? "" : qPrintable(kept.error().message.english()));
    }
    Vault &vault() { return m_desk->context.engine()->vault(); }
    QToolButton *word() { return find<QToolButton>(u"bench.policy.secrets"_s); }
    QString textOf(const QString &name)
    {
        const auto *label = find<QLabel>(name);
        return label ? label->text() : QString();
    }
    // What belongs to this secret in the editor; empty: it isn't there.
    QString part(const QString &name, const QString &what = u"name"_s)
    {
        const QString box = u"bench.secrets.name"_s;
        for (const QCheckBox *each : m_desk->frame.findChildren<QCheckBox *>()) {
            if (each->isVisible() && each->objectName().startsWith(box) && each->accessibleName() == name)
                return u"bench.secrets."_s + what + each->objectName().sliced(box.size());
        }
        return u"none"_s;
    }
    // Opens the editor, and ticks it by keys.
    void lend(const QString &name)
    {
        QVERIFY(trigger("bench.secrets"));
        QTRY_VERIFY(find<QCheckBox>(part(name)));
        auto *box = find<QCheckBox>(part(name));
        box->setFocus(Qt::TabFocusReason);
        QTest::keyClick(box, Qt::Key_Space);
    }
    void leave() { QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape); }
};

void TestBenchSecrets::aSecretIsLentByKeysAndIsNotInTheOutput()
{
    keep(u"API_KEY"_s);
    QCOMPARE(word()->text(), u"no secrets"_s);
    word()->setFocus(Qt::TabFocusReason);
    QTest::keyClick(word(), Qt::Key_Space);
    QTRY_VERIFY(find<QCheckBox>(part(u"API_KEY"_s)));
    auto *box = find<QCheckBox>(part(u"API_KEY"_s));
    QTRY_VERIFY(box->hasFocus());
    QTest::keyClick(box, Qt::Key_Space);
    QCOMPARE(word()->text(), u"▲ secret API_KEY"_s);
    QVERIFY(word()->accessibleName().contains(u"API_KEY as the variable API_KEY"_s));
    QVERIFY(tab()->policy().sentence().contains(u", secret API_KEY, "_s));
    leave();
    QVERIFY(word()->hasFocus());
    run(u"import os\nprint(len(os.environ['API_KEY']), os.environ['API_KEY'])\n"_s);
    waitForEnd();
    QTRY_VERIFY(shown().contains(u"21 [secret API_KEY]"_s));
    QVERIFY(!shown().contains(QString::fromUtf8(lentValue)));
    QCOMPARE(vault().info(u"API_KEY"_s)->uses, 1);
    // A new tab is lent nothing.
    QVERIFY(trigger("bench.new"));
    QCOMPARE(word()->text(), u"no secrets"_s);
    QVERIFY(tab()->policy().secrets().empty());
}

void TestBenchSecrets::itIsAnotherVariableOrAFile()
{
    keep(u"DB"_s);
    keep(u"TOKEN"_s);
    lend(u"DB"_s);
    auto *variable = find<QLineEdit>(part(u"DB"_s, u"variable"_s));
    QVERIFY(variable);
    variable->setFocus(Qt::TabFocusReason);
    variable->selectAll();
    QTest::keyClicks(variable, u"DATABASE_URL"_s);
    auto *token = find<QCheckBox>(part(u"TOKEN"_s));
    token->setFocus(Qt::TabFocusReason);
    QTest::keyClick(token, Qt::Key_Space);
    auto *way = find<QComboBox>(part(u"TOKEN"_s, u"way"_s));
    way->setFocus(Qt::TabFocusReason);
    QTest::keyClick(way, Qt::Key_Down);
    QCOMPARE(word()->text(), u"▲ secrets DB, TOKEN as file"_s);
    QCOMPARE(textOf(part(u"TOKEN"_s, u"file"_s)), u"/run/secrets/TOKEN"_s);
    QCOMPARE(tab()->policy().secrets(),
             (std::vector<SecretGrant>{{u"DB"_s, u"DATABASE_URL"_s, false}, {u"TOKEN"_s, {}, true}}));
    leave();
    run(u"[ ${#DATABASE_URL} = 21 ] && [ $(wc -c < /run/secrets/TOKEN) = 21 ] && echo both\n"_s, u"sh"_s);
    waitForEnd();
    QTRY_VERIFY2(shown().contains(u"both"_s), qPrintable(shown()));
}

void TestBenchSecrets::nonsenseForAVariableIsRefusedThere()
{
    keep(u"DB"_s);
    lend(u"DB"_s);
    auto *variable = find<QLineEdit>(part(u"DB"_s, u"variable"_s));
    variable->setFocus(Qt::TabFocusReason);
    variable->selectAll();
    QTest::keyClicks(variable, u"LD_PRELOAD"_s);
    QVERIFY(textOf(part(u"DB"_s, u"remark"_s)).contains(u"decides how programs start"_s));
    QCOMPARE(variable->text(), u"LD_PRELOAD"_s); // to be mended
    QCOMPARE(secretVariable(tab()->policy().secrets().front()), u"LD"_s); // the latest that made sense
}

void TestBenchSecrets::theFieldShowsTheVariableThatCounts()
{
    keep(u"DB"_s);
    lend(u"DB"_s);
    auto *variable = find<QLineEdit>(part(u"DB"_s, u"variable"_s));
    const auto empty = [variable] {
        variable->setFocus(Qt::TabFocusReason);
        variable->selectAll();
        QTest::keyClick(variable, Qt::Key_Delete);
        QCOMPARE(variable->text(), QString()); // about to be written
    };
    empty();
    QTest::keyClick(variable, Qt::Key_Return);
    QCOMPARE(variable->text(), u"DB"_s);
    empty();
    QTest::keyClick(variable, Qt::Key_Tab);
    QVERIFY(!variable->hasFocus());
    QCOMPARE(variable->text(), u"DB"_s);
    // Return keeps what can't be taken, and why; who goes on elsewhere sees the latest that made sense.
    empty();
    QTest::keyClicks(variable, u"LD_PRELOAD"_s);
    QTest::keyClick(variable, Qt::Key_Return);
    QCOMPARE(variable->text(), u"LD_PRELOAD"_s);
    QVERIFY(textOf(part(u"DB"_s, u"remark"_s)).contains(u"decides how programs start"_s));
    QTest::keyClick(variable, Qt::Key_Tab);
    QCOMPARE(variable->text(), secretVariable(tab()->policy().secrets().front()));
    QCOMPARE(variable->text(), u"LD"_s);
    QCOMPARE(textOf(part(u"DB"_s, u"remark"_s)), QString());
}

void TestBenchSecrets::aLimitIsSaidBeforeTheRunAndTheRunIsDenied()
{
    keep(u"RATES"_s, {.hosts = QStringList{u"rates.example.org:443"_s}});
    lend(u"RATES"_s);
    QCOMPARE(textOf(part(u"RATES"_s, u"remark"_s)), QString());
    leave();
    Policy policy = tab()->policy().policy();
    policy.allow = QStringList{u"collect.example.net:443"_s};
    tab()->setPolicy(policy);
    QCOMPARE(word()->text(), u"▲ secret RATES (refused)"_s);
    QVERIFY(word()->toolTip().contains(u"may also reach collect.example.net:443"_s));
    QVERIFY(trigger("bench.secrets"));
    QVERIFY(textOf(part(u"RATES"_s, u"remark"_s)).contains(u"only for runs that reach nothing but"_s));
    leave();
    run(u"print('ran')\n"_s);
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Denied);
    QTRY_VERIFY2(shown().contains(u"The secret RATES is only for runs that reach nothing but"_s), qPrintable(shown()));
    QVERIFY(!shown().contains(u"ran\n"_s));
    // Another language, and what is over.
    keep(u"NODE_ONLY"_s, {.languages = {u"node"_s}});
    keep(u"OVER"_s, {.expiryMicroseconds = 1});
    QVERIFY(trigger("bench.secrets"));
    QTRY_VERIFY(textOf(part(u"OVER"_s, u"remark"_s)).contains(u"expired on"_s));
    QVERIFY(textOf(part(u"NODE_ONLY"_s, u"remark"_s)).contains(u"for runs in node only"_s));
}

void TestBenchSecrets::aSecretThatIsGoneIsDenied()
{
    keep(u"API_KEY"_s);
    lend(u"API_KEY"_s);
    leave();
    QVERIFY(vault().remove(u"API_KEY"_s, {}, Patience()));
    run(u"print('ran')\n"_s);
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Denied);
    QTRY_VERIFY2(shown().contains(u"API_KEY"_s) && !shown().contains(u"ran\n"_s), qPrintable(shown()));
    QTRY_COMPARE(word()->text(), u"▲ secret API_KEY (refused)"_s);
    QVERIFY(trigger("bench.secrets"));
    QTRY_VERIFY(textOf(part(u"API_KEY"_s, u"remark"_s)).contains(u"no secret API_KEY in the vault"_s));
    // It can be taken back.
    auto *box = find<QCheckBox>(part(u"API_KEY"_s));
    QVERIFY(box->isChecked());
    box->setFocus(Qt::TabFocusReason);
    QTest::keyClick(box, Qt::Key_Space);
    QVERIFY(tab()->policy().secrets().empty());
}

void TestBenchSecrets::anEmptyVaultLeadsToTheForm()
{
    QVERIFY(trigger("bench.secrets"));
    QTRY_COMPARE(textOf(u"bench.secrets.state"_s), u"The vault has no secrets yet."_s);
    auto *way = find<QPushButton>(u"bench.secrets.vault"_s);
    QVERIFY(way);
    QTRY_COMPARE(way->text(), u"Add a secret"_s);
    way->setFocus(Qt::TabFocusReason);
    QTest::keyClick(way, Qt::Key_Space);
    QVERIFY(!find<QWidget>(u"bench.secrets"_s));
    QTRY_VERIFY(m_desk->frame.page(u"vault"_s)->widget()->isVisible());
    QTRY_VERIFY(find<QLineEdit>(u"vault.form.name"_s));
}

void TestBenchSecrets::aLockedStoreSaysSo()
{
    keep(u"API_KEY"_s);
    Paths paths = m_desk->paths;
    // The same data folder, with a store that is locked.
    m_desk.reset();
    m_desk = std::make_unique<Desk>();
    m_desk->host.setStores({std::make_shared<LockedStore>()});
    m_desk->show();
    m_desk->openEngine();
    m_page = qobject_cast<BenchPage *>(m_desk->frame.page(u"bench"_s));
    m_desk->frame.showPage(u"bench"_s);
    QVERIFY(trigger("bench.secrets"));
    QTRY_VERIFY2(textOf(u"bench.secrets.state"_s).contains(u"The keychain is locked. Unlock it."_s),
                 qPrintable(textOf(u"bench.secrets.state"_s)));
    QCOMPARE(find<QPushButton>(u"bench.secrets.vault"_s)->text(), u"Open the vault"_s);
    find<QPushButton>(u"bench.secrets.vault"_s)->click();
    QTRY_VERIFY(m_desk->frame.page(u"vault"_s)->widget()->isVisible());
}

void TestBenchSecrets::namesComeBackAndNoValueIsKept()
{
    keep(u"API_KEY"_s);
    lend(u"API_KEY"_s);
    leave();
    tab()->editor().setText(u"print(1)\n"_s, true);
    const QByteArray stashed = tab()->stashed();
    QVERIFY(stashed.contains("API_KEY"));
    QVERIFY(!stashed.contains(lentValue));
    QVERIFY(trigger("bench.new"));
    QVERIFY(tab()->restore(stashed));
    QCOMPARE(word()->text(), u"▲ secret API_KEY"_s);
    // What makes no sense in a stash is no grant.
    QByteArray broken = stashed;
    broken.replace("\"name\":\"API_KEY\"", "\"name\":\"API KEY\"");
    QVERIFY(broken != stashed);
    QVERIFY(tab()->restore(broken));
    QVERIFY(tab()->policy().secrets().empty());
}

void TestBenchSecrets::aNameThatIsNoVariableGetsTheNearest()
{
    QCOMPARE(usualGrant(u"API_KEY"_s, {}), (SecretGrant{u"API_KEY"_s, {}, false}));
    QCOMPARE(usualGrant(u"api-key.prod"_s, {}), (SecretGrant{u"api-key.prod"_s, u"api_key_prod"_s, false}));
    QCOMPARE(usualGrant(u"PATH"_s, {}), (SecretGrant{u"PATH"_s, u"SECRET_PATH"_s, false}));
    const SecretGrant first{u"a_b"_s, {}, false};
    QCOMPARE(usualGrant(u"a-b"_s, {first}), (SecretGrant{u"a-b"_s, u"SECRET_a_b"_s, false}));
}

GLOVEBOX_TEST_MAIN(TestBenchSecrets)
#include "tst_benchsecrets.moc"
