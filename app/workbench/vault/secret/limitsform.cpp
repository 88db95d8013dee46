// SPDX-License-Identifier: Apache-2.0
#include "limitsform.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include "engine/network/network.h"

#include <QCheckBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QLineEdit>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// All of them or none: no limit.
QStringList chosen(const QHash<QString, QCheckBox *> &boxes)
{
    QStringList ids;
    for (auto it = boxes.begin(); it != boxes.end(); ++it) {
        if (it.value()->isChecked())
            ids.append(it.key());
    }
    std::ranges::sort(ids);
    return ids.size() == boxes.size() ? QStringList() : ids;
}

void choose(const QHash<QString, QCheckBox *> &boxes, const QStringList &ids)
{
    for (auto it = boxes.begin(); it != boxes.end(); ++it)
        it.value()->setChecked(ids.isEmpty() || ids.contains(it.key()));
}

} // namespace

LimitsForm::LimitsForm(const QList<std::pair<QString, QString>> &languages, QWidget *parent)
    : QWidget(parent)
    , m_hosts(new QLineEdit(this))
    , m_expiry(new QLineEdit(this))
{
    auto *column = columnIn(this, Space::xs);
    const auto addBoxes = [&](const QString &title, const QString &name, QHash<QString, QCheckBox *> &boxes,
                              const QList<std::pair<QString, QString>> &choices) {
        column->addWidget(makeLabel(title, this, FontRole::Small, Colour::Dim));
        auto *row = new QHBoxLayout;
        row->setSpacing(Space::m);
        for (const auto &[id, text] : choices) {
            auto *box = new QCheckBox(text, this);
            box->setChecked(true);
            setNames(box, u"vault.form.%1.%2"_s.arg(name, id), u"%1: %2"_s.arg(title, text));
            boxes.insert(id, box);
            row->addWidget(box);
            setTabOrder(box, m_hosts); // which was made before it
        }
        row->addStretch();
        column->addLayout(row);
    };
    addBoxes(tr("Languages"), u"language"_s, m_languages, languages);
    QList<std::pair<QString, QString>> callers;
    for (const Caller::Kind kind : {Caller::Kind::Workbench, Caller::Kind::Cli, Caller::Kind::Mcp})
        callers.append({toString(kind), callerWord(kind)});
    addBoxes(tr("Asked for by"), u"caller"_s, m_callers, callers);
    const auto addField = [&](const QString &title, const QString &name, QLineEdit *field, const QString &hint) {
        column->addWidget(makeLabel(title, this, FontRole::Small, Colour::Dim));
        field->setPlaceholderText(hint);
        field->setLayoutDirection(Qt::LeftToRight);
        setNames(field, u"vault.form."_s + name, title);
        column->addWidget(field);
    };
    addField(tr("Only to runs that reach no other hosts than"), u"hosts"_s, m_hosts,
             tr("any; or names with spaces between them, or \"none\""));
    addField(tr("Expires on"), u"expiry"_s, m_expiry, tr("never, or a date like 2027-01-31"));
    setTabOrder(m_hosts, m_expiry);
}

void LimitsForm::setLimits(const SecretLimits &limits)
{
    m_tools = limits.tools;
    choose(m_languages, limits.languages);
    choose(m_callers, limits.callers);
    m_hosts->setText(!limits.hosts             ? QString()
                     : limits.hosts->isEmpty() ? tr("none", "hosts")
                                               : limits.hosts->join(u' '));
    m_expiry->setText(limits.expiryMicroseconds ? QDateTime::fromMSecsSinceEpoch(*limits.expiryMicroseconds / 1000)
                                                      .addMSecs(-1) // the first moment of the next day
                                                      .date()
                                                      .toString(Qt::ISODate)
                                                : QString());
}

std::expected<SecretLimits, QString> LimitsForm::limits() const
{
    SecretLimits limits;
    for (const QHash<QString, QCheckBox *> *boxes : {&m_languages, &m_callers}) {
        if (std::ranges::none_of(*boxes, &QCheckBox::isChecked))
            return std::unexpected(
                tr("Choose at least one language and one caller. Otherwise no run gets the secret."));
    }
    limits.tools = m_tools;
    limits.languages = chosen(m_languages);
    limits.callers = chosen(m_callers);
    const QString hosts = m_hosts->text().simplified();
    if (!hosts.isEmpty()) {
        limits.hosts = QStringList();
        const bool none = hosts.compare(tr("none", "hosts"), Qt::CaseInsensitive) == 0;
        for (const QString &text : none ? QStringList() : hosts.split(u' ')) {
            const auto rule = ruleFromText(text);
            if (!rule)
                return std::unexpected(translated(rule.error().message));
            limits.hosts->append(QString::fromStdString(network::toText(*rule)));
        }
    }
    if (const QString day = m_expiry->text().trimmed(); !day.isEmpty()) {
        const QDate date = QDate::fromString(day, Qt::ISODate);
        if (!date.isValid())
            return std::unexpected(tr("Write the day like this: %1").arg(u"2027-01-31"_s));
        limits.expiryMicroseconds = date.addDays(1).startOfDay().toMSecsSinceEpoch() * 1000;
    }
    return limits;
}

} // namespace glovebox
