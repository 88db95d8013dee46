// SPDX-License-Identifier: Apache-2.0
// What the places of pairing answer: whole HTTP responses that no page can frame or read, and no cache keeps.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QStringList>

#include <utility>

namespace glovebox::mcp {

// For people. The texts are shown as they are. isAsking: the browser asks for it again every two seconds.
QByteArray pageAnswer(int status, const QString &title, const QStringList &paragraphs, bool isAsking = false);

// The browser goes on to an allowed address, with these parameters; those without a value are left out.
QByteArray redirectAnswer(const QByteArray &address, const QList<std::pair<QByteArray, QByteArray>> &parameters);

// What clients look for first: RFC 9728 of http://HOST:PORT/mcp, and RFC 8414 of http://HOST:PORT, which is base.
QJsonObject resourceMetadata(const QString &base);
QJsonObject serverMetadata(const QString &base);

QByteArray jsonAnswer(int status, const QJsonObject &object, const QByteArray &moreFields = {});
// RFC 6749, 5.2, and RFC 7591, 3.2.2.
QByteArray errorAnswer(const QString &error, const QString &sentence, int status = 400);

} // namespace glovebox::mcp
