// SPDX-License-Identifier: Apache-2.0
// The commands of the README and of the manual's EXAMPLES do what they are there for: each document's are run in their order, in an
// empty folder of an ordinary user.
#include "tests/app/cli/program.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <map>

#include <grp.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr uid_t ordinaryUser = 61001; // as of `./installer/dev test --as-user`: owns nothing

// Not run, and why. Each is part of at least one command.
struct LeftOut
{
    const char16_t *part;
    const char16_t *reason;
};
constexpr LeftOut leftOut[] = {
    {u"./installer/dev", u"builds Glovebox"},
    {u"sudo ", u"needs an administrator"},
    {u"://", u"needs the Internet; tst_cliegress runs those of the README in one of its own"},
    {u"pip download", u"needs the Internet"},
    {u"--tty", u"needs a terminal; tst_clitty has one"},
    {u"glovebox-workbench", u"opens a window"},
    {u"glovebox open", u"opens a window; tst_open has a screen"},
    {u"mcp --http", u"serves until Ctrl+C; tst_climcp asks it"},
    {u"jq -r", u"needs jq, which Glovebox doesn't"},
    {u"doctor --attack", u"takes seconds; tst_clidoctor runs it"},
};

// Those that end with another status than 0.
const std::map<QString, int> otherStatus{{u"glovebox run -t 1s -c 'while True: pass'"_s, 124}};

QByteArray documentText(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList blocksOf(const QString &text, const QString &pattern)
{
    QStringList commands;
    const QRegularExpression block(pattern, QRegularExpression::DotMatchesEverythingOption);
    for (auto found = block.globalMatch(text); found.hasNext();) {
        const QString lines = found.next().captured(1);
        for (const QString &line : lines.split(u'\n', Qt::SkipEmptyParts)) {
            if (line.startsWith(u' ') && !commands.isEmpty())
                commands.last() += u'\n' + line; // goes on
            else
                commands.append(line);
        }
    }
    return commands;
}

QStringList commandsOfReadme()
{
    QString text = QString::fromUtf8(documentText(QStringLiteral(GLOVEBOX_SOURCE_DIR "/README.md")));
    text.remove(QRegularExpression(u"<!--.*?-->"_s, QRegularExpression::DotMatchesEverythingOption));
    return blocksOf(text, u"```sh\n(.*?)```"_s);
}

QStringList commandsOfPage(const QString &path)
{
    const QString text = QString::fromUtf8(documentText(path));
    const QString section = text.section(u"\n.Sh EXAMPLES\n"_s, 1).section(u"\n.Sh "_s, 0, 0);
    QStringList commands = blocksOf(section, u"\\.Bd -literal[^\n]*\n(.*?)\\.Ed"_s);
    for (QString &command : commands)
        command.replace(u"\\(aq"_s, u"'"_s)
            .replace(u"\\-"_s, u"-"_s)
            .replace(u"\\&"_s, QString())
            .replace(u"\\e"_s, u"\\"_s);
    return commands;
}

QStringList withoutLeftOut(QStringList commands)
{
    commands.removeIf([](const QString &command) {
        return std::ranges::any_of(leftOut,
                                   [&](const LeftOut &left) { return command.contains(QStringView(left.part)); });
    });
    return commands;
}

void becomeOrdinaryUser()
{
    if (::geteuid() == 0
        && (::setgroups(0, nullptr) != 0 || ::setresgid(ordinaryUser, ordinaryUser, ordinaryUser) != 0
            || ::setresuid(ordinaryUser, ordinaryUser, ordinaryUser) != 0))
        ::_exit(126);
}

} // namespace

class TestExamples : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyCommandWorks_data();
    void everyCommandWorks();
    void onlyCommandsThatAreThereAreLeftOut();

private:
    struct Started
    {
        QStringList commands;
        std::unique_ptr<QTemporaryDir> home;
        std::unique_ptr<QProcess> shell;
    };
    void start(const QString &document, const QStringList &commands);

    std::map<QString, QStringList> m_documents;
    std::map<QString, Started> m_started;
};

// All at once, since most of their time is waiting.
void TestExamples::initTestCase()
{
    m_documents[u"README.md"_s] = commandsOfReadme();
    const QDir pages(QStringLiteral(GLOVEBOX_SOURCE_DIR "/resources/man"));
    for (const QString &page : pages.entryList(QDir::Files))
        m_documents[page] = commandsOfPage(pages.filePath(page));
    QVERIFY(m_documents[u"README.md"_s].size() > 10 && m_documents[u"glovebox-run.1"_s].size() > 10);
    for (const auto &[document, commands] : m_documents) {
        if (!withoutLeftOut(commands).isEmpty())
            start(document, withoutLeftOut(commands));
    }
}

void TestExamples::start(const QString &document, const QStringList &commands)
{
    Started started{commands, std::make_unique<QTemporaryDir>(), std::make_unique<QProcess>()};
    const QDir home(started.home->path());
    QVERIFY(home.mkpath(u".ssh"_s) && home.mkpath(u"empty"_s) && home.mkpath(u"credentials"_s));
    const std::pair<QString, QByteArray> files[] = {{u".ssh/deploy_key"_s, "one line\nanother\n"},
                                                    {u"credentials/glovebox-passphrase"_s, "correct horse battery"}};
    for (const auto &[name, content] : files) {
        QFile file(home.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size()
                && file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    }
    if (::geteuid() == 0) {
        for (const QString &name : {u"."_s, u".ssh"_s, u"empty"_s, u"credentials"_s, files[0].first, files[1].first})
            QCOMPARE(::chown(QFile::encodeName(home.filePath(name)).constData(), ordinaryUser, ordinaryUser), 0);
    }
    // What a person would type at a question.
    QString script;
    for (const QString &command : commands)
        script += u"(%1\n) <<<'a line of text' 2>&1; printf '\\nstatus %s\\n' $?\n"_s.arg(command);
    QProcessEnvironment environment;
    environment.insert(u"PATH"_s, QFileInfo(programFile()).path() + u":/usr/bin:/bin"_s);
    environment.insert(u"HOME"_s, home.path());
    environment.insert(u"LANG"_s, u"C.UTF-8"_s);
    environment.insert(u"GLOVEBOX_VAULT_STORE"_s, u"file"_s); // no keychain is here
    environment.insert(u"CREDENTIALS_DIRECTORY"_s, home.filePath(u"credentials"_s));
    started.shell->setProcessEnvironment(environment);
    started.shell->setWorkingDirectory(home.filePath(u"empty"_s));
    started.shell->setChildProcessModifier(becomeOrdinaryUser);
    started.shell->start(u"/bin/bash"_s, {u"-c"_s, script});
    m_started.emplace(document, std::move(started));
}

void TestExamples::everyCommandWorks_data()
{
    QTest::addColumn<QString>("document");
    for (const auto &[document, started] : m_started)
        QTest::newRow(qPrintable(document)) << document;
}

void TestExamples::everyCommandWorks()
{
    QFETCH(QString, document);
    const Started &started = m_started.at(document);
    const QByteArray told = finish(*started.shell).out;
    static const QRegularExpression status(u"\nstatus (\\d+)\n"_s);
    qsizetype begin = 0;
    auto found = status.globalMatch(QString::fromUtf8(told));
    for (const QString &command : started.commands) {
        QVERIFY2(found.hasNext(), told);
        const auto match = found.next();
        const auto other = otherStatus.find(command);
        const QString story = command + u'\n' + QString::fromUtf8(told).sliced(begin, match.capturedEnd() - begin);
        QVERIFY2(!story.contains(u"See \"glovebox help"_s), qPrintable(story)); // also where the shell ends with 0
        QVERIFY2(match.captured(1).toInt() == (other == otherStatus.end() ? 0 : other->second), qPrintable(story));
        begin = match.capturedEnd();
    }
}

void TestExamples::onlyCommandsThatAreThereAreLeftOut()
{
    QString all;
    for (const auto &[document, commands] : m_documents)
        all += commands.join(u'\n') + u'\n';
    for (const LeftOut &left : leftOut)
        QVERIFY2(all.contains(QStringView(left.part)), qPrintable(QString::fromUtf16(left.part)));
    for (const auto &[command, status] : otherStatus)
        QVERIFY2(all.contains(command), qPrintable(command));
}

QTEST_GUILESS_MAIN(TestExamples)
#include "tst_examples.moc"
