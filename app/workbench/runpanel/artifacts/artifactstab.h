// SPDX-License-Identifier: Apache-2.0
// The files that a run left: the list, what each looks like, and where the person wants them.
#pragma once

#include "app/workbench/runpanel/runtab.h"
#include "app/workbench/shell/context.h"
#include "app/workbench/shell/copies/copiesfolder.h"
#include "artifactsmodel.h"

#include <atomic>
#include <functional>
#include <memory>

class QBoxLayout;
class QLabel;
class QPushButton;
class QSplitter;

namespace glovebox {

class FileList;
class PreviewView;

class ArtifactsTab : public RunTab
{
    Q_OBJECT
public:
    // pageId: "bench", "history".
    ArtifactsTab(WorkbenchContext &context, const QString &pageId, QWidget *parent = nullptr);
    ~ArtifactsTab() override; // what is being saved ends after the file that it is at

    QString id() const override { return QStringLiteral("artifacts"); }
    QString title() const override; // with their number
    bool needsLook() const override; // some are withheld
    void setRun(ShownRun *run) override;
    QString closingEnds() const override;
    void setArtifacts(const QString &run, QList<Artifact> artifacts, const QList<Text> &notKept,
                      const QString &whenEmpty); // notKept: sentences about files that aren't

    // These act on the selected file, or on all; dialogs are open()ed.
    void save();
    void saveAll();
    void verify();
    bool canSave() const;
    bool canSaveAll() const { return m_model.rowCount() > 0 && m_question == Question::None; }
    void openElsewhere(); // asks first, here
    void release(); // the same

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    enum class Question { None, Open, Release, Saving }; // the last can only be cancelled

    void makeBar();
    int currentRow() const;
    void showFile();
    void showSummary();
    void showButtons();
    void say(const QString &sentence, Colour colour);
    void ask(Question question, const QString &sentence, const QString &yes);
    void answer();
    void decline();
    void reallyOpen();
    void reallyRelease();
    void saveTo(const Artifact &artifact, const QString &file);
    void saveAllTo(const QString &run, const QList<Artifact> &artifacts, const QString &folder);
    // use: what is done with a copy of the selected file, for the person alone, that lasts as long as this tab.
    void withCopy(const std::function<void(const QString &file)> &use);
    void dragOut();
    QList<Artifact> artifacts() const;

    WorkbenchContext &m_context;
    ArtifactsModel m_model;
    const QString m_prefix;
    QBoxLayout *m_bar; // the summary and the buttons
    QLabel *m_summary;
    QPushButton *m_save;
    QPushButton *m_saveAll;
    QPushButton *m_verify;
    QPushButton *m_open;
    QPushButton *m_release;
    QPushButton *m_yes; // the answers to a question
    QPushButton *m_no;
    QSplitter *m_splitter;
    FileList *m_list;
    PreviewView *m_preview;
    CopiesFolder m_copies; // of files that were opened elsewhere or dragged, as long as the tab
    const std::shared_ptr<std::atomic<int>>
        m_wanted; // the number of the latest preview: earlier ones aren't made any more
    QString m_run; // whose files these are; empty: none
    QString m_whenEmpty;
    QStringList m_notKept; // sentences
    Question m_question = Question::None;
    std::shared_ptr<std::atomic<bool>> m_saving; // whether it is still wanted; null: nothing is being saved
    int m_savedFiles = 0; // so many are being saved
    int m_generation = 0; // of what is shown: late answers are dropped
};

} // namespace glovebox
