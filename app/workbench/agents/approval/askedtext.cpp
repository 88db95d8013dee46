// SPDX-License-Identifier: Apache-2.0
#include "askedtext.h"

#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/runpanel/changes/diffview.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"
#include "askwords.h"

#include <QComboBox>
#include <QDateTime>
#include <QLocale>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostLinesAtOnce = 14;
constexpr int charactersOfChoice = 24;
constexpr int mostChoicesAtOnce = 12;
constexpr int ofCode = -1; // data of the choices: these, or the place of a file
constexpr int ofDifference = -2;

QString momentWord(qint64 microseconds)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(microseconds / 1000);
    return time.date() == QDate::currentDate() ? QLocale().toString(time.time(), QLocale::ShortFormat)
                                               : QLocale().toString(time, QLocale::ShortFormat);
}

} // namespace

AskedText::AskedText(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_head(new QWidget(this))
    , m_since(makeLabel({}, m_head, FontRole::Small, Colour::Dim))
    , m_choice(new QComboBox(m_head))
    , m_editor(new CodeEditor(theme, this))
    , m_difference(new DiffView(theme, this))
{
    auto *column = columnIn(this, Space::s);
    auto *row = rowIn(m_head, Space::m);
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(charactersOfChoice);
    m_choice->setMaxVisibleItems(mostChoicesAtOnce);
    setNames(m_choice, u"agents.approval.choice"_s, tr("Code, changes in it, or a file beside it"));
    connect(m_choice, &QComboBox::currentIndexChanged, this, &AskedText::showChosen);
    row->addWidget(m_choice);
    m_since->setObjectName(u"agents.approval.since"_s);
    row->addWidget(m_since, 1);
    column->addWidget(m_head);
    m_editor->setReadOnly(true);
    m_editor->setTabChangesFocus(true);
    setBackground(m_editor->viewport(), Colour::Panel);
    setNames(m_editor, u"agents.approval.code"_s, tr("Code that would run"));
    column->addWidget(m_editor);
    setBackground(m_difference->viewport(), Colour::Panel);
    setNames(m_difference, u"agents.approval.difference"_s, tr("Changes in the code since the run before"));
    m_difference->hide();
    column->addWidget(m_difference);
}

void AskedText::setRequest(const ApprovalRequest &request)
{
    m_request = request;
    m_earlier.reset();
    m_codeSentences = shownCodeOf(request).sentences;
    {
        const QSignalBlocker quiet(m_choice);
        m_choice->clear();
        m_choice->addItem(tr("Code"), ofCode);
        int at = 0;
        for (const InnerFile &file : std::as_const(m_request.files))
            m_choice->addItem(tr("%1 (%2)").arg(plainWord(QString::fromUtf8(file.name)), sizeWord(file.content.size())),
                              at++);
        m_choice->setCurrentIndex(0);
    }
    showChosen();
}

void AskedText::setEarlier(const std::optional<EarlierRun> &earlier)
{
    if (m_earlier == earlier)
        return;
    m_earlier = earlier;
    const int at = m_choice->findData(ofDifference);
    if (m_earlier && at < 0)
        m_choice->insertItem(1, tr("Changes in the code"), ofDifference);
    else if (!m_earlier && at >= 0)
        m_choice->removeItem(at);
    showChosen();
}

QStringList AskedText::sentences() const
{
    return m_codeSentences + m_fileSentences;
}

void AskedText::showChosen()
{
    const int chosen = m_choice->currentData().toInt();
    m_fileSentences.clear();
    m_since->clear();
    m_editor->setVisible(chosen != ofDifference);
    m_difference->setVisible(chosen == ofDifference);
    m_head->setVisible(m_choice->count() > 1);
    if (chosen == ofDifference) {
        showDifference();
    } else if (chosen >= 0 && chosen < m_request.files.size()) {
        const InnerFile &file = m_request.files[chosen];
        const ShownCode shown = shownFileOf(file);
        m_fileSentences = shown.sentences;
        m_editor->setAccessibleName(tr("File beside the code"));
        showText({}, QString::fromUtf8(file.name.left(longestShownWord)), shown.text);
    } else {
        m_since->setText(m_earlier ? tr("This client ran code before, at %1 (entry #%2): the changes can be chosen.")
                                         .arg(momentWord(m_earlier->timeMicroseconds))
                                         .arg(m_earlier->seq)
                                   : QString());
        const bool isRun = m_request.tool.isEmpty();
        m_editor->setAccessibleName(isRun ? tr("Code that would run") : tr("Arguments of the call"));
        showText(m_request.language, isRun ? QString() : u"arguments.json"_s, shownCodeOf(m_request).text);
    }
    fit();
    Q_EMIT shownChanged();
}

void AskedText::showText(const QString &language, const QString &fileName, const QString &text)
{
    m_editor->setLanguage(language, fileName);
    m_editor->setPlainText(text);
}

void AskedText::showDifference()
{
    if (!m_earlier)
        return;
    const QList<DiffLine> lines =
        lineDiff(QString::fromUtf8(m_earlier->code), QString::fromUtf8(shownPartOf(m_request.code)));
    const auto count = [&](DiffLine::Kind kind) { return std::ranges::count(lines, kind, &DiffLine::kind); };
    m_since->setText(tr("Since its run of %1 (entry #%2): +%L3, −%L4 lines")
                         .arg(momentWord(m_earlier->timeMicroseconds))
                         .arg(m_earlier->seq)
                         .arg(count(DiffLine::Kind::Added))
                         .arg(count(DiffLine::Kind::Removed)));
    m_difference->setLines(lines);
}

void AskedText::fit()
{
    const qreal line = std::max<qreal>(QFontMetrics(m_editor->font()).lineSpacing(),
                                       m_editor->geometryOf(m_editor->document()->firstBlock()).height());
    for (QPlainTextEdit *view : {static_cast<QPlainTextEdit *>(m_editor), static_cast<QPlainTextEdit *>(m_difference)})
        view->setFixedHeight(int(std::ceil(std::clamp(view->blockCount(), 2, mostLinesAtOnce) * line)) + 2 * Space::m);
}

} // namespace glovebox
