// SPDX-License-Identifier: Apache-2.0
#include "secreteditor.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/roles.h"
#include "app/workbench/shell/words/words.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype manySecrets = 8; // from here on there is a field to find one
constexpr int nameWidth = 190, placeWidth = 170;

} // namespace

struct SecretEditor::Row
{
    QString name;
    QWidget *widget;
    QCheckBox *box;
    QComboBox *way;
    QLineEdit *variable;
    QLabel *file;
    QLabel *remark;
};

SecretEditor::SecretEditor(Theme &theme, QWidget *anchor, const std::vector<SecretGrant> &lent, const VaultView &vault,
                           const SecretBorrower &borrower)
    : Popover(theme, anchor, u"bench.secrets"_s, tr("Secrets"), 600)
    , m_theme(theme)
    , m_lent(lent)
    , m_vault(vault)
    , m_borrower(borrower)
    , m_state(makeLabel({}, this))
    , m_search(new QLineEdit(this))
    , m_list(new QWidget(this))
    , m_way(new QPushButton(this))
{
    content()->addWidget(makeLabel(tr("Secrets"), this, FontRole::Strong));
    content()->addWidget(makeLabel(tr("A run gets only the secrets that you choose here. They are redacted from its "
                                      "output. Code that has both a secret and a network can give the secret away."),
                                   this, FontRole::Base, Colour::Dim));
    m_state->setObjectName(u"bench.secrets.state"_s);
    content()->addWidget(m_state);
    m_search->setPlaceholderText(tr("Find a secret"));
    m_search->addAction(theme.icon(Icon::Search, Colour::Dim), QLineEdit::LeadingPosition);
    setNames(m_search, u"bench.secrets.search"_s, tr("Show secrets that contain"));
    content()->addWidget(m_search);
    columnIn(m_list, Space::xs);
    content()->addWidget(m_list);
    setLook(m_way, ButtonLook::Link);
    content()->addWidget(m_way, 0, Qt::AlignLeft);

    connect(m_search, &QLineEdit::textChanged, this, &SecretEditor::filter);
    connect(m_way, &QPushButton::clicked, this, [this] {
        const bool add = m_vault.isKnown && !m_vault.error && m_vault.secrets.isEmpty();
        close(false);
        Q_EMIT vaultPageWanted(add);
    });
    // QLineEdit::editingFinished() doesn't come where Return was pressed before.
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget *left, const QWidget *now) {
        const auto row = std::ranges::find(m_rows, left, &Row::variable);
        if (now && row != m_rows.end()) // else the window is left, and may be come back to
            showVariable(row->name);
    });
    showState();
    showRows();
    open(m_rows.empty() ? static_cast<QWidget *>(m_way) : m_rows.front().box);
}

SecretEditor::~SecretEditor() = default;

void SecretEditor::setVault(const VaultView &vault)
{
    if (vault == m_vault)
        return;
    const bool sameNames = std::ranges::equal(vault.secrets, m_vault.secrets, {}, &SecretInfo::name, &SecretInfo::name);
    m_vault = vault;
    showState();
    if (!sameNames)
        return showRows();
    for (Row &row : m_rows)
        fillRow(row);
}

QStringList SecretEditor::names() const
{
    QStringList names;
    for (const SecretGrant &grant : m_lent) {
        if (std::ranges::find(m_vault.secrets, grant.name, &SecretInfo::name) == m_vault.secrets.end())
            names.append(grant.name);
    }
    for (const SecretInfo &secret : m_vault.secrets)
        names.append(secret.name);
    return names;
}

// What speaks against all of them, and the way out.
void SecretEditor::showState()
{
    QString sentence;
    Colour colour = Colour::Warn;
    const bool none = m_vault.isKnown && m_vault.secrets.isEmpty();
    if (!m_vault.isKnown) {
        sentence = tr("Looking into the vault…");
        colour = Colour::Dim;
    } else if (m_vault.error) {
        sentence = translated(m_vault.error->message);
    } else if (m_vault.store.state != StoreState::Ready) {
        sentence = (translated(m_vault.store.reason) + u' ' + translated(m_vault.store.remedy)).trimmed();
    } else if (none) {
        sentence = tr("The vault has no secrets yet.");
        colour = Colour::Text;
    }
    showText(m_state, sentence);
    setTextColour(m_state, colour);
    const bool canAdd = none && !m_vault.error && m_vault.store.state == StoreState::Ready;
    m_way->setText(canAdd ? tr("Add a secret") : tr("Open the vault"));
    setNames(m_way, u"bench.secrets.vault"_s, m_way->text());
}

void SecretEditor::showRows()
{
    const QString focused = [this] {
        const auto row = std::ranges::find_if(m_rows, [](const Row &each) { return each.box->hasFocus(); });
        return row == m_rows.end() ? QString() : row->name;
    }();
    const bool hadFocus = m_list->isAncestorOf(focusWidget());
    for (Row &row : m_rows) {
        row.widget->hide();
        row.widget->deleteLater();
    }
    m_rows.clear();
    for (const QString &name : names())
        m_list->layout()->addWidget(makeRow(name));
    m_search->setVisible(qsizetype(m_rows.size()) >= manySecrets);
    m_list->setVisible(!m_rows.empty());
    filter();
    if (!hadFocus && !m_way->hasFocus())
        return;
    const auto row = std::ranges::find(m_rows, focused, &Row::name);
    (row != m_rows.end() ? static_cast<QWidget *>(row->box)
     : !m_rows.empty()   ? m_rows.front().box
                         : static_cast<QWidget *>(m_way))
        ->setFocus();
}

QWidget *SecretEditor::makeRow(const QString &name)
{
    auto *widget = new QWidget(m_list);
    const auto part = [number = m_rows.size() + 1](const QString &what) {
        return u"bench.secrets.%1%2"_s.arg(what).arg(number);
    };
    Row row{.name = name,
            .widget = widget,
            .box = new QCheckBox(widget),
            .way = new QComboBox(widget),
            .variable = new QLineEdit(widget),
            .file = makeLabel({}, widget, FontRole::Code),
            .remark = makeLabel({}, widget, FontRole::Small, Colour::Warn)};
    auto *column = columnIn(widget, 0, {0, 0, Space::s, 0});
    auto *line = new QHBoxLayout;
    line->setSpacing(Space::s);
    column->addLayout(line);
    column->addWidget(row.remark);

    setFontRole(row.box, FontRole::Code);
    row.box->setProperty(roles::data, true); // a name
    row.box->setText(
        QFontMetrics(m_theme.font(FontRole::Code)).elidedText(name, Qt::ElideMiddle, m_theme.scaled(nameWidth)));
    setNames(row.box, part(u"name"_s), name, name);
    line->addWidget(row.box, 1);
    row.way->addItem(tr("as variable", "how a run gets a secret"), false);
    row.way->addItem(tr("as file", "how a run gets a secret"), true);
    setNames(row.way, part(u"way"_s), tr("Form of %1 inside").arg(name));
    line->addWidget(row.way);
    row.variable->setLayoutDirection(Qt::LeftToRight);
    setFontRole(row.variable, FontRole::Code);
    setNames(row.variable, part(u"variable"_s), tr("Variable that %1 is inside").arg(name));
    row.variable->setFixedWidth(m_theme.scaled(placeWidth));
    line->addWidget(row.variable);
    row.file->setObjectName(part(u"file"_s));
    markAsData(row.file);
    row.file->setFixedWidth(m_theme.scaled(placeWidth));
    line->addWidget(row.file);
    row.remark->setObjectName(part(u"remark"_s));

    connect(row.box, &QCheckBox::clicked, this, [this, name](bool lent) { lend(name, lent); });
    connect(row.way, &QComboBox::activated, this, [this, name](int index) { setWay(name, index == 1); });
    connect(row.variable, &QLineEdit::textEdited, this,
            [this, name](const QString &variable) { setVariable(name, variable); });
    connect(row.variable, &QLineEdit::returnPressed, this, [this, name] { showVariable(name); });
    m_rows.push_back(row);
    fillRow(m_rows.back());
    return widget;
}

void SecretEditor::fillRow(Row &row)
{
    const SecretGrant *grant = grantOf(row.name);
    const bool asFile = grant && grant->asFile;
    row.box->setChecked(grant != nullptr);
    row.way->setVisible(grant != nullptr);
    row.way->setCurrentIndex(asFile ? 1 : 0);
    row.variable->setVisible(grant && !asFile);
    if (grant && !asFile && !row.variable->hasFocus())
        row.variable->setText(secretVariable(*grant));
    row.file->setVisible(asFile);
    if (asFile) {
        row.file->setText(
            row.file->fontMetrics().elidedText(secretPlace(*grant), Qt::ElideMiddle, m_theme.scaled(placeWidth)));
        row.file->setToolTip(secretPlace(*grant));
    }
    const QString why = whyNotLent(row.name, m_vault, m_borrower);
    showText(row.remark, why.isEmpty() ? QString() : u"▲ "_s + why);
    row.box->setAccessibleDescription(why);
}

void SecretEditor::filter()
{
    const QString wanted = m_search->isHidden() ? QString() : m_search->text().trimmed();
    for (Row &row : m_rows)
        row.widget->setVisible(row.name.contains(wanted, Qt::CaseInsensitive));
}

const SecretGrant *SecretEditor::grantOf(const QString &name) const
{
    const auto grant = std::ranges::find(m_lent, name, &SecretGrant::name);
    return grant == m_lent.end() ? nullptr : &*grant;
}

void SecretEditor::lend(const QString &name, bool lent)
{
    std::vector<SecretGrant> all = m_lent;
    std::erase_if(all, [&](const SecretGrant &grant) { return grant.name == name; });
    if (lent)
        all.push_back(usualGrant(name, all));
    propose(name, std::move(all));
}

void SecretEditor::setWay(const QString &name, bool asFile)
{
    std::vector<SecretGrant> all = m_lent;
    const auto grant = std::ranges::find(all, name, &SecretGrant::name);
    if (grant == all.end() || grant->asFile == asFile)
        return;
    *grant = {.name = name, .variable = {}, .asFile = asFile};
    if (!asFile) {
        std::vector<SecretGrant> others = all;
        std::erase_if(others, [&](const SecretGrant &other) { return other.name == name; });
        grant->variable = usualGrant(name, others).variable;
    }
    propose(name, std::move(all));
}

void SecretEditor::setVariable(const QString &name, const QString &variable)
{
    std::vector<SecretGrant> all = m_lent;
    const auto grant = std::ranges::find(all, name, &SecretGrant::name);
    if (grant == all.end())
        return;
    grant->variable = variable.trimmed() == name ? QString() : variable.trimmed();
    if (variable.trimmed().isEmpty())
        return fillRow(*std::ranges::find(m_rows, name, &Row::name)); // about to be written
    propose(name, std::move(all));
}

// What the run will really use, when it isn't being written any more. Return alone leaves what can't be taken to be
// mended, with the sentence that says why.
void SecretEditor::showVariable(const QString &name)
{
    const auto row = std::ranges::find(m_rows, name, &Row::name);
    const SecretGrant *grant = grantOf(name);
    if (row == m_rows.end() || !grant || grant->asFile)
        return;
    if (row->variable->hasFocus() && !row->variable->text().trimmed().isEmpty())
        return;
    row->variable->setText(secretVariable(*grant));
    fillRow(*row);
}

// Takes it when it makes sense; what doesn't is said there, and what was chosen before stays.
void SecretEditor::propose(const QString &name, std::vector<SecretGrant> lent)
{
    const auto row = std::ranges::find(m_rows, name, &Row::name);
    if (const auto sound = checkSecretGrants(lent); !sound) {
        fillRow(*row);
        row->remark->setText(u"▲ "_s + translated(sound.error().message));
        row->remark->show();
    } else {
        m_lent = std::move(lent);
        fillRow(*row);
        Q_EMIT chosen(m_lent);
    }
}

} // namespace glovebox
