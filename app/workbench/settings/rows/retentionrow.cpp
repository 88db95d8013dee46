// SPDX-License-Identifier: Apache-2.0
#include "retentionrow.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/choicefield.h"
#include "app/workbench/shell/words/words.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const QString prefix = u"settings.room.old."_s;

} // namespace

RetentionRow::RetentionRow(WorkbenchContext &context, QWidget *parent)
    : SettingRow(context.theme(), u"room.old"_s, tr("Delete what old runs left"),
                 tr("Deletes code, output and files, to free space. The entries stay, and so does what a younger run "
                    "shares."),
                 tr("space disk size storage retention prune clean remove older bodies"), parent)
    , m_context(context)
    , m_age(new ChoiceField(this))
    , m_sentence(makeLabel({}, this, FontRole::Small, Colour::Dim))
    , m_delete(makeButton(tr("Delete…"), prefix + u"delete"_s, this, tr("Delete what old runs left")))
    , m_yes(makeButton(tr("Delete"), prefix + u"yes"_s, this))
    , m_no(makeButton(tr("Not now"), prefix + u"no"_s, this))
{
    m_age->addItem(tr("Older than 30 days"), 30);
    m_age->addItem(tr("Older than 90 days"), 90);
    m_age->addItem(tr("Older than a year"), 365);
    m_age->setCurrentIndex(1);
    m_sentence->setObjectName(prefix + u"sentence"_s);
    auto *field = new QWidget(this);
    field->setFocusProxy(m_age);
    auto *column = columnIn(field, Space::s);
    column->addWidget(m_age);
    column->addWidget(m_sentence);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(Space::s);
    for (QPushButton *button : {m_delete, m_yes, m_no})
        buttons->addWidget(button);
    buttons->addStretch();
    column->addLayout(buttons);
    setField(field);
    setNames(m_age, prefix + u"age"_s, tr("How old"));
    connect(m_age, &QComboBox::currentIndexChanged, this, &RetentionRow::measure);
    connect(m_delete, &QPushButton::clicked, this, &RetentionRow::ask);
    connect(m_yes, &QPushButton::clicked, this, [this] { answer(true); });
    connect(m_no, &QPushButton::clicked, this, [this] { answer(false); });
    enter(State::Measuring);
}

void RetentionRow::enter(State state)
{
    const bool hadFocus = m_delete->hasFocus() || m_yes->hasFocus() || m_no->hasFocus();
    m_state = state;
    m_delete->setVisible(state != State::Asking);
    m_delete->setEnabled(state == State::Measured && m_deletable.runs > 0);
    m_yes->setVisible(state == State::Asking);
    m_no->setVisible(state == State::Asking);
    setTextColour(m_sentence, state == State::Asking ? Colour::Warn : Colour::Dim);
    if (hadFocus) // no button gets the keyboard because another one went
        (state == State::Asking ? static_cast<QWidget *>(m_no) : m_age)->setFocus(Qt::OtherFocusReason);
}

void RetentionRow::measure()
{
    if (m_state == State::Deleting || !m_context.engine())
        return;
    const int number = ++m_wanted;
    m_before = QDateTime::currentDateTimeUtc().addDays(-m_age->currentData().toInt()).toMSecsSinceEpoch() * 1000;
    m_deletable = {};
    enter(State::Measuring);
    m_context.withEngine(
        this,
        [before = m_before](Engine &engine) {
            const auto reader = engine.auditReader();
            if (!reader)
                return Measured{std::unexpected(reader.error()), std::nullopt};
            return Measured{deletableOf(**reader, {.beforeMicroseconds = before, .chosen = {}}),
                            lastDeletion(**reader).value_or(std::nullopt)};
        },
        [this, number](const Measured &measured) {
            if (number == m_wanted)
                take(measured);
        });
}

void RetentionRow::take(const Measured &measured)
{
    showError(measured.deletable ? QString() : translated(measured.deletable.error().message));
    m_deletable = measured.deletable.value_or(Deletable());
    if (!measured.deletable)
        m_sentence->setText(tr("not known"));
    else if (m_deletable.runs == 0)
        m_sentence->setText(tr("No run older than %1 has any of it.").arg(age()));
    else
        m_sentence->setText(
            tr("%Ln runs older than %1: %2.", nullptr, int(m_deletable.runs)).arg(age(), sizeWord(m_deletable.bytes)));
    showLast(measured.last);
    enter(State::Measured);
}

// Below the field, as the origin of other settings.
void RetentionRow::showLast(const std::optional<Deletion> &last)
{
    if (!last)
        return showOrigin({}, false);
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(last->timeMicroseconds / 1000);
    const QString date = QLocale().toString(time.date(), QLocale::LongFormat);
    QString sentence;
    if (!last->isFinished)
        sentence = tr("The deletion of %1 was interrupted. Glovebox does the rest at its next start.").arg(date);
    else if (last->isResumed)
        sentence = tr("The deletion of %1 was interrupted and has been finished since.").arg(date);
    else
        sentence = tr("Last deleted on %1: %2 freed.").arg(date, sizeWord(last->bytes));
    showOrigin(sentence, false);
}

QString RetentionRow::age() const
{
    const int days = m_age->currentData().toInt();
    return days == 365 ? tr("a year") : tr("%Ln days", nullptr, days);
}

void RetentionRow::ask()
{
    m_askedAge = m_age->currentIndex();
    m_sentence->setText(
        tr("Delete code, output and files of %Ln runs? They can't be restored.", nullptr, int(m_deletable.runs)));
    enter(State::Asking);
}

void RetentionRow::answer(bool isYes)
{
    if (!isYes || !m_context.engine()) {
        measure();
        return;
    }
    ++m_wanted;
    m_sentence->setText(tr("Deleting. You can go on working meanwhile."));
    enter(State::Deleting);
    m_context.withEngine(
        this,
        [before = m_before](Engine &engine) {
            return engine.deleteBodies({.beforeMicroseconds = before, .chosen = {}}, engine.caller());
        },
        [this](const Result<Deletion> &deletion) { finish(deletion); });
}

void RetentionRow::finish(const Result<Deletion> &deletion)
{
    m_deletable = {};
    enter(State::Measured);
    if (deletion) {
        QStringList sentences;
        if (deletion->files > 0 || deletion->recent == 0)
            sentences.append(tr("Deleted what %Ln runs left: %1 freed.", nullptr, int(deletion->runs))
                                 .arg(sizeWord(deletion->bytes)));
        if (deletion->recent > 0)
            sentences.append(tr("%Ln files stay, as they were stored within the last hour. Delete them in an hour.",
                                nullptr, int(deletion->recent)));
        m_sentence->setText(sentences.join(u' '));
        showOrigin({}, false);
    } else {
        m_sentence->setText(tr("Not all of it was deleted."));
        showError(translated(deletion.error().message));
    }
    Q_EMIT deleted();
    if (m_age->currentIndex() != m_askedAge) // chosen meanwhile
        measure();
}

void RetentionRow::engineClosing()
{
    ++m_wanted;
    m_deletable = {};
    enter(State::Measuring);
}

} // namespace glovebox
