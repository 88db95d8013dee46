// SPDX-License-Identifier: Apache-2.0
#include "installform.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QLineEdit>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int widestFields = 720; // px
constexpr int roomForColumns = 380; // px, at 13 px text: for fields beside each other

} // namespace

InstallForm::InstallForm(Theme &theme, QWidget *parent)
    : QScrollArea(parent)
    , m_theme(theme)
    , m_columns(new QBoxLayout(QBoxLayout::TopToBottom))
    , m_trouble(makeLabel({}, this, FontRole::Base, Colour::Warn))
{
    setObjectName(u"sessions.packages.form"_s);
    scrollDownOnly(this, Colour::Panel);
    setFocusPolicy(Qt::NoFocus);
    auto *body = new QWidget(this);
    setBackground(body, Colour::Panel);
    auto *fields = new QWidget(body);
    fields->setMaximumWidth(widestFields);
    auto *column = columnIn(fields, Space::xs);
    m_columns->setSpacing(Space::m);
    column->addLayout(m_columns);
    for (const auto &language : Languages::all()) {
        if (!language->takesPackages())
            continue;
        const QString title = tr("Packages of %1", "a language").arg(language->name());
        auto *edit = new QLineEdit(fields);
        edit->setPlaceholderText(language->examplePackages());
        edit->setLayoutDirection(Qt::LeftToRight);
        setNames(edit, u"sessions.packages."_s + language->id(), title);
        auto *part = new QVBoxLayout;
        part->setSpacing(Space::xs);
        part->addWidget(makeLabel(title, fields, FontRole::Strong));
        part->addWidget(edit);
        m_columns->addLayout(part, 1);
        connect(edit, &QLineEdit::returnPressed, this, &InstallForm::install);
        connect(edit, &QLineEdit::textChanged, this, [this] { say({}); });
        m_fields.append({language->id(), edit});
    }
    column->addSpacing(Space::xs);
    m_trouble->setObjectName(u"sessions.packages.trouble"_s);
    m_trouble->setMinimumWidth(1);
    column->addWidget(m_trouble);
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    m_install = makeButton({}, u"sessions.packages.install"_s, fields);
    setLook(m_install, ButtonLook::Primary);
    row->addWidget(m_install);
    auto *leave = makeButton(tr("Leave it"), u"sessions.packages.leave"_s, fields, tr("Install no packages"));
    row->addWidget(leave);
    row->addStretch();
    column->addLayout(row);
    column->addStretch();
    auto *outer = rowIn(body, 0, {Space::l, 0, Space::l, Space::s});
    outer->addWidget(fields, 100);
    outer->addStretch(1);
    setWidget(body);
    connect(m_install, &QPushButton::clicked, this, &InstallForm::install);
    connect(leave, &QPushButton::clicked, this, &InstallForm::dismissed);
    say({});
}

// What is said of the names leaves the fields in sight.
void InstallForm::resizeEvent(QResizeEvent *event)
{
    m_columns->setDirection(width() >= m_theme.scaled(roomForColumns) ? QBoxLayout::LeftToRight
                                                                      : QBoxLayout::TopToBottom);
    QScrollArea::resizeEvent(event);
}

void InstallForm::begin(const QString &language, const QString &names)
{
    for (const Field &field : std::as_const(m_fields)) {
        if (field.language == language)
            field.edit->setText(names);
    }
    const auto meant = std::ranges::find(m_fields, language, &Field::language);
    QLineEdit *edit = (meant == m_fields.end() ? m_fields.first() : *meant).edit;
    edit->setFocus(Qt::ShortcutFocusReason);
    edit->selectAll();
}

void InstallForm::clear()
{
    for (const Field &field : std::as_const(m_fields))
        field.edit->clear();
    say({});
}

void InstallForm::say(const QString &sentence)
{
    m_told.clear();
    m_install->setText(tr("Install"));
    showText(m_trouble, sentence);
    if (!sentence.isEmpty())
        QMetaObject::invokeMethod(
            this, [this] { ensureWidgetVisible(m_install); }, Qt::QueuedConnection); // laid out then
}

void InstallForm::doubt(const QStringList &doubts)
{
    say(withHiddenShown(doubts.join(u'\n')));
    m_told = doubts;
    m_install->setText(tr("Fetch it anyway"));
}

void InstallForm::install()
{
    QList<WantedPackages> all;
    QStringList doubts;
    for (const Field &field : std::as_const(m_fields)) {
        if (field.edit->text().trimmed().isEmpty())
            continue;
        const auto read = readRequirements(field.edit->text(), field.language);
        if (!read) {
            say(withHiddenShown(translated(read.error().message)));
            return field.edit->setFocus();
        }
        all.append({field.language, *read});
        QStringList names;
        for (const Requirement &requirement : *read)
            names.append(requirement.name);
        for (const Text &each : doubtsAbout(names, field.language))
            doubts.append(translated(each));
    }
    if (all.isEmpty())
        return say(tr("Name at least one package."));
    if (doubts != m_told)
        return doubt(doubts);
    Q_EMIT wanted(all);
}

} // namespace glovebox
