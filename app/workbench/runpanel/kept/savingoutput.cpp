// SPDX-License-Identifier: Apache-2.0
// The panel's output goes to a file that the person chooses, as it was kept.
#include "../runpanel.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/runpanel/shownrun.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QFileDialog>
#include <QSaveFile>

namespace glovebox {

using namespace Qt::StringLiterals;

void RunPanel::save()
{
    if (!m_current)
        return;
    auto *dialog = new QFileDialog(this, tr("Save output"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(tr("output.txt"));
    connect(dialog, &QFileDialog::fileSelected, this, &RunPanel::writeTo);
    dialog->open();
}

void RunPanel::writeTo(const QString &path)
{
    if (!m_current)
        return;
    struct Saved
    {
        QString error;
        qint64 skipped = 0;
        qint64 bytes = 0;
    };
    inBackground(
        m_context.pool(), this,
        [run = m_current->run(), path] {
            Saved saved;
            QSaveFile file(path);
            if (file.open(QIODevice::WriteOnly))
                saved.skipped = writeKeptOutput(*run, file);
            saved.bytes = file.pos();
            if (!file.isOpen() || saved.skipped < 0 || !commitWhole(file))
                saved.error = file.errorString();
            return saved;
        },
        [this, path](const Saved &saved) {
            if (!saved.error.isEmpty())
                m_context.notifications().show(
                    {.tone = Tone::Bad,
                     .text = tr("The output was not saved to %1. The output is still here; choose another "
                                "place.")
                                 .arg(path),
                     .detail = saved.error});
            else if (saved.skipped > 0)
                m_context.notifications().show(
                    {.tone = Tone::Warn,
                     .text = tr("Saved %1 to %2, without %3 from its middle that weren't kept.")
                                 .arg(sizeWord(saved.bytes), path, sizeWord(saved.skipped))});
            else
                m_context.notifications().show(
                    {.tone = Tone::Ok, .text = tr("Saved %1 to %2.").arg(sizeWord(saved.bytes), path)});
        });
}

} // namespace glovebox
