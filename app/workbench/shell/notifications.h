// SPDX-License-Identifier: Apache-2.0
// What the workbench has to say without being asked: notes that pass and banners that stay. Neither ever takes the focus.
#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include <functional>

namespace glovebox {

enum class Tone { Info, Ok, Warn, Bad };

// A way out, shown as a link after the sentence.
struct Remedy
{
    QString text; // "Open the doctor"
    std::function<void()> run;
};

struct Note
{
    QString id; // the same id replaces; empty: a new one each time
    Tone tone = Tone::Info;
    QString text; // what happened, what was not lost, what to do
    QString brief = {}; // banners only: is shown where the text would take more than two lines; empty: the text is
    QString detail; // the exact cause; shown on demand, may be empty
    QList<Remedy> remedies;
    bool dismissible = false; // banners only: the person may send it away (bannerDismissed())
    bool stays = false; // until dismissed; else 8 s, and longer while the pointer or the focus is on it
};

// Lives on the GUI thread. Views (banner and note areas of the frame) follow changed().
class Notifications : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    // Above the status bar, newest below. A note of mere success gives way to the next one, and the same
    // sentence is there once.
    void show(Note note);
    void dismiss(const QString &id);
    void clear(); // all notes; banners stay
    // Across the top of the window until cleared: for states, not for happenings. One line.
    void setBanner(Note banner);
    void clearBanner(const QString &id);

    const QList<Note> &notes() const { return m_notes; }
    const QList<Note> &banners() const { return m_banners; }

Q_SIGNALS:
    void changed();
    void bannerDismissed(const QString &id); // by the person

private:
    QList<Note> m_notes;
    QList<Note> m_banners;
    int m_nextId = 0;
};

} // namespace glovebox
