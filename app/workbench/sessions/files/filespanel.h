// SPDX-License-Identifier: Apache-2.0
// The files of a session: put in, saved elsewhere, deleted.
#pragma once

#include "app/workbench/sessions/list/sessionstock.h"
#include "app/workbench/sessions/sessiondeeds.h"
#include "app/workbench/shell/copies/copiesfolder.h"
#include "filesmodel.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace glovebox {

class FileTree;

class FilesPanel : public QWidget
{
    Q_OBJECT
public:
    FilesPanel(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent = nullptr);

    // Reads its files when they may be others than those that are shown.
    void setSession(const ShownSession &shown);
    bool hasFile() const; // one is current
    bool canChange() const; // nobody uses it now
    void putFiles();
    void putFolder();
    void save(); // the current file or folder, else all of it
    void askToRemove();
    bool withdraw(); // a question that is open; false: there is none
    QWidget *view() const;

Q_SIGNALS:
    void stateChanged(); // hasFile(), canChange()
    void asked(); // the person, who has to see it

private:
    struct Loaded
    {
        Result<FilesModel::Files> files;
        bool isChanged = false; // since the snapshot before
    };
    void makeHead();
    void read();
    void take(const Loaded &loaded);
    void setFiles(const FilesModel::Files &files);
    void put(const QStringList &paths, const QModelIndex &on);
    QString placeOfPut() const; // "/work/data/"
    std::function<void(const QStringList &)> putHere(); // paths of this machine
    void dragOut();
    void ask(const QString &question);
    void removeAsked();

    WorkbenchContext &m_context;
    SessionDeeds &m_deeds;
    ShownSession m_shown;
    FilesModel m_model;
    QLabel *m_summary;
    QLabel *m_remark; // instead of files
    FileTree *m_tree;
    QLabel *m_question;
    QWidget *m_answers;
    QPushButton *m_yes;
    QPushButton *m_no;
    QByteArray m_asked; // path of the file that the question is about
    int m_generation = 0; // late answers are dropped
    bool m_isLoaded = false;
    CopiesFolder m_copies; // for programs that files are dragged to
};

} // namespace glovebox
