// SPDX-License-Identifier: Apache-2.0
// The house keeps its shape: rooms include each other's public header only, and only downwards; the engine never includes Gui
// or Widgets. What only Linux has, and where it may stand, is platform/tst_platform's.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace Qt::StringLiterals;

namespace {

const QHash<QString, QStringList> &arrows()
{
    static const QStringList low{u"policy"_s, u"base"_s};
    static const QHash<QString, QStringList> map{
        {u"base"_s, {}},
        {u"policy"_s, {u"base"_s}},
        {u"settings"_s, low},
        {u"approval"_s, low + QStringList{u"settings"_s, u"audit"_s, u"sqlite"_s}},
        {u"artifacts"_s, low + QStringList{u"settings"_s, u"audit"_s, u"sqlite"_s}},
        {u"audit"_s, low + QStringList{u"settings"_s, u"sqlite"_s}},
        {u"folders"_s, low + QStringList{u"settings"_s, u"audit"_s}},
        {u"sessions"_s, low + QStringList{u"artifacts"_s, u"audit"_s, u"folders"_s}},
        {u"languages"_s, low + QStringList{u"settings"_s}},
        {u"sandbox"_s, low + QStringList{u"settings"_s}},
        {u"launcher"_s, {}},
        {u"network"_s, low + QStringList{u"settings"_s}},
        {u"readiness"_s, low + QStringList{u"settings"_s, u"languages"_s, u"sandbox"_s}},
        {u"pictures"_s, low + QStringList{u"sandbox"_s}},
        {u"sqlite"_s, {u"base"_s}},
        {u"toolservers"_s, low},
        {u"vault"_s, low + QStringList{u"settings"_s, u"audit"_s, u"network"_s, u"sqlite"_s}},
        {u"identity"_s, low + QStringList{u"audit"_s, u"sqlite"_s, u"vault"_s}},
        {u"run"_s,
         low
             + QStringList{u"settings"_s, u"approval"_s, u"artifacts"_s, u"audit"_s, u"folders"_s, u"languages"_s,
                           u"network"_s, u"readiness"_s, u"sandbox"_s, u"sessions"_s, u"toolservers"_s, u"vault"_s}},
        {u"packages"_s, low
                            + QStringList{u"settings"_s, u"artifacts"_s, u"audit"_s, u"folders"_s, u"languages"_s,
                                          u"network"_s, u"run"_s, u"sessions"_s}},
        {u"jobs"_s, low + QStringList{u"audit"_s, u"network"_s, u"run"_s, u"sessions"_s}},
        {u"selftest"_s, low + QStringList{u"run"_s}},
        {u"mcp"_s, low + QStringList{u"approval"_s, u"network"_s, u"run"_s}}, // and the facade, as programs do
    };
    return map;
}

struct Include
{
    QString file; // relative to the source tree
    int line;
    QString target;
    bool angled;
};

QList<Include> includesBelow(const QString &folder)
{
    static const QRegularExpression pattern(u"^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]"_s);
    const QDir source(QStringLiteral(GLOVEBOX_SOURCE_DIR));
    QList<Include> found;
    QDirIterator files(source.filePath(folder), {u"*.h"_s, u"*.cpp"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly))
            continue;
        int number = 0;
        for (const QByteArray &line : file.readAll().split('\n')) {
            ++number;
            const QRegularExpressionMatch match = pattern.match(QString::fromUtf8(line));
            if (match.hasMatch())
                found.append(
                    {source.relativeFilePath(file.fileName()), number, match.captured(2), match.captured(1) == u"<"});
        }
    }
    return found;
}

QString place(const Include &include)
{
    return u"%1:%2 includes %3"_s.arg(include.file).arg(include.line).arg(include.target);
}

} // namespace

class TestArrows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // A file of tests that no list names is never compiled, and nobody misses it.
    void everyTestIsBuilt()
    {
        const QDir tests(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests"));
        QString lists;
        QDirIterator listFiles(tests.path(), {u"CMakeLists.txt"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (listFiles.hasNext()) {
            QFile file(listFiles.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            lists += QString::fromUtf8(file.readAll());
        }
        int found = 0;
        QDirIterator sources(tests.path(), {u"tst_*.cpp"_s}, QDir::Files, QDirIterator::Subdirectories);
        for (; sources.hasNext(); ++found) {
            const QString name = QFileInfo(sources.next()).completeBaseName().mid(4);
            QVERIFY2(lists.contains(QRegularExpression(u"\\b(tst_)?%1\\b"_s.arg(name))), qPrintable(name));
        }
        QVERIFY(found > 100);
    }

    void everyRoomIsOnTheMap()
    {
        const QDir engine(QStringLiteral(GLOVEBOX_SOURCE_DIR "/engine"));
        const QStringList rooms = engine.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(rooms.contains(u"base"_s));
        for (const QString &room : rooms)
            QVERIFY2(arrows().contains(room), qPrintable(room + u" is not in arrows()"_s));
    }

    void roomsIncludeDownwardsAndPublicHeadersOnly()
    {
        QStringList wrong;
        const QList<Include> includes = includesBelow(u"engine"_s);
        QVERIFY(includes.size() > 50);
        for (const Include &include : includes) {
            if (include.angled)
                continue;
            if (!include.target.startsWith(u"engine/")) { // of its own room
                if (include.target.contains(u".."_s) || include.target.startsWith(u"app/"))
                    wrong.append(place(include));
                continue;
            }
            const QString room = include.file.section(u'/', 1, 1);
            if (!arrows().contains(room)) // engine.h and engine.cpp see everything
                continue;
            const QString target = include.target.section(u'/', 1, 1);
            const bool own = target == room;
            const bool toLauncher = target == u"launcher"
                                    && (include.file.startsWith(u"engine/sandbox/native/")
                                        || include.file.startsWith(u"engine/network/egress")
                                        || include.file.startsWith(u"engine/network/openedport")
                                        || include.file.startsWith(u"engine/network/port/")
                                        || include.file.startsWith(u"engine/toolservers/"));
            const bool withoutQt = room == u"launcher" || include.file.startsWith(u"engine/network/egress/");
            static const QStringList noQt{u"engine/base/system/descriptor.h"_s, u"engine/base/enumnames.h"_s,
                                          u"engine/policy/controlid.h"_s};
            const bool shared = (withoutQt || noQt.contains(include.file)) && noQt.contains(include.target);
            const bool publicHeader = include.target == u"engine/%1/%1.h"_s.arg(target);
            const bool facade = room == u"mcp" && include.target == u"engine/engine.h";
            if (!own && !toLauncher && !shared && !facade && !(arrows().value(room).contains(target) && publicHeader))
                wrong.append(place(include));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void appsIncludeTheFacadeAndPublicHeadersOnly()
    {
        QStringList wrong;
        for (const Include &include : includesBelow(u"app"_s)) {
            if (include.angled || !include.target.startsWith(u"engine/") || include.target == u"engine/engine.h")
                continue;
            const QString room = include.target.section(u'/', 1, 1);
            if (include.target != u"engine/%1/%1.h"_s.arg(room))
                wrong.append(place(include));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void theEngineNeedsNoGui()
    {
        static const QRegularExpression gui(
            u"^(QtGui|QtWidgets|QGui|QWidget|QPixmap|QImage|QIcon|QColor|QFont|QWindow)"_s);
        QStringList wrong;
        for (const Include &include : includesBelow(u"engine"_s)) {
            // Started sealed, by itself.
            const bool isDecoder = include.file.startsWith(u"engine/pictures/decoder/"_s);
            if (!isDecoder && gui.match(include.target).hasMatch())
                wrong.append(place(include));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }
};

QTEST_GUILESS_MAIN(TestArrows)
#include "tst_arrows.moc"
