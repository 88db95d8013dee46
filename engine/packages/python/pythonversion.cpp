// SPDX-License-Identifier: Apache-2.0
// Compares versions of Python itself, which are plain numbers
// (https://packaging.python.org/en/latest/specifications/version-specifiers/).
#include "engine/packages/packages.h"

#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

std::unexpected<Error> noSpecifiers(const QString &text)
{
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine",
                                  "The versions of Python that the code requires can't be read: \"%1\". Write "
                                  "them as >=3.11 or >=3.9,<3.13."),
                {recordable(text.left(100))});
}

// Below, equal or above: -1, 0, 1. Missing numbers are 0.
int compared(const QList<int> &left, const QList<int> &right, qsizetype atMost)
{
    for (qsizetype i = 0; i < std::min(std::max(left.size(), right.size()), atMost); ++i) {
        if (const int difference = left.value(i) - right.value(i); difference != 0)
            return difference < 0 ? -1 : 1;
    }
    return 0;
}

bool holds(const QList<int> &version, const QString &sign, const QList<int> &bound, bool isPrefix)
{
    constexpr qsizetype all = 100;
    const int order = compared(version, bound, isPrefix ? bound.size() : all);
    if (sign == u"~="_s)
        return order >= 0 && compared(version, bound, bound.size() - 1) == 0;
    if (sign == u"=="_s || sign == u"==="_s)
        return order == 0;
    if (sign == u"!="_s)
        return order != 0;
    if (sign == u"<="_s)
        return order <= 0;
    if (sign == u">="_s)
        return order >= 0;
    return sign == u"<"_s ? order < 0 : order > 0;
}

} // namespace

Result<bool> isPythonOf(const QString &version, const QString &specifiers)
{
    static const QRegularExpression number(uR"(^\d{1,6}(\.\d{1,6})*)"_s);
    static const QRegularExpression form(uR"(^(===|==|~=|!=|<=|>=|<|>)\s*(\d{1,6}(?:\.\d{1,6})*)(\.\*)?$)"_s);
    const auto numbersOf = [](const QString &text) {
        QList<int> numbers;
        for (const QString &part : text.split(u'.'))
            numbers.append(part.toInt());
        return numbers;
    };
    const auto own = number.match(version);
    if (!own.hasMatch())
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "The version of this Python isn't known, and the code requires %1."),
                    {recordable(specifiers.left(100))});
    bool all = true;
    for (const QString &each : specifiers.split(u',')) {
        const auto match = form.match(each.trimmed());
        const QString sign = match.captured(1);
        const bool isPrefix = !match.captured(3).isEmpty();
        const QList<int> bound = numbersOf(match.captured(2));
        if (!match.hasMatch() || (isPrefix && sign != u"=="_s && sign != u"!="_s)
            || (sign == u"~="_s && bound.size() < 2))
            return noSpecifiers(specifiers);
        all = all && holds(numbersOf(own.captured(0)), sign, bound, isPrefix);
    }
    return all;
}

} // namespace glovebox
