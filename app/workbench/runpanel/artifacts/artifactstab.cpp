// SPDX-License-Identifier: Apache-2.0
#include "artifactstab.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"
#include "app/workbench/shell/words/words.h"
#include "filelist.h"
#include "preview.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDrag>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int narrowTab = 720; // px at which the preview goes below the list, and the buttons below the summary
constexpr int narrowList = 560; // px at which the types go
constexpr int measuredRows = 50; // for the widths of columns: all 1,000 that a run may leave take 0.1 s

// The last part of its path, as a name to save it under.
QString fileNameOf(const Artifact &artifact)
{
    QString name = artifact.path.section(u'/', -1);
    for (QChar &character : name) {
        if (isHiddenCharacter(character.unicode()) || character == u'\n' || character == u'\r' || character == u'\t')
            character = u'_';
    }
    return name;
}

} // namespace

ArtifactsTab::ArtifactsTab(WorkbenchContext &context, const QString &pageId, QWidget *parent)
    : RunTab(parent)
    , m_context(context)
    , m_model(context.theme())
    , m_prefix(pageId + u".artifacts."_s)
    , m_bar(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_summary(makeLabel({}, this, FontRole::Base, Colour::Dim))
    , m_save(new QPushButton(tr("Save…"), this))
    , m_saveAll(new QPushButton(tr("Save all…"), this))
    , m_verify(new QPushButton(tr("Verify"), this))
    , m_open(new QPushButton(tr("Open elsewhere…"), this))
    , m_release(new QPushButton(tr("Release…"), this))
    , m_yes(new QPushButton(this))
    , m_no(new QPushButton(tr("Not now"), this))
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_list(new FileList(m_splitter))
    , m_preview(new PreviewView(context.theme(), m_prefix + u"preview."_s, m_splitter))
    , m_wanted(std::make_shared<std::atomic<int>>(0))
{
    setBackground(this, Colour::Panel);
    auto *layout = columnIn(this, 0);
    makeBar();
    showRows(m_list, &m_model);
    setNames(m_list, m_prefix + u"list"_s, tr("Files that the run left"));
    setFocusProxy(m_list);
    m_list->setTextElideMode(Qt::ElideMiddle); // of paths the last part tells most
    auto *header = m_list->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setResizeContentsPrecision(measuredRows);
    header->setSectionResizeMode(ArtifactsModel::Name, QHeaderView::Stretch);
    header->setMinimumSectionSize(context.theme().scaled(narrowList / 10));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizes({560, 560});
    layout->addWidget(m_splitter, 1000);
    layout->addStretch(1); // what is there without a list stands at the top

    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        if (!m_saving)
            ask(Question::None, {}, {});
        showFile();
    });
    connect(&context, &WorkbenchContext::engineChanged, this, [this] {
        if (m_saving && !m_context.engine())
            *m_saving = false;
        showFile(); // the record may be shown before
    });
    connect(m_list, &FileList::dragged, this, &ArtifactsTab::dragOut);
    ArtifactsTab::setRun(nullptr);
}

ArtifactsTab::~ArtifactsTab()
{
    if (m_saving)
        *m_saving = false;
}

void ArtifactsTab::makeBar()
{
    m_bar->setContentsMargins(Space::l, Space::s, Space::l, Space::s);
    m_bar->setSpacing(Space::s);
    m_summary->setObjectName(m_prefix + u"summary"_s);
    m_bar->addWidget(m_summary, 1);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(Space::s);
    m_bar->addLayout(buttons);
    const auto add = [&](QPushButton *button, const QString &name, void (ArtifactsTab::*act)()) {
        setNames(button, m_prefix + name, button->text());
        buttons->addWidget(button, 0, Qt::AlignTop);
        connect(button, &QPushButton::clicked, this, act);
    };
    add(m_save, u"save"_s, &ArtifactsTab::save);
    add(m_saveAll, u"saveall"_s, &ArtifactsTab::saveAll);
    add(m_verify, u"verify"_s, &ArtifactsTab::verify);
    add(m_open, u"open"_s, &ArtifactsTab::openElsewhere);
    add(m_release, u"release"_s, &ArtifactsTab::release);
    add(m_yes, u"really"_s, &ArtifactsTab::answer);
    add(m_no, u"keep"_s, &ArtifactsTab::decline);
    buttons->addStretch(1);
    static_cast<QVBoxLayout *>(layout())->addLayout(m_bar);
}

QString ArtifactsTab::title() const
{
    return m_model.rowCount() > 0 ? tr("Files · %L1").arg(m_model.rowCount()) : tr("Files");
}

bool ArtifactsTab::needsLook() const
{
    return std::ranges::any_of(m_model.rows(), [](const ShownArtifact &shown) { return shown.artifact.isWithheld(); });
}

QString ArtifactsTab::closingEnds() const
{
    return m_saving
               ? tr("%Ln file(s) of a run are being saved; closing leaves out those that aren't yet.", "", m_savedFiles)
               : QString();
}

bool ArtifactsTab::canSave() const
{
    return currentRow() >= 0 && m_question == Question::None && !m_model.row(currentRow()).artifact.isWithheld();
}

void ArtifactsTab::setRun(ShownRun *run)
{
    const auto result = run ? run->result() : nullptr;
    if (result)
        setArtifacts(result->id, result->artifacts, whyNotKept(result->events),
                     tr("The run left no files in /work that are kept."));
    else
        setArtifacts({}, {}, {},
                     run ? tr("Files that the run leaves in /work are listed here when it has ended.")
                         : tr("Files that a run leaves in /work are kept and listed here."));
}

void ArtifactsTab::setArtifacts(const QString &run, QList<Artifact> artifacts, const QList<Text> &notKept,
                                const QString &whenEmpty)
{
    std::ranges::sort(artifacts, [](const Artifact &one, const Artifact &other) {
        return comesBefore(one.path.toUtf8(), other.path.toUtf8());
    });
    const bool isSame = run == m_run && std::ranges::equal(m_model.rows(), artifacts, {}, &ShownArtifact::artifact);
    m_whenEmpty = whenEmpty;
    m_notKept.clear();
    for (const Text &sentence : notKept)
        m_notKept.append(withHiddenShown(translated(sentence)));
    if (!isSame) {
        ++m_generation;
        m_run = run;
        QList<ShownArtifact> rows;
        for (const Artifact &artifact : std::as_const(artifacts))
            rows.append({artifact, {}});
        m_model.setRows(rows);
        m_splitter->setVisible(!rows.isEmpty());
        if (!rows.isEmpty())
            m_list->setCurrentIndex(m_model.index(0, 0));
        Q_EMIT titleChanged();
    }
    showSummary();
}

int ArtifactsTab::currentRow() const
{
    return m_list->currentIndex().isValid() ? m_list->currentIndex().row() : -1;
}

void ArtifactsTab::showSummary()
{
    if (m_saving) // of whichever run
        return;
    ask(Question::None, {}, {});
    qint64 bytes = 0;
    for (const ShownArtifact &shown : m_model.rows())
        bytes += shown.artifact.bytes;
    QStringList sentences;
    if (m_model.rowCount() == 0)
        sentences << m_whenEmpty;
    else
        sentences << tr("%Ln file(s), %1 together, as the run left them.", "", m_model.rowCount()).arg(sizeWord(bytes));
    for (const QString &sentence : std::as_const(m_notKept))
        sentences << u"▲ "_s + sentence;
    say(sentences.join(u'\n'), m_notKept.isEmpty() ? Colour::Dim : Colour::Warn);
}

void ArtifactsTab::say(const QString &sentence, Colour colour)
{
    m_summary->setText(sentence);
    setTextColour(m_summary, colour);
}

void ArtifactsTab::showButtons()
{
    const int row = currentRow();
    const bool isAsked = m_question != Question::None;
    const bool isWithheld = row >= 0 && m_model.row(row).artifact.isWithheld();
    const bool hasFiles = m_model.rowCount() > 0;
    m_save->setVisible(row >= 0 && !isAsked && !isWithheld);
    m_open->setVisible(row >= 0 && !isAsked && !isWithheld);
    m_release->setVisible(isWithheld && !isAsked);
    m_saveAll->setVisible(hasFiles && !isAsked);
    m_verify->setVisible(hasFiles && !isAsked);
    m_yes->setVisible(isAsked && m_question != Question::Saving);
    m_no->setVisible(isAsked);
    m_context.actions().refresh();
}

void ArtifactsTab::ask(Question question, const QString &sentence, const QString &yes)
{
    m_question = question;
    if (question != Question::None) {
        say(sentence, Colour::Warn);
        m_yes->setText(yes);
        m_yes->setAccessibleName(yes);
        m_no->setText(question == Question::Saving ? tr("Cancel") : tr("Not now"));
        m_no->setAccessibleName(question == Question::Saving ? tr("Cancel saving") : m_no->text());
    }
    const bool hadFocus = m_yes->hasFocus() || m_no->hasFocus();
    showButtons();
    if (question != Question::None)
        m_no->setFocus();
    else if (hadFocus) // no button gets the keyboard because another one went
        m_list->setFocus();
}

void ArtifactsTab::showFile()
{
    showButtons();
    const int row = currentRow();
    const int number = ++*m_wanted;
    m_preview->show(Preview());
    if (row < 0)
        return;
    m_context.withEngine(
        this,
        [artifact = m_model.row(row).artifact, wanted = m_wanted, number](Engine &engine) {
            return *wanted == number ? previewOf(engine, artifact) : Preview();
        },
        [this, number](const Preview &preview) {
            if (*m_wanted == number)
                m_preview->show(preview);
        });
}

QList<Artifact> ArtifactsTab::artifacts() const
{
    QList<Artifact> all;
    for (const ShownArtifact &shown : m_model.rows())
        all.append(shown.artifact);
    return all;
}

// --- what the person wants of them

void ArtifactsTab::save()
{
    if (currentRow() < 0)
        return;
    auto *dialog = new QFileDialog(this, tr("Save this file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // nothing is ever replaced
    const Artifact artifact = m_model.row(currentRow()).artifact; // whichever is selected when the dialog ends
    dialog->selectFile(fileNameOf(artifact));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, artifact](const QString &file) { saveTo(artifact, file); });
    dialog->open();
}

void ArtifactsTab::saveTo(const Artifact &artifact, const QString &file)
{
    m_context.withEngine(
        this, [file, artifact](Engine &engine) { return saveArtifact(engine.store(), artifact, file); },
        [this, file](const Status &saved) {
            say(saved ? tr("Saved as %1.").arg(file) : withHiddenShown(translated(saved.error().message)),
                saved ? Colour::Ok : Colour::Warn);
        });
}

void ArtifactsTab::saveAll()
{
    auto *dialog = new QFileDialog(this, tr("Save all files in a new folder of this one"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, run = m_run, files = artifacts()](const QString &folder) { saveAllTo(run, files, folder); });
    dialog->open();
}

void ArtifactsTab::saveAllTo(const QString &run, const QList<Artifact> &artifacts, const QString &folder)
{
    if (m_saving || !m_context.engine())
        return;
    constexpr qsizetype shortId = 13; // the time in milliseconds: enough to tell runs apart
    const QString place = folder + u"/run-"_s + run.first(std::min(shortId, run.size()));
    m_saving = std::make_shared<std::atomic<bool>>(true);
    m_savedFiles = int(artifacts.size());
    ask(Question::Saving, tr("Saving %Ln file(s) in %1…", "", m_savedFiles).arg(place), {});
    m_context.withEngine(
        this,
        [artifacts, place, wanted = m_saving](Engine &engine) {
            return saveArtifacts(engine.store(), artifacts, place, [wanted] { return wanted->load(); });
        },
        [this, place](const Result<SavedArtifacts> &saved) {
            m_saving.reset();
            ask(Question::None, {}, {});
            if (!saved)
                return say(withHiddenShown(translated(saved.error().message)), Colour::Warn);
            QStringList sentences{saved->isCancelled
                                      ? tr("Cancelled: %Ln of %1 file(s) saved in %2.", "", int(saved->saved))
                                            .arg(m_savedFiles)
                                            .arg(place)
                                      : tr("%Ln file(s) saved in %1.", "", int(saved->saved)).arg(place)};
            if (saved->renamed)
                sentences << withHiddenShown(translated(*saved->renamed));
            constexpr qsizetype mostTold = 5;
            for (const Text &left : saved->left.first(std::min(saved->left.size(), mostTold)))
                sentences << u"▲ "_s + withHiddenShown(translated(left));
            say(sentences.join(u'\n'), saved->left.isEmpty() && !saved->isCancelled ? Colour::Ok : Colour::Warn);
        });
}

void ArtifactsTab::verify()
{
    m_context.withEngine(
        this,
        [artifacts = artifacts(), run = m_run](Engine &engine) {
            QList<bool> whole;
            for (const Artifact &artifact : artifacts)
                whole.append(verifyArtifact(engine.store(), run, artifact).has_value());
            return whole;
        },
        [this, generation = m_generation](const QList<bool> &whole) {
            if (generation != m_generation)
                return;
            m_model.setVerified(whole);
            const auto changed = int(std::ranges::count(whole, false));
            say(changed == 0 ? tr("All %Ln file(s) are as they were kept.", "", int(whole.size()))
                             : tr("▲ %Ln file(s) were changed or removed since they were kept.", "", changed),
                changed == 0 ? Colour::Ok : Colour::Warn);
        });
}

void ArtifactsTab::openElsewhere()
{
    if (currentRow() < 0)
        return;
    ask(Question::Open,
        tr("Open %1 in another program of yours? The file is outside of any sandbox there, and can attack that "
           "program.")
            .arg(shownPath(m_model.row(currentRow()).artifact)),
        tr("Open it"));
}

void ArtifactsTab::release()
{
    if (currentRow() < 0)
        return;
    const Artifact &artifact = m_model.row(currentRow()).artifact;
    ask(Question::Release,
        tr("Release %1? The file holds the value of %2. From then on it is kept like any other file.")
            .arg(shownPath(artifact), artifact.secrets.join(u", "_s)),
        tr("Release it"));
}

void ArtifactsTab::decline()
{
    if (m_saving)
        *m_saving = false;
    showSummary();
}

void ArtifactsTab::answer()
{
    const Question question = m_question;
    ask(Question::None, {}, {});
    if (question == Question::Open)
        reallyOpen();
    else if (question == Question::Release)
        reallyRelease();
}

void ArtifactsTab::withCopy(const std::function<void(const QString &file)> &use)
{
    if (currentRow() < 0)
        return;
    const QString folder = m_copies.filePath(newId(Clock::system()));
    m_context.withEngine(
        this,
        [folder, artifact = m_model.row(currentRow()).artifact](Engine &engine) -> Result<QString> {
            QString file = folder + u'/' + fileNameOf(artifact);
            RETURN_IF_ERROR(makePrivateFolder(folder));
            RETURN_IF_ERROR(saveArtifact(engine.store(), artifact, file));
            return file;
        },
        [this, use](const Result<QString> &file) {
            if (file)
                use(*file);
            else
                say(withHiddenShown(translated(file.error().message)), Colour::Warn);
        });
}

void ArtifactsTab::reallyOpen()
{
    withCopy([this](const QString &file) {
        const bool isOpened = QDesktopServices::openUrl(QUrl::fromLocalFile(file));
        say(isOpened ? tr("A copy is open elsewhere. The copy is removed when its tab or this window closes.")
                     : tr("No program of yours opens such a file. Save it, and open it by hand."),
            isOpened ? Colour::Dim : Colour::Warn);
    });
}

// The copy is made first, since whoever the file is dropped on reads it at once.
void ArtifactsTab::dragOut()
{
    withCopy([this](const QString &file) {
        if (!(QApplication::mouseButtons() & Qt::LeftButton))
            return say(tr("A copy of it wasn't there before the mouse let go. Drag it more slowly, or save it."),
                       Colour::Warn);
        auto *content = new QMimeData;
        content->setUrls({QUrl::fromLocalFile(file)});
        auto *drag = new QDrag(m_list); // goes by itself
        drag->setMimeData(content);
        drag->exec(Qt::CopyAction);
    });
}

void ArtifactsTab::reallyRelease()
{
    const int row = currentRow();
    if (row < 0)
        return;
    m_context.withEngine(
        this, [run = m_run, row](Engine &engine) { return engine.releaseArtifact(run, row, engine.caller()); },
        [this, row, generation = m_generation](const Status &released) {
            if (generation != m_generation)
                return;
            if (!released)
                return say(withHiddenShown(translated(released.error().message)), Colour::Warn);
            m_model.setReleased(row);
            Q_EMIT titleChanged();
            say(tr("The file was released. The log has an entry about it."), Colour::Ok);
            showFile();
        });
}

void ArtifactsTab::resizeEvent(QResizeEvent *event)
{
    RunTab::resizeEvent(event);
    const Theme &theme = m_context.theme();
    const bool isNarrow = width() < theme.scaled(narrowTab);
    m_splitter->setOrientation(isNarrow ? Qt::Vertical : Qt::Horizontal);
    m_bar->setDirection(isNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    const int listWidth = isNarrow ? width() : width() / 2;
    m_list->setColumnHidden(ArtifactsModel::Type, listWidth < theme.scaled(narrowList));
}

} // namespace glovebox
