// SPDX-License-Identifier: Apache-2.0
#include "hiddentext.h"

#include "engine/base/base.h"

#include <QCoreApplication>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct HiddenTexts
{
    Q_DECLARE_TR_FUNCTIONS(HiddenText)
};

} // namespace

QString withHiddenShown(const QString &text)
{
    QString shown;
    for (const uint character : text.toUcs4()) {
        if (isHiddenCharacter(character))
            shown += QStringLiteral("\\u{%1}").arg(character, 0, 16);
        else
            shown += QString::fromUcs4(reinterpret_cast<const char32_t *>(&character), 1);
    }
    return shown;
}

std::optional<HiddenText> findHiddenText(QStringView text)
{
    HiddenText hidden;
    int line = 1;
    for (qsizetype i = 0; i < text.size(); ++i) {
        char32_t character = text[i].unicode();
        if (character == '\n') {
            ++line;
            continue;
        }
        if (character >= 0x20 && character < 0x7f)
            continue;
        if (QChar::isHighSurrogate(character) && i + 1 < text.size())
            character = QChar::surrogateToUcs4(text[i], text[i + 1]);
        if (!isHiddenCharacter(character) || (character == 0xfeff && i == 0))
            continue;
        if (hidden.count++ == 0) {
            hidden.line = line;
            hidden.character = character;
        }
    }
    return hidden.count > 0 ? std::optional(hidden) : std::nullopt;
}

QString hiddenTextSentence(const HiddenText &hidden)
{
    const QString code = u"U+%1"_s.arg(uint(hidden.character), 4, 16, QChar(u'0')).toUpper();
    return HiddenTexts::tr("This code has %Ln character(s) that hide or reorder text. The first is %1 in line %2. The "
                           "code that runs might differ from what you read.",
                           "", hidden.count)
        .arg(code)
        .arg(hidden.line);
}

} // namespace glovebox
