// SPDX-License-Identifier: Apache-2.0
#include "shortcutstore.h"

#include "shortcuttext.h"

namespace glovebox {

using namespace Qt::StringLiterals;

static const auto settingKey = QString::fromLatin1(shortcutSetting);

ShortcutStore::ShortcutStore(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
    connect(&context, &WorkbenchContext::engineChanged, this, &ShortcutStore::take);
    connect(&context, &WorkbenchContext::settingsChanged, this, &ShortcutStore::take);
    take();
}

bool ShortcutStore::canSet() const
{
    const Settings *settings = m_context.settings();
    if (!settings)
        return false;
    const SettingOrigin origin = settings->value(settingKey).origin;
    return origin == SettingOrigin::Default || origin == SettingOrigin::File;
}

void ShortcutStore::take()
{
    if (const Settings *settings = m_context.settings(); settings && !m_isWriting)
        m_context.actions().setShortcuts(shortcutsFromText(settings->value(settingKey).value.toString()));
}

void ShortcutStore::set(const ShortcutChanges &changes)
{
    if (!canSet())
        return;
    m_wanted = changes;
    m_context.actions().setShortcuts(changes);
    if (!m_isWriting)
        write();
}

void ShortcutStore::write()
{
    Settings *settings = m_context.settings();
    m_isWriting = settings != nullptr;
    if (!settings)
        return;
    inBackground(
        m_context.pool(), this,
        [settings, text = toText(m_wanted)] {
            return text.isEmpty() ? settings->remove(settingKey) : settings->store(settingKey, text);
        },
        [this, written = m_wanted](const Status &status) {
            if (written != m_wanted) // the person went on meanwhile
                return write();
            m_isWriting = false;
            if (status)
                return m_context.tellSettings(std::nullopt);
            take();
            m_context.notifications().show({.id = u"shortcuts"_s,
                                            .tone = Tone::Warn,
                                            .text = tr("The keys are as before: they could not be written. %1")
                                                        .arg(translated(status.error().message)),
                                            .detail = translated(status.error().detail)});
        });
}

} // namespace glovebox
