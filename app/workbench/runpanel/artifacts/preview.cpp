// SPDX-License-Identifier: Apache-2.0
#include "preview.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"
#include "app/workbench/shell/look/tablemodel.h"
#include "app/workbench/shell/words/words.h"
#include "pictureview.h"

#include <QJsonDocument>
#include <QLabel>
#include <QPlainTextEdit>
#include <QStringDecoder>
#include <QTreeView>
#include <QVBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostShown = 256 * kibibyte; // the view takes 20 ms for it
constexpr qsizetype longestShownLine = 10'000; // the view takes seconds for a line of a megabyte

class SheetModel : public TableModel<QStringList>
{
public:
    SheetModel(const Theme &theme, const Sheet &sheet)
        : TableModel(theme, shown(sheet.titles))
    {
        setRows(sheet.rows);
    }

protected:
    QVariant cell(const QStringList &row, int column, int role) const override
    {
        if (role == Qt::DisplayRole)
            return withHiddenShown(row.value(column)).replace(u'\n', u' ');
        return role == Qt::FontRole ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    }

private:
    static QStringList shown(QStringList titles)
    {
        for (QString &title : titles)
            title = withHiddenShown(title).replace(u'\n', u' ');
        return titles;
    }
};

// Long lines are cut off; true if one was.
bool cutLines(QString &text)
{
    QStringList lines = text.split(u'\n');
    bool isCut = false;
    for (QString &line : lines) {
        if (line.size() > longestShownLine) {
            line.truncate(longestShownLine);
            isCut = true;
        }
    }
    if (isCut)
        text = lines.join(u'\n');
    return isCut;
}

Preview pictureOf(const Engine &engine, const Artifact &artifact)
{
    const auto picture = engine.picture(artifact);
    if (!picture)
        return {.remark = translated(picture.error().message)};
    const QSize shown = picture->size;
    const QSize original = picture->originalSize;
    QStringList remarks{PreviewView::tr("%L1 × %L2 pixels.").arg(original.width()).arg(original.height())};
    if (shown != original)
        remarks << PreviewView::tr("Made smaller to be shown.");
    if (picture->isAnimated)
        remarks << PreviewView::tr("The first of several pictures is shown.");
    const QImage image(reinterpret_cast<const uchar *>(picture->pixels.constData()), shown.width(), shown.height(),
                       qsizetype(shown.width()) * 4, QImage::Format_RGBA8888_Premultiplied);
    return {.remark = remarks.join(u' '), .picture = image.copy()};
}

} // namespace

Preview previewOf(const Engine &engine, const Artifact &artifact)
{
    if (artifact.isWithheld())
        return {.remark = PreviewView::tr("This file holds the value of %1, so it is withheld. Release it to see it: "
                                          "then other programs can also read it.")
                              .arg(artifact.secrets.join(u", "_s))};
    if (artifact.isDeleted)
        return {.remark = translated(wasDeleted(artifact).error().message)};
    QByteArray bytes;
    if (isDecodable(artifact.mediaType))
        return pictureOf(engine, artifact);
    const Status whole = engine.store().pass(artifact.digest, [&](QByteArrayView piece) -> Status {
        bytes.append(piece.first(std::min(piece.size(), qsizetype(mostShown) - bytes.size())));
        return {};
    });
    if (!whole)
        return {.remark = translated(whole.error().message)};
    if (artifact.bytes == 0)
        return {.remark = PreviewView::tr("This file is empty.")};
    const bool isCut = artifact.bytes > bytes.size();
    QStringDecoder decoder(QStringDecoder::Utf8); // half a character at the end is no error
    QString text = decoder(bytes);
    if (decoder.hasError() || text.contains(QChar::Null))
        return {.remark = PreviewView::tr("This file is not text, so it isn't shown here. Save it, or open it "
                                          "elsewhere.")};
    QStringList remarks;
    Preview preview{.sheet = readSheet(artifact.mediaType, text, isCut)};
    if (preview.sheet) {
        if (preview.sheet->isCut)
            remarks << PreviewView::tr("The first %L1 rows are shown.").arg(preview.sheet->rows.size());
    } else {
        if (artifact.mediaType == u"application/json"_s && !isCut) {
            if (!QJsonDocument::fromJson(bytes).isNull())
                text = laidOutJson(text);
        }
        if (isCut)
            remarks << PreviewView::tr("The first %1 of %2 are shown.")
                           .arg(sizeWord(bytes.size()), sizeWord(artifact.bytes));
        if (cutLines(text))
            remarks << PreviewView::tr("Long lines are cut off.");
        preview.text = withHiddenShown(text);
    }
    preview.remark = remarks.join(u' ');
    return preview;
}

PreviewView::PreviewView(const Theme &theme, const QString &prefix, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_remark(makeLabel({}, this, FontRole::Base, Colour::Dim))
    , m_text(new QPlainTextEdit(this))
    , m_table(new QTreeView(this))
    , m_picture(new PictureView(theme, this))
{
    auto *layout = columnIn(this, 0);
    m_remark->setObjectName(prefix + u"remark"_s);
    m_remark->setContentsMargins(Space::m, Space::s, Space::m, Space::s);
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setTabChangesFocus(true);
    m_text->document()->setDocumentMargin(Space::m); // as far from the edge as pictures and remarks
    m_text->setLayoutDirection(Qt::LeftToRight);
    setFontRole(m_text, FontRole::Code);
    setNames(m_text, prefix + u"text"_s, tr("Content of the file"));
    setNames(m_table, prefix + u"table"_s, tr("Content of the file as a table"));
    setNames(m_picture, prefix + u"picture"_s, tr("Picture"));
    showRows(m_table, nullptr);
    layout->addWidget(m_remark);
    layout->addWidget(m_text, 1000);
    layout->addWidget(m_table, 1000);
    layout->addWidget(m_picture, 1000);
    layout->addStretch(1);
    show(Preview());
}

void PreviewView::show(const Preview &preview)
{
    showText(m_remark, preview.remark);
    m_text->setPlainText(preview.text);
    m_text->setVisible(!preview.text.isEmpty());
    auto *before = m_table->model();
    if (preview.sheet) {
        m_table->setModel(new SheetModel(m_theme, *preview.sheet));
        constexpr int mostMeasured = 20; // columns
        for (int column = 0; column < std::min(mostMeasured, m_table->model()->columnCount()); ++column)
            m_table->resizeColumnToContents(column);
    } else {
        m_table->setModel(nullptr);
    }
    delete before;
    m_table->setVisible(preview.sheet.has_value());
    m_picture->setPicture(preview.picture);
    m_picture->setVisible(!preview.picture.isNull());
}

} // namespace glovebox
