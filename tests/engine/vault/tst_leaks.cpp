// SPDX-License-Identifier: Apache-2.0
// The leak detectors: what they find, what they leave alone, and that their time grows with the bytes only. No token here is real;
// they are put together when the test runs, so that nobody's scanner finds them in the source.
#include "engine/vault/leaks/leaks.h"

#include <QDirIterator>
#include <QFile>
#include <QRandomGenerator>
#include <QTest>

#include <ctime>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QByteArray alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

QByteArray some(qsizetype size, const QByteArray &alphabet = alphanumeric)
{
    static QRandomGenerator random(54);
    QByteArray text(size, '\0');
    for (char &c : text)
        c = alphabet[random.bounded(int(alphabet.size()))];
    text[size / 2] = '7'; // there is a digit
    return text;
}

QStringList kindsOf(const QByteArray &text, const QStringList &ignored = {})
{
    QStringList kinds;
    for (const Leak &leak : findLeaks(text, ignored))
        kinds.append(leak.kind);
    return kinds;
}

// A number that begins so, with its check digit.
QByteArray card(QByteArray digits, qsizetype length)
{
    digits += some(length - 1 - digits.size(), "123456789");
    int sum = 0;
    for (qsizetype i = 0; i < digits.size(); ++i) {
        const int digit = digits[digits.size() - 1 - i] - '0';
        const int weighted = i % 2 == 0 ? 2 * digit : digit;
        sum += weighted > 9 ? weighted - 9 : weighted;
    }
    return digits + char('0' + (10 - sum % 10) % 10);
}

QByteArray pem(const QByteArray &label, const QByteArray &lineBreak = "\n")
{
    return "-----BEGIN " + label + "-----" + lineBreak + some(64) + lineBreak + some(64) + lineBreak + "-----END "
           + label + "-----" + lineBreak;
}

const QByteArray upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const QByteArray url = alphanumeric + "-_";

} // namespace

class TestLeaks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachKindIsFound_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("secret");
        const auto row = [](const char *name, const QString &kind, const QByteArray &secret) {
            QTest::newRow(name) << kind << secret;
        };
        row("AWS id", u"aws-key-id"_s, "AKIA" + some(16, upper));
        row("AWS session id", u"aws-key-id"_s, "ASIA" + some(16, upper));
        row("AWS secret", u"aws-secret-key"_s, "aws_secret_access_key = " + some(40, alphanumeric + "+/"));
        row("AWS secret in JSON", u"aws-secret-key"_s, "SecretAccessKey\": \"" + some(40));
        row("GitHub", u"github-token"_s, "ghp_" + some(36));
        row("GitHub app", u"github-token"_s, "ghs_" + some(36));
        row("GitHub fine-grained", u"github-token"_s, "github_pat_" + some(22) + '_' + some(59));
        row("GitLab", u"gitlab-token"_s, "glpat-" + some(20, url));
        row("Slack bot", u"slack-token"_s, "xoxb-" + some(12, "0123456789") + '-' + some(24));
        row("Slack hook", u"slack-token"_s,
            "hooks.slack.com/services/T" + some(9, upper) + "/B" + some(9, upper) + '/' + some(24));
        row("Stripe", u"stripe-key"_s, "sk_live_" + some(24));
        row("Stripe restricted", u"stripe-key"_s, "rk_live_" + some(24));
        row("Google", u"google-key"_s, "AIza" + some(35));
        row("Google OAuth", u"google-key"_s, "GOCSPX-" + some(28));
        row("npm", u"npm-token"_s, "npm_" + some(36));
        row("PyPI", u"pypi-token"_s, "pypi-AgE" + some(120, url));
        row("OpenAI", u"openai-key"_s, "sk-proj-" + some(60));
        row("Anthropic", u"anthropic-key"_s, "sk-ant-" + some(60));
        row("Hugging Face", u"huggingface-token"_s, "hf_" + some(34));
        row("SendGrid", u"sendgrid-key"_s, "SG." + some(22) + '.' + some(43));
        row("DigitalOcean", u"digitalocean-token"_s, "dop_v1_" + some(64, "0123456789abcdef"));
        row("Shopify", u"shopify-token"_s, "shpat_" + some(32, "0123456789abcdef"));
        row("Azure", u"azure-key"_s, "AccountKey=" + some(86) + "==");
        row("web token", u"web-token"_s,
            QByteArray(R"({"alg":"HS256","typ":"JWT"})")
                    .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals)
                + '.'
                + QByteArray(R"({"sub":"1234567890"})")
                      .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals)
                + '.' + some(43, url));
        row("Visa", u"card-number"_s, card("4", 16));
        row("Mastercard", u"card-number"_s, card("52", 16));
        row("American Express", u"card-number"_s, card("37", 15));
    }
    void eachKindIsFound()
    {
        QFETCH(QString, kind);
        QFETCH(QByteArray, secret);
        for (const QByteArray &text :
             {secret, "x = \"" + secret + "\"\n", "a b " + secret + ", c", '\n' + secret + "\r\n"}) {
            const QList<Leak> leaks = findLeaks(text);
            QVERIFY2(leaks.size() == 1, text);
            QCOMPARE(leaks[0].kind, kind);
            QCOMPARE(text.mid(leaks[0].offset, leaks[0].length), secret);
            QCOMPARE(kindsOf(text, {kind}), QStringList());
        }
        QVERIFY2(kindsOf("abc" + secret).isEmpty() || kind == u"slack-token"_s, "in the middle of a word");
    }

    void privateKeysAreFound()
    {
        for (const QByteArray &label :
             {QByteArray("PRIVATE KEY"), QByteArray("RSA PRIVATE KEY"), QByteArray("EC PRIVATE KEY"),
              QByteArray("OPENSSH PRIVATE KEY"), QByteArray("ENCRYPTED PRIVATE KEY")}) {
            QCOMPARE(kindsOf(pem(label)), QStringList{u"private-key"_s});
            QCOMPARE(kindsOf('"' + pem(label, "\\n") + '"'), QStringList{u"private-key"_s});
            QCOMPARE(kindsOf(pem(label, "\r\n")), QStringList{u"private-key"_s});
        }
        QCOMPARE(kindsOf(pem("CERTIFICATE") + pem("PUBLIC KEY")), QStringList());
        QCOMPARE(kindsOf("if text.startswith('-----BEGIN PRIVATE KEY-----'):\n    load()\n"), QStringList());
    }

    void passwordsInAddressesAreFound()
    {
        const auto passwordOf = [](const QByteArray &text) {
            const QList<Leak> leaks = findLeaks(text);
            return leaks.size() == 1 && leaks[0].kind == u"connection-password"_s
                       ? text.mid(leaks[0].offset, leaks[0].length)
                       : QByteArray();
        };
        QCOMPARE(passwordOf("postgresql://app:Tr0ub4dor@db.internal:5432/x"), QByteArray("Tr0ub4dor"));
        QCOMPARE(passwordOf("mongodb+srv://u:p%40ssw0rd1@c.mongodb.net"), QByteArray("p%40ssw0rd1"));
        QCOMPARE(passwordOf("redis://:9sLk2mm@localhost"), QByteArray("9sLk2mm"));
        for (const QByteArray &harmless :
             {QByteArray("postgres://user:password@localhost/db"), QByteArray("https://example.org:8080/a@b"),
              QByteArray("mysql://$USER:$PASS@host"), QByteArray("amqp://guest:guest@localhost"),
              QByteArray("https://{user}:{token}@github.com/"), QByteArray("ssh://git@github.com:22/x"),
              QByteArray("http://[::1]:80/"), QByteArray("postgres://u:<password>@host"), QByteArray("://a:b1c2d@")})
            QVERIFY2(kindsOf(harmless).isEmpty(), harmless);
    }

    void cardNumbersNeedTheirCheckDigit()
    {
        const QByteArray number = card("45", 16);
        QByteArray wrong = number;
        wrong[15] = wrong[15] == '9' ? '0' : char(wrong[15] + 1);
        QCOMPARE(kindsOf(wrong), QStringList());
        QByteArray grouped = number;
        QCOMPARE(kindsOf(grouped.insert(12, ' ').insert(8, ' ').insert(4, ' ')), QStringList{u"card-number"_s});
        QCOMPARE(kindsOf(grouped.replace(' ', '-')), QStringList{u"card-number"_s});
        QCOMPARE(kindsOf("0." + number), QStringList());
        QCOMPARE(kindsOf("id" + number + " " + number + "ff " + number + ".5"), QStringList());
        QCOMPARE(kindsOf("4242 4242 4242 4242 and 5555555555554444"), QStringList()); // of manuals
    }

    void ordinaryCodeHasNone_data()
    {
        QTest::addColumn<QByteArray>("text");
        QByteArray hashes, uuids, lock, yarn, minified, numbers, times;
        for (int i = 0; i < 2000; ++i) {
            hashes += some(40, "0123456789abcdef") + "  src/file" + QByteArray::number(i) + ".c\n"
                      + some(64, "0123456789abcdef") + '\n';
            const QByteArray hex = some(32, "0123456789abcdef");
            uuids += hex.first(8) + '-' + hex.mid(8, 4) + "-4" + hex.mid(13, 3) + '-' + hex.mid(16, 4) + '-'
                     + hex.last(12) + '\n';
            lock += "      \"integrity\": \"sha512-" + some(86, alphanumeric + "+/")
                    + "==\",\n      \"resolved\": "
                      "\"https://registry.npmjs.org/a/-/a-"
                    + QByteArray::number(i) + ".0.1.tgz\",\n";
            yarn += "\"@babel/core@^7.0.0\":\n  version \"7.1." + QByteArray::number(i)
                    + "\"\n  checksum: " + some(128, "0123456789abcdef") + '\n';
            minified += "function " + some(2, alphanumeric.left(52)) + "(e,t){return e?t."
                        + some(6, alphanumeric.left(52)) + ":!" + some(1, "01") + "}var _=\"" + some(20) + "\";";
            numbers += some(16, "0123456789") + "," + some(19, "0123456789") + ',' + some(9, "0123456789") + '.'
                       + some(6, "0123456789") + ' ' + some(3, "0123456789") + '\n';
            times += "1" + some(15, "0123456789") + " 2026-11-21T16:40:00." + some(9, "0123456789") + "Z +49 30 "
                     + some(8, "0123456789") + '\n';
        }
        QTest::newRow("hashes") << hashes;
        QTest::newRow("UUIDs") << uuids;
        QTest::newRow("package-lock.json") << lock;
        QTest::newRow("yarn.lock") << yarn;
        QTest::newRow("minified code") << minified;
        QTest::newRow("times and telephone numbers") << times;
        QTest::newRow("base64") << some(100000, alphanumeric + "+/");
        QTest::newRow("words like prefixes") << QByteArray(
            "sk_live_key_name ghp_ npm_config_registry hf_hub_download AKIA xoxb-your-token-here "
            "AIzaSyExampleExampleExampleExampleExamp sk_test_xxxxxxxxxxxxxxxxxxxxxxxxxxxx glpat-xxxxxxxxxxxxxxxxxxxx "
            "AKIAIOSFODNN7EXAMPLE eyJ eyJhbGciOiJub25lIn0 SG.something.else npm_lifecycle_event github_pat_token");
        QByteArray own;
        QDirIterator files(QStringLiteral(GLOVEBOX_SOURCE_DIR),
                           {u"*.cpp"_s, u"*.h"_s, u"*.md"_s, u"*.py"_s, u"*.ts"_s, u"*.cjs"_s}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (!file.fileName().contains(u"/build/"_s) && !file.fileName().contains(u"tst_leaks"_s)
                && file.open(QIODevice::ReadOnly))
                own += file.readAll() + '\n';
        }
        QTest::newRow("our own source") << own;
    }
    void ordinaryCodeHasNone()
    {
        QFETCH(QByteArray, text);
        for (const Leak &leak : findLeaks(text))
            QFAIL(qPrintable(leak.kind + u": "_s + QString::fromUtf8(text.mid(leak.offset, leak.length + 20))));
    }

    void randomNumbersAreSeldomCards()
    {
        // One in ten has the check digit, and a fifth begins as cards do.
        QByteArray numbers;
        for (int i = 0; i < 1000; ++i)
            numbers += some(16, "0123456789") + '\n';
        QVERIFY(findLeaks(numbers).size() < 120);
    }

    void theTimeGrowsWithTheBytesOnly_data()
    {
        QTest::addColumn<QByteArray>("piece");
        for (const char *piece : {"-----BEGIN ", "eyJ", "-eyJ", "eyJhbGciOiJIUzI1NiJ9.", "glpat-", "ya29.", "://",
                                  "a://b:c", "AccountKey=", "4", "4-", "4111 ", "xoxb-1a2B",
                                  "-----BEGIN PRIVATE KEY-----", "aws_secret_access_key==="})
            QTest::newRow(piece) << QByteArray(piece);
    }
    void theTimeGrowsWithTheBytesOnly()
    {
        QFETCH(QByteArray, piece);
        // Of this thread only: the machine may have other things to do.
        const auto processorTime = [] {
            timespec time{};
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
            return qint64(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
        };
        const auto nanosecondsOf = [&](qsizetype bytes) {
            const QByteArray text = piece.repeated(bytes / piece.size());
            qint64 best = std::numeric_limits<qint64>::max();
            for (int i = 0; i < 3; ++i) {
                const qint64 start = processorTime();
                findLeaks(text);
                best = std::min(best, processorTime() - start);
            }
            return double(best) / double(bytes);
        };
        const double small = nanosecondsOf(50'000), large = nanosecondsOf(800'000);
        QVERIFY2(large < 6 * small + 20, qPrintable(u"%1 ns a byte, then %2"_s.arg(small).arg(large)));
    }

    void manyLeaksAreBounded()
    {
        QByteArray text;
        for (int i = 0; i < 5000; ++i)
            text += "ghp_" + some(36) + '\n';
        QCOMPARE(findLeaks(text).size(), 1000);
    }

    void everyKindHasAName()
    {
        for (const LeakKind &kind : leakKinds())
            QVERIFY(!kind.name.isEmpty());
        QCOMPARE(leakName(u"github-token"_s).english(), u"GitHub token"_s);
        QCOMPARE(leakName(u"new"_s).english(), u"new"_s);
    }
};

QTEST_APPLESS_MAIN(TestLeaks)
#include "tst_leaks.moc"
