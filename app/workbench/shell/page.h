// SPDX-License-Identifier: Apache-2.0
// A page of the workbench: what the frame needs to know to give it a place in the rail, the stack and the status bar.
#pragma once

#include "icons.h"
#include "theme.h"

#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QString>

class QMenu;
class QWidget;

namespace glovebox {

// One text in the status bar.
struct StatusItem
{
    QString id; // "position"; objectName is "status." + id
    QString text;
    Colour colour = Colour::Dim;
    bool trailing = false; // at the end of the bar: "Ln 11, Col 8"
    QString action; // id of the action that a click triggers; empty: just text
    QString description; // for screen readers and the tool tip, where text is short: "Line 11, column 8"

    bool operator==(const StatusItem &) const = default;
};

// Lives on the GUI thread. Made with a WorkbenchContext& before the engine is open; adds its actions in its constructor.
class Page : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    virtual QString id() const = 0; // "bench": first part of its object names and action ids
    virtual QString title() const = 0; // translated
    virtual Icon icon() const = 0;
    virtual bool isAtRailEnd() const { return false; } // apart from the others, at the bottom
    // The page's widget, made at the first call. The frame's stack owns it from then on. All focusable widgets in it have
    // an accessible name and an object name "<page id>.<part>".
    virtual QWidget *widget() = 0;

    // Shown from now on; puts the focus where the person goes on working. It is called for the person's own navigation only.
    virtual void activate() { }
    virtual void deactivate() { }

    // Its parts, as they are read: F6 goes from one to the next, Tab through what is in them only. Empty: it has one.
    virtual QList<QWidget *> areas() const { return {}; }

    // context.engine() is there from now on. Called once, before or after widget().
    virtual void engineReady() { }
    // Windows are closing and the engine follows: drop engine references (handles, readers), start nothing new.
    virtual void engineClosing() { }

    virtual QList<StatusItem> status() const { return {}; }
    // What waits for the person here: a number on the rail.
    virtual int waiting() const { return 0; }

    // What other pages ask for by WorkbenchContext::navigateTo(); each page says in its header which keys it knows.
    virtual void navigate(const QJsonObject &request) { Q_UNUSED(request) }
    // Files from the command line, another program or a drop; absolute paths. False: not my kind of thing.
    virtual bool openFiles(const QStringList &paths)
    {
        Q_UNUSED(paths)
        return false;
    }

    // Sizes and choices that come back at the next start. Not for content: that is StashStore's.
    virtual QJsonObject saveState() const { return {}; }
    virtual void restoreState(const QJsonObject &state) { Q_UNUSED(state) }

    // Adds to the window's menu what is opened and kept here, as it is now.
    virtual void fillMenu(QMenu &menu) { Q_UNUSED(menu) }

    // Unsaved work goes to the stash now (the window closes, or the session ends).
    virtual void stashUnsaved() { }
    // What closing the window would end, as a sentence ("2 runs are going on; closing stops them."); empty: nothing. The
    // frame then asks, without blocking. Unsaved text is a reason only where the stash has trouble: when this is called, it
    // was asked to keep all of it, and is done.
    virtual QString closingEnds() const { return {}; }

Q_SIGNALS:
    void statusChanged();
    void titleChanged();
    void waitingChanged();
};

} // namespace glovebox
