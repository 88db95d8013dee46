// SPDX-License-Identifier: Apache-2.0
// Takes the values of secrets out of what a run says, as themselves and in the forms in which programs commonly write them.
//
// A value is looked for without blanks around it and, if it has lines, also with \n and with \r\n at their ends. Found are: itself,
// reversed (bytes or characters) and, of at least shortestEncoded bytes, in lower and upper case, with + for spaces, in hexadecimal
// digits, in base64 (wherever it stands; with the character that its last bits share, not with that of its first; either alphabet;
// line breaks anywhere). All but those two also where bytes are URL percent escapes or escapes of JSON, Python or JavaScript.
// Every byte of such a form is taken out; where forms overlap, the one that begins first is named, of those the longest, then each
// one that reaches further. "[secret NAME]" is what stands there instead.
#pragma once

#include "engine/vault/secretvalue.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

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
    // Takes about 300 bytes for each byte of a value, 500 of one with lines, 750 if they end in both ways; and 9 ms for 256 values
    // of 40 bytes.
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
    // The secrets that it takes out, each once.
    QStringList namesIn(QByteArrayView bytes) const;

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
    QStringList foundNames() const;

private:
    struct Private;
    const std::unique_ptr<Private> d;
};

} // namespace glovebox
