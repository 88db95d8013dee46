// SPDX-License-Identifier: Apache-2.0
// What every page gets: the services of the workbench, as references. There are no singletons.
#pragma once

#include "actions.h"
#include "background.h"
#include "notifications.h"
#include "stash/stash.h"
#include "theme.h"
#include "words/words.h"

#include "engine/engine.h"

#include <QJsonObject>
#include <QMap>
#include <QObject>
#include <QThreadPool>

#include <optional>

namespace glovebox {

// Lives on the GUI thread, longer than every page.
class WorkbenchContext : public QObject
{
    Q_OBJECT
public:
    WorkbenchContext(Paths paths, Theme &theme, QObject *parent = nullptr);
    ~WorkbenchContext() override;

    const Paths &paths() const { return m_paths; }
    Theme &theme() { return m_theme; }
    ActionRegistry &actions() { return m_actions; }
    Notifications &notifications() { return m_notifications; }
    StashStore &stash() { return m_stash; }
    Inbox &inbox() { return *m_inbox; } // asks and programs that wait for the person
    std::shared_ptr<Approver> approver() const { return m_inbox; } // for the engine
    QThreadPool &pool() { return m_pool; } // for inBackground(); finished before the engine goes

    // For reading files that the person names, which may be on a server that is gone: what goes on for long when the program ends is
    // given up. So nothing writes there.
    QThreadPool &reading() { return m_reading; }
    // For work of minutes, each a thread of its own, that whoever began it cancels when the engine closes. Finished before the engine
    // shuts down, so that it can take away what it left.
    QThreadPool &lastingWork() { return m_lastingWork; }

    // Null until Page::engineReady() and from Page::engineClosing() on. settings() are the engine's.
    Engine *engine() const { return m_engine; }
    Settings *settings() const { return m_engine ? &m_engine->settings() : nullptr; }
    // work(Engine &) runs in the background, then(result) on the GUI thread unless receiver is gone by then. Without an engine
    // nothing happens.
    template<typename Work, typename Then> void withEngine(QObject *receiver, Work work, Then then)
    {
        if (m_engine)
            inBackground(
                m_pool, receiver, [&engine = *m_engine, work = std::move(work)] { return work(engine); },
                std::move(then));
    }
    // What goes on when the widget that began it is gone, each as a sentence about what closing the window does to it.
    void beginDeed(const QString &sentence) { ++m_deeds[sentence]; }
    void endDeed(const QString &sentence);
    QStringList deeds() const { return m_deeds.keys(); }
    // Whether runs can start, and why not; as it was last seen when there is no engine.
    const Readiness &readiness() const { return m_readiness; }
    void lookAgain(); // readinessChanged() follows
    std::optional<Error> engineError() const { return m_engineError; } // it could not be opened
    // The settings file can't be used as it is: what was set before stays in force, or the engine could not be opened.
    std::optional<Error> settingsError() const { return m_settingsError; }

    // Shows a page and hands it a request: navigateTo("bench", {{"code", text}, {"language", "python"}}).
    void navigateTo(const QString &pageId, const QJsonObject &request = {})
    {
        Q_EMIT navigationRequested(pageId, request);
    }

    void retryEngine() { Q_EMIT engineWanted(); }

    // The frame's and the program's business: the engine came, failed, or is about to go.
    void setEngine(Engine *engine);
    void setEngineError(const Error &error);
    // Who reads or writes the settings file tells what came of it.
    void tellSettings(const std::optional<Error> &error);

Q_SIGNALS:
    void navigationRequested(const QString &pageId, const QJsonObject &request);
    void engineChanged();
    void readinessChanged();
    void engineWanted(); // try to open it again
    void settingsChanged(); // by this program; or whether the file can be used did

private:
    void takeReadiness();

    Paths m_paths;
    Theme &m_theme;
    ActionRegistry m_actions;
    Notifications m_notifications;
    StashStore m_stash;
    const std::shared_ptr<Inbox> m_inbox = std::make_shared<Inbox>();
    QThreadPool m_pool;
    QThreadPool m_reading;
    QThreadPool m_lastingWork;
    QMap<QString, int> m_deeds; // how many, by their sentences
    Engine *m_engine = nullptr;
    Readiness m_readiness;
    std::optional<Error> m_engineError;
    std::optional<Error> m_settingsError;
};

} // namespace glovebox
