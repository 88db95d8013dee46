// SPDX-License-Identifier: Apache-2.0
#include "desk.h"

#include "app/workbench/bench/benchpage.h"
#include "app/workbench/doctor/attackpanel.h"
#include "app/workbench/pages.h"

#include "tests/support/memorystore.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QScreen>
#include <QScrollArea>
#include <QTreeView>

namespace glovebox {
namespace {

Paths pathsIn(const QString &folder, const QString &programs)
{
    return {folder + QStringLiteral("/data"), folder + QStringLiteral("/config"), folder + QStringLiteral("/run"),
            programs};
}

} // namespace

Desk::Desk(const QString &programs)
    : paths(pathsIn(home.path(), programs))
    , context(paths, theme)
    , host(context)
    , frame(context, makePages(context))
{
    frame.restoreLayout();
    host.setStores({makeMemoryStore()}); // the person's keychain is none of a test's business
}

Desk::~Desk()
{
    QSignalSpy closed(&host, &EngineHost::closed);
    frame.closeWindow(true);
    host.close();
    // Not the spy's own wait: that one gives up at once in a test that has failed.
    if (!QTest::qWaitFor([&] { return !closed.isEmpty(); }, 10'000))
        qFatal("The engine did not close within 10 s.");
}

void Desk::show()
{
    frame.show();
    if (!QTest::qWaitForWindowExposed(&frame))
        qFatal("The window did not show.");
    frame.activateWindow();
    if (!QTest::qWaitForWindowActive(&frame))
        qWarning("The window did not become active.");
    settle();
}

void Desk::openEngine()
{
    host.open();
    const bool opened = QTest::qWaitFor([this] { return context.engine() || context.engineError(); }, 20'000);
    if (!opened || context.engineError())
        qFatal("The engine did not open: %s",
               context.engineError() ? qPrintable(context.engineError()->message.english()) : "it takes too long");
    // The doctor looks shortly after the start; what it finds is part of the picture.
    if (const Page *doctor = frame.page(QStringLiteral("doctor")))
        (void)QTest::qWaitFor([doctor] { return !doctor->status().isEmpty(); }, 20'000);
    Notifications &notifications = context.notifications();
    const QList<Note> banners = notifications.banners();
    for (const Note &banner : banners) {
        if (banner.dismissible) {
            sentAway.append(banner);
            notifications.clearBanner(banner.id);
            Q_EMIT notifications.bannerDismissed(banner.id);
        }
    }
    settle();
}

void Desk::runExample()
{
    if (!frame.page(QStringLiteral("bench")))
        return;
    // A copy, which this user may write.
    const QString file = home.filePath(QStringLiteral("hello.py"));
    if (!QFile::copy(QStringLiteral(GLOVEBOX_SOURCE_DIR "/resources/examples/hello.py"), file)
        || !QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner))
        qFatal("The example can't be copied.");
    frame.openFiles({file});
    settle();
    if (!context.actions().trigger(QStringLiteral("bench.run")))
        return;
    (void)QTest::qWaitFor([this] { return !frame.page(QStringLiteral("bench"))->closingEnds().isEmpty(); }, 2'000);
    (void)QTest::qWaitFor([this] { return frame.page(QStringLiteral("bench"))->closingEnds().isEmpty(); }, 20'000);
    QTest::qWait(200);
}

void Desk::walk(const std::function<void(const QString &, const Page &)> &look)
{
    for (const auto &page : frame.pages()) {
        frame.showPage(page->id());
        settle();
        look(page->id(), *page);
    }
    const auto shown = [&](const char *name, const char *pageId) {
        settle();
        look(QString::fromLatin1(name), *frame.page(QString::fromLatin1(pageId)));
    };
    frame.showPage(QStringLiteral("bench"));
    for (const auto &[action, name] : {std::pair("bench.language", "bench-sheet-language"),
                                       {"bench.limit.cpushare", "bench-sheet-limit"},
                                       {"bench.limits", "bench-sheet-limits"},
                                       {"bench.hosts", "bench-sheet-hosts"},
                                       {"bench.secrets", "bench-sheet-secrets"},
                                       {"bench.session", "bench-sheet-session"},
                                       {"bench.folders", "bench-sheet-folders"},
                                       {"bench.arguments", "bench-sheet-start"},
                                       {"bench.terminal", "bench-sheet-terminal"}}) {
        context.actions().trigger(QString::fromLatin1(action));
        shown(name, "bench");
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    }
    const auto &tab = *qobject_cast<BenchPage *>(frame.page(QStringLiteral("bench")))->current();
    auto *word = tab.findChild<QWidget *>(QStringLiteral("bench.policy.hosts"));
    new AllowSheet(theme, word, QStringLiteral("collect.example.net:8080")); // its own owner
    shown("bench-sheet-allow", "bench");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    changeFiles();
    shown("bench-filled-changes", "bench");

    const auto keep = [this](const char *name, const char *note, const SecretLimits &limits) {
        if (context.engine()->vault().info(QString::fromLatin1(name)))
            return; // walked here before
        const Caller caller{.kind = Caller::Kind::Workbench, .pid = 1, .program = {}, .claimed = {}};
        if (!context.engine()->vault().add(QString::fromLatin1(name), QString::fromLatin1(note), limits,
                                           SecretValue::copyOf("not shown"), caller, Patience()))
            qFatal("%s can't be kept.", name);
    };
    keep("RATES_API_KEY", "Rates of the central bank", {.hosts = QStringList{QStringLiteral("rates.example.org:443")}});
    keep("DATABASE_URL", "", {.languages = {QStringLiteral("python")}, .hosts = QStringList()});
    frame.showPage(QStringLiteral("vault"));
    auto *secrets = frame.findChild<QTreeView *>(QStringLiteral("vault.list"));
    if (!QTest::qWaitFor([&] { return secrets->model()->rowCount() == 2; }, 10'000))
        qFatal("The vault shows no secrets.");
    secrets->setCurrentIndex(secrets->model()->index(1, 0));
    shown("vault-filled", "vault");
    context.actions().trigger(QStringLiteral("vault.add"));
    shown("vault-form", "vault");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);

    keepSessions();
    shown("sessions-filled", "sessions");
    context.actions().trigger(QStringLiteral("sessions.rollback"));
    if (!QTest::qWaitFor(
            [this] {
                const auto *yes = frame.findChild<QWidget *>(QStringLiteral("sessions.snapshots.yes"));
                return yes && yes->isVisible() && yes->isEnabled();
            },
            10'000))
        qFatal("The page doesn't say what going back changes.");
    shown("sessions-rollback", "sessions");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    context.actions().trigger(QStringLiteral("sessions.add"));
    shown("sessions-form", "sessions");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);

    frame.showPage(QStringLiteral("bench"));
    context.actions().trigger(QStringLiteral("bench.secrets"));
    const auto lend = [this] { return frame.findChild<QCheckBox *>(QStringLiteral("bench.secrets.name2")); };
    if (!QTest::qWaitFor([&] { return lend() != nullptr; }, 10'000))
        qFatal("The bench shows no secrets.");
    if (!lend()->isChecked())
        lend()->click();
    shown("bench-sheet-secrets-lent", "bench");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);

    frame.showPage(QStringLiteral("doctor"));
    auto *attacks = frame.findChild<AttackPanel *>();
    for (const Attack &attack : allAttacks()) {
        const bool isUnknown = attack.id == u"connect";
        attacks->take(
            {.attack = attack,
             .verdict = isUnknown ? AttackResult::Verdict::NoEvidence : AttackResult::Verdict::Held,
             .detail = Text(isUnknown ? "No server could be opened to try it with." : "No process of it is left."),
             .controlled = attack.id == u"leave-process"});
    }
    settle();
    frame.findChild<QScrollArea *>(QStringLiteral("doctor"))->ensureWidgetVisible(attacks, 0, 0);
    shown("doctor-filled-attacks", "doctor");

    frame.showPage(QStringLiteral("settings"));
    settle();
    context.tellSettings(Error{ErrorCode::InvalidInput,
                               Text(QT_TRANSLATE_NOOP("engine", "%1 must be a whole number without quotes."),
                                    {QStringLiteral("/home/ada/.config/glovebox/settings.json: run.memory_mb")}),
                               {}});
    shown("settings-broken", "settings");
    context.tellSettings(std::nullopt);
    auto *field = frame.findChild<QLineEdit *>(QStringLiteral("settings.run.wall-seconds"));
    field->setFocus(Qt::TabFocusReason);
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("1 year"));
    QTest::keyClick(field, Qt::Key_Return);
    shown("settings-refused", "settings");
    QTest::keyClick(field, Qt::Key_Escape);

    frame.showPage(QStringLiteral("agents"));
    askTheAgentsWay();
    shown("agents-approval", "agents");
    context.actions().trigger(QStringLiteral("agents.later"));
    shown("agents-waiting", "agents");
    for (const Inbox::Ask &ask : context.inbox().contents().asks)
        context.inbox().withdraw(ask.request.run);
    settle();
}

// Two runs that want more than usual.
void Desk::askTheAgentsWay()
{
    ApprovalRequest request;
    request.caller = {.kind = Caller::Kind::Mcp,
                      .pid = 48213,
                      .program = QStringLiteral("/usr/bin/codex"),
                      .claimed = QStringLiteral("Codex"),
                      .way = Caller::Way::Stdio,
                      .pairing = QStringLiteral("p"),
                      .connection = QStringLiteral("c")};
    request.language = QStringLiteral("python");
    request.code = "import pandas as pd\nimport requests\n\n# \xe2\x80\xae how many issues\n"
                   "labels = requests.get(\"https://api.github.com/repos/acme/shop/labels\").json()\n"
                   "print(len(labels))\n";
    request.codeDigest = sha256({request.code});
    request.policy.allow = {QStringLiteral("api.github.com:443")};
    request.policy.limits.wall *= 3;
    request.secrets = {{QStringLiteral("GITHUB"), {}, false}};
    request.files = {{"orders.csv", "a,b"}};
    for (const char *run : {"first", "second"}) {
        request.run = QString::fromLatin1(run);
        request.wants = wantsOf(request, {});
        context.inbox().ask(request, [](const ApprovalDecision &) { });
        request.policy.allow.clear();
    }
    auto *later = frame.findChild<QWidget *>(QStringLiteral("agents.approval.later"));
    if (!QTest::qWaitFor(
            [&] {
                later = frame.findChild<QWidget *>(QStringLiteral("agents.approval.later"));
                return later && later->isVisible();
            },
            10'000))
        qFatal("Nobody is asked.");
    context.actions().trigger(QStringLiteral("agents.answer"));
    const auto *deny = frame.findChild<QWidget *>(QStringLiteral("agents.approval.deny"));
    if (!deny || !QTest::qWaitFor([&] { return deny->isEnabled(); }, 10'000))
        qFatal("The buttons of the question don't answer.");
}

// One session with some states, of which an earlier one is chosen, and one that is nearly full.
void Desk::keepSessions()
{
    Engine &engine = *context.engine();
    const auto make = [&](const char *name, qint64 diskBytes) {
        const auto known = engine.sessions().find(QString::fromLatin1(name)); // walked here before
        const auto made = known ? known
                                : engine.createSession({.name = QString::fromLatin1(name),
                                                        .diskBytes = diskBytes,
                                                        .allow = {QStringLiteral("api.example.org:443")}},
                                                       engine.caller());
        if (!made)
            qFatal("%s can't be made.", name);
        return *made;
    };
    const auto put = [&](const Session &session, const char *path, const QByteArray &content) {
        const QString given = folder.filePath(QStringLiteral("given"));
        QFile file(given);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("%s can't be written.", qPrintable(given));
        file.close();
        const auto changed =
            engine.changeSession(session.id, PutFile{.hostPath = given, .path = path}, engine.caller());
        if (!changed)
            qFatal("%s can't be put into the session: %s", path, qPrintable(changed.error().message.english()));
    };
    const Session full = make("scrape-test", 16 * mebibyte);
    if (full.now().files == 0)
        put(full, "pages.bin", QByteArray(13 * mebibyte, 'p'));
    const Session shop = make("shop", 256 * mebibyte);
    if (shop.now().files == 0) {
        const QString data = folder.filePath(QStringLiteral("data"));
        if (!QDir().mkpath(data))
            qFatal("%s can't be made.", qPrintable(data));
        QFile orders(data + QStringLiteral("/orders-2026-10.csv"));
        if (!orders.open(QIODevice::WriteOnly) || orders.write("a,b\n1,2\n") < 0)
            qFatal("The orders can't be written.");
        orders.close();
        if (!engine.changeSession(shop.id, PutFile{.hostPath = data, .path = "data"}, engine.caller()))
            qFatal("The folder can't be put into the session.");
        put(shop, "summary.md", "## Open issues by week\nLast week: 5 new, 9 closed.\n");
        if (!engine.changeSession(shop.id, LabelSnapshot{QStringLiteral("clean import")}, engine.caller()))
            qFatal("The snapshot can't be named.");
        put(shop, "summary.md",
            "## Open issues by week\nLast week: 8 new, 6 closed.\nLongest open: #806, 7 comments.\n");
        put(shop, "fetch.py", QByteArray(1200, '#'));
    }
    context.navigateTo(QStringLiteral("sessions"), {{QStringLiteral("session"), shop.id}});
    auto *snapshots = frame.findChild<QTreeView *>(QStringLiteral("sessions.snapshots"));
    if (!QTest::qWaitFor([&] { return snapshots->model()->rowCount() == 5; }, 10'000))
        qFatal("The page shows no snapshots.");
    snapshots->setCurrentIndex(snapshots->model()->index(2, 0));
    settle();
}

// A run changes a file in the copy of a folder, adds another, and plants two that have a reason beside them.
void Desk::changeFiles()
{
    QFile file(folder.filePath(QStringLiteral("notes.txt")));
    if (!file.open(QIODevice::WriteOnly) || file.write("one\ntwo\nthree\n") < 0)
        qFatal("%s can't be written.", qPrintable(file.fileName()));
    file.close();
    auto *bench = qobject_cast<BenchPage *>(frame.page(QStringLiteral("bench")));
    context.actions().trigger(QStringLiteral("bench.new"));
    BenchTab *tab = bench->current();
    Policy policy = tab->policy().policy();
    policy.folders = {{folder.path(), QStringLiteral("/work/src"), FolderGrant::Mode::Stage}};
    tab->setPolicy(policy);
    tab->editor().setText(QStringLiteral("cd src && sed -i s/two/zwei/ notes.txt && echo new > more.txt\n"
                                         "echo 'all: ; id' > Makefile && ln -s /etc/passwd accounts\n"),
                          true);
    tab->chooseLanguage(QStringLiteral("sh"));
    tab->run(false);
    const RunTab *changes = tab->runs().tab(QStringLiteral("changes"));
    if (!QTest::qWaitFor([&] { return changes->title().contains(QLatin1Char('4')); }, 30'000))
        qFatal("No changes are shown.");
    tab->runs().showTab(QStringLiteral("changes"));
    QTest::qWait(300); // the difference is made in the background
}

QImage Desk::image() const
{
    return frame.screen()->grabWindow(frame.winId()).toImage();
}

bool Desk::save(const QString &name)
{
    settle();
    const QImage image = this->image();
    const QString room =
        qEnvironmentVariable("GLOVEBOX_TEST_SCREENS", QStringLiteral(GLOVEBOX_BUILD_DIR "/screens")) + u'/';
    // With the quickest compression, as the usual one took a quarter of a test's time.
    if (image.isNull() || !QDir().mkpath(room) || !image.save(room + name + QStringLiteral(".png"), "PNG", 85))
        return false;
    constexpr qsizetype handful = 20;
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width() && colours.size() <= handful; x += 3)
            colours.insert(image.pixel(x, y));
    }
    return colours.size() > handful;
}

void Desk::settle()
{
    // A page that is made in turns is whole.
    const auto isBeingMade = [] {
        for (const QWidget *window : QApplication::topLevelWidgets()) {
            const auto *frame = qobject_cast<const Frame *>(window);
            for (qsizetype i = 0; frame && i < std::ssize(frame->pages()); ++i) {
                for (const QTimer *timer : frame->pages()[i]->findChildren<QTimer *>(Qt::FindDirectChildrenOnly)) {
                    if (timer->isActive() && timer->interval() == 0)
                        return true;
                }
            }
        }
        return false;
    };
    QTRY_VERIFY(!isBeingMade());
    for (int i = 0; i < 3; ++i) {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
    }
    QTest::qWait(30);
}

QList<QWidget *> visibleWidgets(QWidget *window)
{
    QList<QWidget *> found;
    const auto all = window->findChildren<QWidget *>();
    for (QWidget *widget : all) {
        if (!widget->isVisible() || widget->window() != window || widget->visibleRegion().isEmpty())
            continue;
        // Scroll bars' containers, fields of spin boxes, viewports; but not what is in a viewport.
        bool internal = widget->objectName().startsWith(QLatin1StringView("qt_"));
        for (const QWidget *w = widget->parentWidget(); w && w != window; w = w->parentWidget())
            internal = internal
                       || (w->objectName().startsWith(QLatin1StringView("qt_"))
                           && w->objectName() != QLatin1StringView("qt_scrollarea_viewport"));
        if (!internal)
            found.append(widget);
    }
    return found;
}

QString describe(const QWidget *widget)
{
    QString text = QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ')
                   + (widget->objectName().isEmpty() ? QStringLiteral("(no name)") : widget->objectName());
    for (const QWidget *parent = widget->parentWidget(); parent; parent = parent->parentWidget()) {
        if (!parent->objectName().isEmpty())
            return text + QStringLiteral(" in ") + parent->objectName();
    }
    return text;
}

} // namespace glovebox
