// SPDX-License-Identifier: Apache-2.0
// The page of sessions in front of a test: the real window over a real engine.
#pragma once

#include "app/workbench/bench/benchpage.h"
#include "tests/app/workbench/desk/desk.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>

#include <memory>

namespace glovebox {

class SessionsSeat
{
public:
    void sitDown(QSize window = {1360, 860})
    {
        desk = std::make_unique<Desk>();
        desk->frame.resize(window);
        desk->show();
        desk->openEngine();
        goTo(QStringLiteral("sessions"));
    }
    void goTo(const QString &page)
    {
        desk->frame.showPage(page);
        Desk::settle();
    }

    // Pictures of both tones and two sizes, and of the mirrored window.
    void picture(const QString &name)
    {
        for (const SchemeChoice scheme : {SchemeChoice::Light, SchemeChoice::Dark}) {
            desk->theme.setChoice(scheme);
            const QString tone = scheme == SchemeChoice::Light ? QStringLiteral("light") : QStringLiteral("dark");
            for (const QSize size : {QSize(1360, 860), QSize(900, 600)}) {
                desk->frame.resize(size);
                Desk::settle();
                QVERIFY(desk->save(QStringLiteral("%1-%2-%3").arg(name, tone).arg(size.width())));
            }
        }
        desk->frame.resize(1360, 860);
        qApp->setLayoutDirection(Qt::RightToLeft);
        Desk::settle();
        QVERIFY(desk->save(name + QStringLiteral("-mirrored")));
        qApp->setLayoutDirection(Qt::LeftToRight);
        Desk::settle();
    }

    template<typename Widget> Widget *find(const QString &name) const
    {
        for (Widget *widget : desk->frame.findChildren<Widget *>(name)) {
            if (widget->isVisible())
                return widget;
        }
        auto *hidden = desk->frame.findChild<Widget *>(name);
        if (!hidden)
            qFatal("There is no %s.", qPrintable(name));
        return hidden;
    }
    bool shows(const QString &name) const
    {
        const auto all = desk->frame.findChildren<QWidget *>(name);
        return std::ranges::any_of(all, &QWidget::isVisible);
    }
    QString text(const QString &name) const { return find<QLabel>(name)->text(); }
    void press(const QString &name) { QTest::mouseClick(find<QAbstractButton>(name), Qt::LeftButton); }
    void type(const QString &name, const QString &text)
    {
        auto *field = find<QLineEdit>(name);
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }
    bool act(const QString &action) { return desk->context.actions().trigger(action); }
    QTreeView *list() const { return find<QTreeView>(QStringLiteral("sessions.list")); }
    QTreeView *files() const { return find<QTreeView>(QStringLiteral("sessions.files")); }
    QTreeView *snapshots() const { return find<QTreeView>(QStringLiteral("sessions.snapshots")); }
    static QStringList column(const QTreeView *view, int column)
    {
        QStringList cells;
        for (int row = 0; row < view->model()->rowCount(); ++row)
            cells.append(view->model()->index(row, column).data().toString());
        return cells;
    }

    Engine &engine() const { return *desk->context.engine(); }
    // Behind the page's back, as another program does; then the page reads again.
    Session make(const NewSession &wanted = {.name = QStringLiteral("shop")})
    {
        const auto made = engine().createSession(wanted, engine().caller());
        if (!made)
            qFatal("%s", qPrintable(made.error().message.english()));
        return *made;
    }
    void put(const QString &id, const QByteArray &path, const QByteArray &content)
    {
        const QString file = desk->folder.filePath(QStringLiteral("given"));
        QFile out(file);
        if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size())
            qFatal("%s can't be written.", qPrintable(file));
        out.close();
        const auto changed = engine().changeSession(id, PutFile{.hostPath = file, .path = path}, engine().caller());
        if (!changed)
            qFatal("%s", qPrintable(changed.error().message.english()));
    }
    QByteArrayList paths(const QString &id) const
    {
        QByteArrayList paths;
        const auto session = engine().sessions().find(id);
        for (const SessionEntry &entry :
             session ? engine().sessions().tree(*session).value_or(SessionTree()) : SessionTree())
            paths.append(entry.path);
        return paths;
    }
    QString note() const // what passes, newest last
    {
        const QList<Note> &notes = desk->context.notifications().notes();
        return notes.isEmpty() ? QString() : notes.last().text;
    }

    std::unique_ptr<Desk> desk;
};

} // namespace glovebox
