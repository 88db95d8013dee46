// SPDX-License-Identifier: Apache-2.0
// A person's place at an editor alone: a pane for Python in a window that is active.
#pragma once

#include "app/workbench/editor/editorpane.h"
#include "app/workbench/editor/typing/completion.h"
#include "app/workbench/editor/typing/wordindex.h"

#include <QTemporaryDir>
#include <QTest>

#include <ctime>
#include <memory>

namespace glovebox {

class EditorSeat
{
protected:
    void showWindow()
    {
        m_window.resize(800, 500);
        m_window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_window, 20'000));
        m_window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window, 20'000));
    }
    void sitDown()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_theme = std::make_unique<Theme>();
        const auto below = [this](const char *name) { return m_folder->filePath(QLatin1StringView(name)); };
        m_context = std::make_unique<WorkbenchContext>(
            Paths{below("data"), below("config"), below("run"), below("libexec")}, *m_theme);
        m_pane = std::make_unique<EditorPane>(*m_context, &m_window);
        m_pane->resize(m_window.size());
        m_pane->show();
        editor().setLanguage(QStringLiteral("python"), {});
        editor().setFocus();
    }
    // What is offered while a person types is known without a run: the text's words, and the language's.
    void sitDownWithWords()
    {
        sitDown();
        list().setSource([this](const QString &) { return editor().words().words() + editor().keywords(); });
    }
    void leave()
    {
        m_context->pool().waitForDone();
        m_context->reading().waitForDone();
        m_pane.reset();
        m_context.reset();
        m_theme.reset();
    }
    // Used by this thread: other programs might have the processors meanwhile.
    static double cpuMilliseconds()
    {
        timespec used{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        return double(used.tv_sec) * 1000 + double(used.tv_nsec) / 1e6;
    }
    CodeEditor &editor() { return m_pane->editor(); }
    Completion &list() { return editor().completion(); }

    QWidget m_window;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<WorkbenchContext> m_context;
    std::unique_ptr<EditorPane> m_pane;
};

} // namespace glovebox
