// SPDX-License-Identifier: Apache-2.0
// The detectors that need more than a prefix and a length. Each gets the bytes and where its mark begins, looks a bounded way
// ahead, and says how long what it found is; 0: it is none.
#pragma once

#include <QByteArrayView>

namespace glovebox::leaks {

bool isWord(char c); // letters, digits and "_"
bool isAlphanumeric(char c);

qsizetype privateKeyAt(QByteArrayView bytes, qsizetype at); // at "-----BEGIN "
qsizetype webTokenAt(QByteArrayView bytes, qsizetype at); // JWT, at "eyJ"
qsizetype awsSecretAt(QByteArrayView bytes, qsizetype at); // at the name of the setting
qsizetype slackHookAt(QByteArrayView bytes, qsizetype at); // at "hooks.slack.com/"
qsizetype storageKeyAt(QByteArrayView bytes, qsizetype at); // of Azure, at "AccountKey="
// At a digit that is the first of its number.
qsizetype cardNumberAt(QByteArrayView bytes, qsizetype at);

struct Stretch
{
    qsizetype begin = 0;
    qsizetype length = 0; // 0: none
};
// The password in SCHEME://USER:PASSWORD@HOST; at "://".
Stretch passwordAt(QByteArrayView bytes, qsizetype at);

} // namespace glovebox::leaks
