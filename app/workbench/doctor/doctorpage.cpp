// SPDX-License-Identifier: Apache-2.0
#include "doctorpage.h"

#include "app/workbench/shell/look.h"
#include "attackpanel.h"
#include "factsheet.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

namespace glovebox {
namespace {

constexpr int roomForButtons = 640;
const auto bannerId = QStringLiteral("doctor");

} // namespace

DoctorPage::DoctorPage(WorkbenchContext &context)
    : m_context(context)
{
    addActions();
    connect(&context.notifications(), &Notifications::bannerDismissed, this, [this](const QString &id) {
        if (id == bannerId)
            m_knownWeak = weakControls(ready().sandbox);
        Q_EMIT statusChanged(); // the frame saves what pages remember
    });
    connect(&context, &WorkbenchContext::readinessChanged, this, &DoctorPage::take);
    connect(&context, &WorkbenchContext::engineChanged, this, &DoctorPage::take);
}

void DoctorPage::addActions()
{
    ActionRegistry &actions = m_context.actions();
    actions.add({.id = QStringLiteral("doctor.check"),
                 .text = tr("Check again"),
                 .shortcuts = {QKeySequence(Qt::Key_F5)},
                 .icon = Icon::Refresh,
                 .page = DoctorPage::id(),
                 .enabled = [this] { return m_context.engine() && !ready().isLooking; }},
                [this] { m_context.lookAgain(); });
    actions.add({.id = QStringLiteral("doctor.copy"),
                 .text = tr("Copy report"),
                 .icon = Icon::Copy,
                 .page = DoctorPage::id(),
                 .enabled = [this] { return hasLooked(); }},
                [this] { copy(asText(ready(), m_context.paths()), tr("The report is on the clipboard.")); });
    actions.add({.id = QStringLiteral("doctor.attack"),
                 .text = tr("Attack this sandbox"),
                 .icon = Icon::Shield,
                 .page = DoctorPage::id(),
                 .enabled = [this] { return m_context.engine() && !(m_attacks && m_attacks->isRunning()); }},
                [this] {
                    if (m_attacks)
                        m_attacks->start();
                });
    actions.add({.id = QStringLiteral("doctor.attack-stop"),
                 .text = tr("Stop attacking"),
                 .icon = Icon::Stop,
                 .page = DoctorPage::id(),
                 .enabled = [this] { return m_attacks && m_attacks->isRunning(); }},
                [this] {
                    if (m_attacks)
                        m_attacks->stop();
                });
}

void DoctorPage::engineClosing()
{
    if (m_attacks)
        m_attacks->stop();
}

QWidget *DoctorPage::widget()
{
    if (m_scroll)
        return m_scroll;
    m_scroll = new QScrollArea;
    setNames(m_scroll, QStringLiteral("doctor"), title());
    scrollDownOnly(m_scroll, Colour::Panel);

    auto *content = new QWidget;
    setBackground(content, Colour::Panel);
    m_sheet = new FactSheet(m_context.theme(), content);
    auto *column = new QVBoxLayout;
    column->setSpacing(Space::m);
    column->addWidget(makeHead(content));
    column->addSpacing(Space::m);
    column->addWidget(m_sheet);
    column->addSpacing(Space::m);
    m_attacks = new AttackPanel(m_context, content);
    column->addWidget(m_attacks);
    column->addStretch();
    auto *body = new QWidget(content);
    keepReadable(body, m_context.theme());
    column->setContentsMargins(Space::xl, Space::xl, Space::xl, Space::xl);
    body->setLayout(column);
    auto *row = rowIn(content, Space::s);
    row->addWidget(body, 100);
    row->addStretch(1);
    m_scroll->setWidget(content);
    show();
    return m_scroll;
}

QWidget *DoctorPage::makeHead(QWidget *parent)
{
    auto *head = new QWidget(parent);
    auto *words = new QVBoxLayout;
    words->setSpacing(Space::xs);
    words->addWidget(makeLabel(tr("Protections of a run on this machine"), head, FontRole::Title));
    m_summary = makeLabel({}, head);
    m_remedy = makeLabel({}, head, FontRole::Base, Colour::Dim);
    words->addWidget(m_summary);
    words->addWidget(m_remedy);
    m_head = new QBoxLayout(QBoxLayout::LeftToRight, head);
    m_head->setContentsMargins(0, 0, 0, 0);
    m_head->addLayout(words, 1);
    auto *buttons = new QHBoxLayout;
    m_head->addLayout(buttons);
    for (const auto &name : {QStringLiteral("check"), QStringLiteral("copy")}) {
        const QString id = QStringLiteral("doctor.") + name;
        auto *button = m_context.actions().makeButton(id, QStringLiteral("doctor.%1-button").arg(name), head);
        button->setIcon(m_context.theme().icon(m_context.actions().spec(id)->icon));
        buttons->addWidget(button, 0, Qt::AlignTop);
    }
    buttons->addStretch();
    m_scroll->viewport()->installEventFilter(this);
    return head;
}

// Where there is no room beside the words, the buttons go below them.
bool DoctorPage::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && m_scroll && watched == m_scroll->viewport())
        m_head->setDirection(m_scroll->viewport()->width() < m_context.theme().scaled(roomForButtons)
                                 ? QBoxLayout::TopToBottom
                                 : QBoxLayout::LeftToRight);
    return false;
}

void DoctorPage::activate()
{
    if (m_scroll)
        m_scroll->setFocus(Qt::OtherFocusReason); // arrow keys scroll
}

void DoctorPage::take()
{
    show();
    showBanner();
    Q_EMIT statusChanged();
}

void DoctorPage::show()
{
    if (!m_scroll)
        return;
    if (!hasLooked()) {
        m_summary->setText(ready().isLooking ? tr("Checking: a sealed probe is on its way.")
                                             : tr("The check starts when the engine is open."));
        m_remedy->hide();
        m_sheet->clear();
        showFolders();
        return;
    }
    const Part *obstacle = ready().obstacle({});
    m_summary->setText(ready().isLooking ? tr("Checking again.") : summaryOf(ready()));
    setTextColour(m_summary, ready().isLooking ? Colour::Dim : toneColour(toneOf(ready())));
    showText(m_remedy, obstacle ? translated(obstacle->remedy) : QString());
    if (ready().isLooking)
        return; // the last facts stay until there are new ones
    m_sheet->clear();
    showBuilders();
    showLanguages();
    showFolders();
    showControl();
}

void DoctorPage::showBackend(const BackendReport &backend, const QString &title, const QString &note)
{
    m_sheet->addHeading(title, note);
    QStringList said; // one remedy may mend several
    const auto add = [&](Fact fact, const Advice &advice) {
        const QString remedy = translated(advice);
        if (!said.contains(remedy)) {
            fact.remedy = remedy;
            if (const QString command = advice.command; !command.isEmpty())
                fact.copyRemedy = [this, command] { copy(command, tr("The command is on the clipboard.")); };
        }
        said.append(remedy);
        m_sheet->addFact(fact);
    };
    if (!backend.usable)
        add({Icon::Warning, Colour::Warn, tr("This builder"), tr("Doesn't work"), translated(backend.reason)},
            backend.isRemedyInReason ? Advice({}, backend.remedy.command) : backend.remedy);
    for (const Control &control : backend.controls) {
        Fact fact{stateIcon(control.state), stateColour(control.state), controlName(control.id),
                  stateWord(control.state), translated(control.detail), false,
                  control.detail.isFact()};
        fact.id = toString(control.id);
        add(fact, backend.remedies.value(control.id));
    }
}

// What runs are built with in full; of the others what is different.
void DoctorPage::showBuilders()
{
    const BackendReport &backend = ready().sandbox;
    if (!backend.controls.isEmpty())
        showBackend(
            backend, tr("Sandbox"),
            tr("Found out just now by a sealed probe. Backend %1, builder %2.").arg(backend.backend, backend.builder));
    for (const BackendReport &other : ready().builders) {
        if (backend.usable && other.builder == backend.builder)
            continue;
        BackendReport different = other;
        different.controls.removeIf([](const Control &control) {
            return control.state == Control::State::Verified || control.state == Control::State::Enforced;
        });
        const QString note = !other.usable ? tr("This builder was tried just now.")
                             : different.controls.isEmpty()
                                 ? tr("This builder also works, and nothing is weaker there. Runs don't use it.")
                                 : tr("This builder also works. Runs don't use it. Weaker there:");
        showBackend(different, tr("Builder %1").arg(other.builder), note);
    }
}

void DoctorPage::showLanguages()
{
    m_sheet->addHeading(tr("Languages"));
    for (const LanguageReadiness &language : ready().languages) {
        if (language.candidates.isEmpty())
            m_sheet->addFact({Icon::Warning, Colour::Warn, language.name, tr("Not found"),
                              tr("Install the package %1, then check again.").arg(language.package)});
        for (const InterpreterCandidate &candidate : language.candidates) {
            const QString name =
                candidate.version.isEmpty() ? language.name : tr("%1 %2").arg(language.name, candidate.version);
            if (candidate.usable)
                m_sheet->addFact({Icon::Check, Colour::Ok, name, tr("Usable"), candidate.path, true});
            else
                m_sheet->addFact({Icon::Warning, Colour::Warn, name, tr("Passed over"),
                                  tr("%1: %2").arg(candidate.path, translated(candidate.reason))});
        }
    }
}

void DoctorPage::showFolders()
{
    const Paths &paths = m_context.paths();
    m_sheet->addHeading(tr("Folders"));
    m_sheet->addFact({Icon::None, Colour::Text, tr("Log of runs"), {}, paths.auditFile(), true});
    m_sheet->addFact({Icon::None, Colour::Text, tr("Code and output"), {}, paths.storeFolder(), true});
    m_sheet->addFact({Icon::None, Colour::Text, tr("Settings"), {}, paths.settingsFile(), true});
    m_sheet->addFact({Icon::None, Colour::Text, tr("Unsaved texts"), {}, m_context.stash().folder(), true});
    m_sheet->addFact({Icon::None, Colour::Text, tr("Sockets"), {}, paths.runtime, true});
}

void DoctorPage::showBanner()
{
    Notifications &notifications = m_context.notifications();
    const Remedy look{tr("Open the doctor"), [this] { m_context.navigateTo(id()); }};
    if (const Part *obstacle = ready().obstacle({})) {
        QString text = summaryOf(ready());
        if (!obstacle->remedy.isEmpty())
            text += QLatin1Char(' ') + translated(obstacle->remedy);
        notifications.setBanner({.id = bannerId,
                                 .tone = Tone::Bad,
                                 .text = text,
                                 .brief = summaryOf(ready()),
                                 .detail = translated(obstacle->why.detail),
                                 .remedies = {look}});
        return;
    }
    const QList<ControlId> weak = weakControls(ready().sandbox);
    if (weak.isEmpty() || weak == m_knownWeak) {
        notifications.clearBanner(bannerId);
        return;
    }
    constexpr qsizetype named = 2;
    QStringList consequences;
    for (const ControlId control : weak.first(std::min(named, weak.size())))
        consequences.append(consequenceOf(control));
    if (weak.size() > named)
        consequences.append(tr("and %Ln more", "weak protections", int(weak.size() - named)));
    QString text = tr("On this machine, %1.").arg(consequences.join(tr("; ", "between consequences")));
    QString remedy; // the first there is
    for (const ControlId control : weak) {
        if (remedy.isEmpty())
            remedy = translated(ready().sandbox.remedies.value(control));
    }
    const Remedy row{tr("Show it in the doctor"), [this, weak] {
                         m_knownWeak = weak; // told once
                         m_context.notifications().clearBanner(bannerId);
                         m_context.navigateTo(id(), {{QStringLiteral("control"), toString(weak.first())}});
                     }};
    notifications.setBanner({.id = bannerId,
                             .tone = Tone::Warn,
                             .text = remedy.isEmpty() ? text : text + QLatin1Char(' ') + remedy,
                             .brief = tr("%Ln protection(s) are weaker.", "", int(weak.size())),
                             .remedies = {row},
                             .dismissible = true});
}

void DoctorPage::navigate(const QJsonObject &request)
{
    m_control = request.value(QStringLiteral("control")).toString();
    showControl();
}

void DoctorPage::showControl()
{
    if (!m_scroll || m_control.isEmpty())
        return;
    // The rows have their places when the layout was made.
    QTimer::singleShot(0, this, [this] {
        if (QWidget *name = m_sheet ? m_sheet->mark(m_control) : nullptr)
            m_scroll->ensureWidgetVisible(name, 0, m_scroll->viewport()->height() / 3);
    });
}

void DoctorPage::copy(const QString &text, const QString &said)
{
    QGuiApplication::clipboard()->setText(text);
    m_context.notifications().show({.id = QStringLiteral("doctor-copied"), .tone = Tone::Ok, .text = said});
}

QList<StatusItem> DoctorPage::status() const
{
    if (!hasLooked())
        return {};
    const BackendReport &backend = ready().sandbox;
    const qsizetype verified = std::ranges::count(backend.controls, Control::State::Verified, &Control::state);
    return {{.id = QStringLiteral("protections"),
             .text = backend.usable ? tr("%1 of %2 verified").arg(verified).arg(backend.controls.size())
                                    : tr("Nothing can run here"),
             .colour = Colour::Dim}};
}

QJsonObject DoctorPage::saveState() const
{
    return {{QStringLiteral("known_weak"), QJsonArray::fromStringList(idsOf(m_knownWeak))}};
}

void DoctorPage::restoreState(const QJsonObject &state)
{
    m_knownWeak.clear();
    const QJsonArray known = state.value(QStringLiteral("known_weak")).toArray();
    for (const auto &name : known)
        m_knownWeak.append(fromString<ControlId>(name.toString()).value_or(ControlId::Unknown));
}

} // namespace glovebox
