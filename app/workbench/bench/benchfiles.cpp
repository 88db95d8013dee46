// SPDX-License-Identifier: Apache-2.0
// Files come to the bench: read in the background, each in a tab, or refused with a sentence.
#include "benchpage.h"

#include "tabs/tabstrip.h"

#include "app/workbench/editor/file/noticebar.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QStackedWidget>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

bool BenchPage::openFiles(const QStringList &paths)
{
    readFiles(paths, 0);
    return true;
}

// One after the other: tabs come in the order in which the files were named.
void BenchPage::readFiles(const QStringList &paths, int line)
{
    if (paths.isEmpty())
        return;
    const QString path = QFileInfo(paths.first()).absoluteFilePath();
    const QStringList rest = paths.sliced(1);
    if (showOpenFile(path, line))
        return readFiles(rest, 0);
    inBackground(
        m_context.reading(), this,
        [path] {
            auto file = readCodeFile(path);
            // A file that is no code, or a folder, can still be read by code.
            const QFileInfo info(path);
            const bool isData = !file && (info.isFile() || info.isDir()) && info.isReadable();
            return std::pair(std::move(file), isData);
        },
        [this, path, line, rest](const std::pair<std::expected<CodeFile, QString>, bool> &read) {
            const auto &[file, isData] = read;
            if (file && !showOpenFile(path, line)) // it may have been asked for twice
                showFile(path, *file, line);
            else if (!file)
                tellRefused(file.error(), isData);
            readFiles(rest, 0);
        });
}

void BenchPage::tellRefused(const QString &sentence, bool isData)
{
    Note note{.tone = Tone::Warn, .text = sentence, .stays = true};
    if (isData)
        note.remedies.append(
            {tr("Choose the folders that a run sees"), [this] { m_context.actions().trigger(u"bench.folders"_s); }});
    m_context.notifications().show(std::move(note));
}

bool BenchPage::showOpenFile(const QString &path, int line)
{
    const QList<BenchTab *> all = tabs();
    const auto there = std::ranges::find(all, path, [](BenchTab *tab) { return tab->editor().path(); });
    if (there == all.end())
        return false;
    showTab(m_stack->indexOf(*there));
    if (line > 0)
        (*there)->editor().goTo(line);
    return true;
}

void BenchPage::showFile(const QString &path, const CodeFile &file, int line)
{
    // A blank tab is what a person would open it in.
    BenchTab *tab = current() && current()->isBlank() ? current() : addTab();
    tab->editor().setFile(path, file);
    noteRecent(path);
    if (line > 0)
        tab->editor().goTo(line);
    tab->setFocus();
}

void BenchPage::openInput(const QByteArray &bytes)
{
    inBackground(
        m_context.pool(), this, [bytes] { return readCode(bytes, tr("Standard input")); },
        [this](const std::expected<CodeFile, QString> &input) {
            if (input && input->hasLongLines)
                m_context.notifications().show(
                    {.tone = Tone::Warn,
                     .text = tr("Standard input has lines of more than %L1 characters, which can't be edited. Open the "
                                "text as a file, or run it in a terminal: glovebox run -")
                                 .arg(CodeEditor::longestLine),
                     .stays = true});
            else if (input)
                navigate({{u"code"_s, input->text}});
            else
                m_context.notifications().show({.tone = Tone::Warn, .text = input.error(), .stays = true});
        });
}

void BenchPage::chooseFiles()
{
    auto *dialog = new QFileDialog(m_widget, tr("Open files"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("Code (*.py *.js *.mjs *.cjs *.sh *.bash)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, &BenchPage::openFiles);
    dialog->open();
}

void BenchPage::navigate(const QJsonObject &request)
{
    if (const QString path = request.value(u"path"_s).toString(); !path.isEmpty()) {
        readFiles({path}, request.value(u"line"_s).toInt());
        return;
    }
    if (request.contains(u"input"_s)) {
        openInput(QByteArray::fromBase64(request.value(u"input"_s).toString().toLatin1()));
        return;
    }
    if (const QString session = request.value(u"session"_s).toString(); !session.isEmpty()) {
        BenchTab *tab = current() ? current() : addTab();
        tab->chooseSession(session);
        tab->editor().setFocus();
        return;
    }
    if (!request.contains(u"code"_s))
        return;
    BenchTab *tab = current() && current()->isBlank() ? current() : addTab();
    tab->editor().setText(request.value(u"code"_s).toString(), true);
    tab->chooseLanguage(request.value(u"language"_s).toString());
    tab->policy().setTerminal(request.value(u"terminal"_s).toBool());
    // The limits of a run on record; what else it was granted is granted anew.
    if (const auto policy = policyFromJson(request.value(u"policy"_s).toObject())) {
        Policy taken = tab->policy().policy();
        takeLimits(taken.limits, policy->limits);
        taken.strict = taken.strict || policy->strict;
        tab->setPolicy(taken);
    }
    if (const QString without = request.value(u"without"_s).toString(); !without.isEmpty())
        tab->editor().notice().show(Tone::Info, without);
    updateTab(tab);
    stashSoon(tab);
    if (const QString host = request.value(u"host"_s).toString(); !host.isEmpty()) {
        const auto policy = policyFromJson(request.value(u"policy"_s).toObject());
        tab->askToAllow(host, policy ? policy->allow : QStringList());
    } else if (request.value(u"run"_s).toBool()) {
        tab->run(false);
    }
}

} // namespace glovebox
