// SPDX-License-Identifier: Apache-2.0
// How the window comes back and how it goes: its layout, and the question before it ends something.
#include "frame.h"

#include "app/workbench/shell/look.h"

#include <QCloseEvent>
#include <QJsonDocument>
#include <QPushButton>
#include <QTimer>

#include <tuple>

namespace glovebox {
namespace {

using namespace std::chrono_literals;

constexpr auto betweenLooks = 250ms; // at what closing would still end
const auto layoutName = QStringLiteral("layout");
constexpr std::pair<SchemeChoice, const char *> choices[] = {
    {SchemeChoice::System, "system"},
    {SchemeChoice::Light, "light"},
    {SchemeChoice::Dark, "dark"},
    {SchemeChoice::HighContrast, "high-contrast"},
};

} // namespace

bool Frame::restoreLayout()
{
    m_restored = true;
    const auto stored = m_context.stash().load(layoutName);
    if (!stored) {
        m_context.notifications().show({.tone = Tone::Warn,
                                        .text = translated(stored.error().message),
                                        .detail = translated(stored.error().detail),
                                        .stays = true});
        return true;
    }
    const std::optional<QByteArray> &kept = *stored;
    if (!kept)
        return false;
    const QJsonObject layout = QJsonDocument::fromJson(*kept).object();
    const QString colours = layout.value(QStringLiteral("colours")).toString();
    for (const auto &[choice, name] : choices) {
        if (colours == QLatin1StringView(name))
            m_context.theme().setChoice(choice);
    }
    if (const double scale = layout.value(QStringLiteral("text_scale")).toDouble(); scale > 0)
        m_context.theme().setTextScale(scale);
    if (const QString family = layout.value(QStringLiteral("code_font")).toString(); !family.isEmpty())
        m_context.theme().setCodeFamily(family);
    // A place on a screen that is gone is put right by Qt.
    restoreGeometry(QByteArray::fromBase64(layout.value(QStringLiteral("window")).toString().toLatin1()));
    const QJsonObject states = layout.value(QStringLiteral("pages")).toObject();
    for (const auto &page : m_pages)
        page->restoreState(states.value(page->id()).toObject());
    showPage(layout.value(QStringLiteral("page")).toString());
    return true;
}

void Frame::saveSoon()
{
    if (m_restored && !m_closing)
        m_saveTimer.start();
}

void Frame::saveLayout()
{
    m_saveTimer.stop();
    if (!m_restored)
        return;
    QJsonObject states;
    for (const auto &page : m_pages) {
        if (const QJsonObject state = page->saveState(); !state.isEmpty())
            states.insert(page->id(), state);
    }
    QString colours;
    for (const auto &[choice, name] : choices) {
        if (choice == m_context.theme().choice())
            colours = QString::fromLatin1(name);
    }
    const QJsonObject layout{
        {QStringLiteral("window"), QString::fromLatin1(saveGeometry().toBase64())},
        {QStringLiteral("page"), currentPage()},
        {QStringLiteral("colours"), colours},
        {QStringLiteral("text_scale"), m_context.theme().textScale()},
        {QStringLiteral("code_font"), m_context.theme().codeFamily()},
        {QStringLiteral("pages"), states},
    };
    m_context.stash().save(layoutName, QJsonDocument(layout).toJson(QJsonDocument::Compact));
}

void Frame::stashAll()
{
    for (const auto &page : m_pages)
        page->stashUnsaved();
    saveLayout();
}

void Frame::closeEvent(QCloseEvent *event)
{
    // The window goes when it is settled that it may; until then it stays.
    event->ignore();
    closeWindow(false);
}

void Frame::closeWindow(bool force)
{
    if (m_closing)
        return;
    stashAll();
    if (!force)
        std::ignore = m_context.stash().flush(); // what can't be kept is a reason to stay, and a page's to tell
    if (!force && !closingEnds().isEmpty()) {
        askBeforeClosing();
        return;
    }
    m_closing = true;
    if (m_question)
        m_question->deleteLater();
    hide();
    Q_EMIT closed();
}

QString Frame::closingEnds() const
{
    QStringList ends;
    for (const auto &page : m_pages) {
        if (const QString sentence = page->closingEnds(); !sentence.isEmpty())
            ends.append(sentence);
    }
    return ends.join(QLatin1Char('\n'));
}

// No button is the default: neither a stray Return nor a stray Space ends anything; Escape stays. The sentence follows what goes on.
// The question stays until it is answered, also when closing ends nothing by then: a key on its way to it would change the text below.
void Frame::askBeforeClosing()
{
    if (m_question)
        return;
    m_question = new QDialog(this);
    m_question->setAttribute(Qt::WA_DeleteOnClose);
    m_question->setWindowTitle(tr("Close Glovebox"));
    m_question->setObjectName(QStringLiteral("frame.close"));
    setBackground(m_question, Colour::Raised);
    auto *column = columnIn(m_question, Space::m, {Space::xl, Space::xl, Space::xl, Space::xl});
    column->addWidget(makeLabel(tr("Close Glovebox now?"), m_question, FontRole::Title));
    auto *sentence = makeLabel(closingEnds(), m_question);
    sentence->setObjectName(QStringLiteral("frame.close.sentence"));
    sentence->setMinimumWidth(m_context.theme().scaled(360));
    column->addWidget(sentence);
    auto *row = new QHBoxLayout;
    row->addStretch();
    auto *stay = makeButton(tr("Stay"), QStringLiteral("frame.close.stay"), m_question);
    auto *go = makeButton(tr("Close anyway"), QStringLiteral("frame.close.go"), m_question);
    for (QPushButton *button : {stay, go}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    column->addLayout(row);
    auto *look = new QTimer(m_question);
    look->setInterval(betweenLooks);
    connect(look, &QTimer::timeout, m_question, [this, sentence, go] {
        const QString ends = closingEnds();
        sentence->setText(ends.isEmpty() ? tr("Nothing is left that closing would end.") : ends);
        go->setText(ends.isEmpty() ? tr("Close") : tr("Close anyway"));
    });
    look->start();
    connect(stay, &QPushButton::clicked, m_question, &QDialog::reject);
    connect(go, &QPushButton::clicked, this, [this] { closeWindow(true); });
    m_question->open();
}

} // namespace glovebox
