// SPDX-License-Identifier: Apache-2.0
// Takes the values of secrets out of what a run says, as themselves and in the forms in which programs commonly write them.
//
// Found are, of each value: itself, reversed (bytes or characters), and, of values of at least shortestEncoded bytes, in
// lower and upper case, in hexadecimal digits (of either case), in base64 (wherever in the encoded text it stands, with the
// character that its last bits share with what follows; what its first bits share one with stays; in both alphabets, with a line break between any two characters) and with + for spaces. All but hexadecimal and base64 also where
// any of their bytes are written as URL percent escapes or as escapes of JSON, Python and JavaScript strings (\n, \/, \xHH, \uHHHH).
// Every byte that is part of such a form is taken out; where forms overlap, the one that begins first is named, of those the
// longest, then each one that reaches further. "[secret NAME]" is what stands there instead.
#pragma once

#include "engine/vault/secretvalue.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <vector>

namespace glovebox {

struct Text;

// What is looked for. Built once a run, immutable, shared by all its streams; its memory holds the values and is wiped.
class ScrubPlan
{
public:
    struct Secret
    {
        QString name;
        QByteArrayView value; // of at least shortestValue bytes; shorter ones are not looked for
    };
    // Takes about 300 bytes for each byte of a value, and 5 ms for 256 values of 40 bytes.
    explicit ScrubPlan(const std::vector<Secret> &secrets);
    ~ScrubPlan();
    ScrubPlan(const ScrubPlan &) = delete;
    ScrubPlan &operator=(const ScrubPlan &) = delete;

    static constexpr qsizetype shortestValue = 4;
    static constexpr qsizetype shortestEncoded = 8;

    // The whole of something.
    QByteArray scrubbed(QByteArrayView bytes) const;
    QString scrubbed(const QString &text) const;
    Text scrubbed(Text text) const;
    bool finds(QByteArrayView bytes) const;

private:
    friend class Scrubber;
    struct Private;
    const std::unique_ptr<Private> d;
};

// One stream on its way out. What it gives depends on the bytes alone and not on how they were cut into pieces. It keeps back
// only what may be the beginning of a form: at most six times the longest value. Not thread-safe.
class Scrubber
{
public:
    explicit Scrubber(std::shared_ptr<const ScrubPlan> plan);
    ~Scrubber();
    Scrubber(const Scrubber &) = delete;
    Scrubber &operator=(const Scrubber &) = delete;

    // Appends what can be said now.
    void feed(QByteArrayView bytes, QByteArray &out);
    // Nothing follows: appends what was kept back. The next stream may begin.
    void finish(QByteArray &out);

    qint64 heldBack() const;
    bool hasFound() const;

private:
    struct Private;
    const std::unique_ptr<Private> d;
};

} // namespace glovebox
