// SPDX-License-Identifier: Apache-2.0
#include "shortcuttext.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct ShortcutWords
{
    Q_DECLARE_TR_FUNCTIONS(ShortcutText)
};

struct TextKey
{
    QKeySequence::StandardKey key;
    const char *text;
    bool isShown = true; // not every step of the cursor
};

constexpr TextKey textKeys[] = {
    {QKeySequence::Undo, QT_TRANSLATE_NOOP("ShortcutText", "Undo")},
    {QKeySequence::Redo, QT_TRANSLATE_NOOP("ShortcutText", "Redo")},
    {QKeySequence::Cut, QT_TRANSLATE_NOOP("ShortcutText", "Cut")},
    {QKeySequence::Copy, QT_TRANSLATE_NOOP("ShortcutText", "Copy")},
    {QKeySequence::Paste, QT_TRANSLATE_NOOP("ShortcutText", "Paste")},
    {QKeySequence::SelectAll, QT_TRANSLATE_NOOP("ShortcutText", "Select all")},
    {QKeySequence::MoveToNextWord, QT_TRANSLATE_NOOP("ShortcutText", "Go to the next word")},
    {QKeySequence::MoveToPreviousWord, QT_TRANSLATE_NOOP("ShortcutText", "Go to the word before")},
    {QKeySequence::MoveToStartOfDocument, QT_TRANSLATE_NOOP("ShortcutText", "Go to the beginning")},
    {QKeySequence::MoveToEndOfDocument, QT_TRANSLATE_NOOP("ShortcutText", "Go to the end")},
    {QKeySequence::DeleteStartOfWord, QT_TRANSLATE_NOOP("ShortcutText", "Delete the word before")},
    {QKeySequence::DeleteEndOfWord, QT_TRANSLATE_NOOP("ShortcutText", "Delete the next word")},
    {QKeySequence::SelectNextWord, QT_TRANSLATE_NOOP("ShortcutText", "Select a word"), false},
    {QKeySequence::SelectPreviousWord, QT_TRANSLATE_NOOP("ShortcutText", "Select a word"), false},
    {QKeySequence::SelectStartOfDocument, QT_TRANSLATE_NOOP("ShortcutText", "Select all before"), false},
    {QKeySequence::SelectEndOfDocument, QT_TRANSLATE_NOOP("ShortcutText", "Select all after"), false},
};

// The ";" of "Ctrl+;" doesn't end an entry: behind one that does, another id follows, or nothing.
const QRegularExpression &entryEnd()
{
    static const QRegularExpression end(u";\\s*(?=[a-z]+\\.[a-z0-9.-]+=)"_s);
    return end;
}

} // namespace

QString toText(const ShortcutChanges &changes)
{
    QStringList ids = changes.keys();
    ids.sort();
    QStringList entries;
    for (const QString &id : std::as_const(ids)) {
        QStringList keys;
        for (const QKeySequence &sequence : changes.value(id))
            keys.append(sequence.toString(QKeySequence::PortableText).remove(u' '));
        entries.append(id + u'=' + keys.join(u' '));
    }
    return entries.join(u"; "_s);
}

ShortcutChanges shortcutsFromText(const QString &text)
{
    ShortcutChanges changes;
    for (const QString &entry : text.split(entryEnd(), Qt::SkipEmptyParts)) {
        const qsizetype equals = entry.indexOf(u'=');
        const QString id = entry.left(std::max<qsizetype>(equals, 0)).trimmed();
        if (id.isEmpty())
            continue;
        QList<QKeySequence> keys;
        bool isSound = true;
        for (const QString &word : entry.sliced(equals + 1).split(u' ', Qt::SkipEmptyParts)) {
            const QKeySequence sequence(word, QKeySequence::PortableText);
            isSound = isSound && !sequence.isEmpty() && sequence[0].key() != Qt::Key_unknown;
            keys.append(sequence);
        }
        if (isSound)
            changes.insert(id, keys);
    }
    return changes;
}

QString meaningInTexts(const QKeySequence &keys)
{
    for (const TextKey &known : textKeys) {
        if (QKeySequence::keyBindings(known.key).contains(keys))
            return ShortcutWords::tr(known.text);
    }
    return {};
}

bool areForTyping(const QKeySequence &keys)
{
    if (keys.isEmpty())
        return false;
    const QKeyCombination first = keys[0];
    const bool isBare = (first.keyboardModifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    return isBare && (first.key() < Qt::Key_F1 || first.key() > Qt::Key_F35);
}

QList<FixedKeys> fixedKeys()
{
    QList<FixedKeys> all;
    for (const TextKey &known : textKeys) {
        if (known.isShown)
            all.append({ShortcutWords::tr(known.text), QKeySequence(known.key).toString(QKeySequence::NativeText)});
    }
    const auto native = [](const QKeySequence &keys) { return keys.toString(QKeySequence::NativeText); };
    all.append(
        {ShortcutWords::tr("Indent, or indent less"), native(Qt::Key_Tab) + u", "_s + native(Qt::SHIFT | Qt::Key_Tab)});
    all.append({ShortcutWords::tr("Leave the code"), native(Qt::Key_Escape) + u", "_s + native(Qt::Key_Tab)});
    all.append({ShortcutWords::tr("End the input of the program"), native(Qt::CTRL | Qt::Key_D)});
    all.append({ShortcutWords::tr("Close a sheet"), native(Qt::Key_Escape)});
    return all;
}

} // namespace glovebox
