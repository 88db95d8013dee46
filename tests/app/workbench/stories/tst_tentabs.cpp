// SPDX-License-Identifier: Apache-2.0
// Ten tabs that nobody saved, the program killed, and started again: all of them are back, with text, language and pin.
#include "tests/app/workbench/desk/startedworkbench.h"

#include "engine/engine.h"

#include <QDirIterator>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr int tabs = 10;

// A tab as it is on disk.
struct Kept
{
    QString text;
    QString language; // that was chosen; empty: by the first line
    bool isPinned = false;

    bool operator==(const Kept &) const = default;
};

QList<Kept> keptTabs(const QString &home)
{
    QList<Kept> all;
    QDirIterator files(home, {u"bench.tab.*"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly))
            continue;
        file.readLine(); // its checksum
        const QJsonObject head = QJsonDocument::fromJson(file.readLine()).object();
        all.append({QString::fromUtf8(file.readAll()), head.value("language"_L1).toString(),
                    head.value("pinned"_L1).toBool()});
    }
    std::ranges::sort(all, {}, &Kept::text);
    return all;
}

QString firstLine(int tab)
{
    const QStringList lines{u"#!/bin/sh"_s, u"#!/usr/bin/env python3"_s, u"#!/usr/bin/env node"_s, u"#!/bin/bash"_s};
    return lines[tab % lines.size()];
}

QString secondLine(int tab)
{
    return u"work of tab %1"_s.arg(tab);
}

bool type(const QString &text)
{
    return xdotool({u"type"_s, u"--delay"_s, u"15"_s, text});
}

bool press(const QString &keys)
{
    return xdotool({u"key"_s, u"--delay"_s, u"60"_s, keys});
}

// By the palette, as there is no key.
bool command(const QString &words)
{
    return press(u"ctrl+shift+p"_s) && type(words) && press(u"Return"_s);
}

struct Ran
{
    QString code;
    QString language;

    bool operator==(const Ran &) const = default;
};

QList<Ran> runsOnRecord(const QString &home)
{
    const auto reader = AuditReader::open(home + u"/data/audit.db"_s);
    const ContentStore store(home + u"/data/store"_s);
    QList<Ran> all;
    if (!reader)
        return all;
    const QList<RunRow> rows = (*reader)->runs({}).value_or(QList<RunRow>());
    for (const RunRow &row : rows) {
        const QList<StoredBody> bodies = (*reader)->bodiesOf(row.run).value_or(QList<StoredBody>());
        if (row.finishedSeq > 0 && !bodies.isEmpty())
            all.append({QString::fromUtf8(store.get(bodies.first().digest).value_or(QByteArray())), row.language});
    }
    std::ranges::sort(all, {}, &Ran::code);
    return all;
}

QStringList textsOf(const QList<Kept> &kept)
{
    QStringList texts;
    for (const Kept &tab : kept)
        texts.append(tab.text);
    return texts;
}

} // namespace

class TestTenTabs : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void tenTabsAreBackAfterAKill();
};

void TestTenTabs::tenTabsAreBackAfterAKill()
{
    QTemporaryDir home;
    QStringList texts;
    QList<Kept> before;
    {
        StartedWorkbench workbench(home.path());
        QVERIFY(workbench.isReady());
        for (int tab = 0; tab < tabs; ++tab) {
            QVERIFY(tab == 0 || press(u"ctrl+t"_s));
            QVERIFY(type(firstLine(tab)) && press(u"Return"_s) && type(secondLine(tab)));
            texts.append(firstLine(tab) + u'\n' + secondLine(tab));
            if (tab == 4) { // against its first line: whichever comes next in the list
                QVERIFY(command(u"choose the language"_s) && workbench.comesToRest());
                QVERIFY(press(u"Down"_s) && press(u"Down"_s) && press(u"space"_s));
            }
            if (tab == 2 || tab == 7)
                QVERIFY(command(u"pin or unpin"_s));
        }
        texts.sort();
        QTRY_COMPARE_WITH_TIMEOUT(textsOf(keptTabs(home.path())), texts, 20'000);
        QTRY_COMPARE_WITH_TIMEOUT(std::ranges::count(keptTabs(home.path()), true, &Kept::isPinned), 2, 20'000);
        before = keptTabs(home.path());
        workbench.kill();
    }
    QCOMPARE(std::ranges::count(before, QString(), &Kept::language), tabs - 1);

    StartedWorkbench again(home.path());
    QVERIFY(again.isReady());
    QCOMPARE(keptTabs(home.path()), before);
    // Each runs as it was, and what is typed at its end is kept with it.
    for (int tab = 0; tab < tabs; ++tab) {
        QVERIFY(press(u"ctrl+Return"_s));
        QTRY_COMPARE_WITH_TIMEOUT(runsOnRecord(home.path()).size(), tab + 1, 20'000);
        QVERIFY(press(u"ctrl+End"_s) && type(u" again"_s));
        QVERIFY(press(u"ctrl+Next"_s));
    }
    const QList<Ran> ran = runsOnRecord(home.path());
    for (int i = 0; i < tabs; ++i) {
        QCOMPARE(ran[i].code, before[i].text);
        const QString byLine = before[i].text.startsWith(u"#!/bin/bash"_s) ? u"bash"_s
                               : before[i].text.startsWith(u"#!/bin/sh"_s) ? u"sh"_s
                               : before[i].text.contains(u"node\n"_s)      ? u"node"_s
                                                                           : u"python"_s;
        QCOMPARE(ran[i].language, before[i].language.isEmpty() ? byLine : before[i].language);
    }
    QList<Kept> after = before;
    for (Kept &tab : after)
        tab.text += u" again"_s;
    QTRY_COMPARE_WITH_TIMEOUT(keptTabs(home.path()), after, 20'000);
}

QTEST_GUILESS_MAIN(TestTenTabs)
#include "tst_tentabs.moc"
