// SPDX-License-Identifier: Apache-2.0
// The page of settings in a window, its rows by the names of the settings, and the file of the settings.
#pragma once

#include "tests/app/workbench/desk/desk.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

namespace glovebox {

class SettingsFixture
{
protected:
    std::unique_ptr<Desk> m_desk;

    template<typename Widget> Widget *find(const QString &name)
    {
        auto *found = m_desk->frame.findChild<Widget *>(QStringLiteral("settings.") + name);
        if (!found)
            qFatal("There is no %s.", qPrintable(name));
        return found;
    }
    QLineEdit *field(const char *id) { return find<QLineEdit>(QLatin1StringView(id)); }
    QString said(const char *id) { return find<QLabel>(QLatin1StringView(id))->text(); }
    void open()
    {
        m_desk->openEngine();
        m_desk->frame.showPage(QStringLiteral("settings"));
        Desk::settle();
    }
    void write(const QByteArray &content)
    {
        QVERIFY(QDir().mkpath(m_desk->paths.config));
        QFile file(m_desk->paths.settingsFile());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    QByteArray content()
    {
        QFile file(m_desk->paths.settingsFile());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QJsonValue stored(const char *group, const char *name)
    {
        return QJsonDocument::fromJson(content()).object()[QLatin1StringView(group)][QLatin1StringView(name)];
    }
    void type(QLineEdit *field, const QString &text)
    {
        field->setFocus(Qt::TabFocusReason);
        field->selectAll();
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    }
    QStringList keptAside() { return QDir(m_desk->paths.config).entryList({QStringLiteral("settings.json.broken-*")}); }

    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->frame.resize(1360, 860);
        m_desk->show();
    }
};

} // namespace glovebox
