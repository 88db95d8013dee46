// SPDX-License-Identifier: Apache-2.0
// A new settings file for each test.
#pragma once

#include "engine/settings/settings.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

namespace glovebox {

class SettingsFolder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath(QStringLiteral("config/settings.json"));
    }

protected:
    void write(const QByteArray &content) const
    {
        QVERIFY(QDir().mkpath(QFileInfo(m_file).path()));
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }
    QByteArray content() const
    {
        QFile file(m_file);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QJsonObject json() const { return QJsonDocument::fromJson(content()).object(); }
    std::unique_ptr<Settings> load(const QStringList &environment = {}) const
    {
        auto settings = Settings::load(m_file, environment);
        if (!settings)
            qFatal("%s", qPrintable(settings.error().message.english()));
        return std::move(*settings);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
};

} // namespace glovebox
