// SPDX-License-Identifier: Apache-2.0
// A file shown: as text, as a table of CSV or JSON, or as a picture. Pictures are decoded in a sandbox of their own, since hostile
// files attack decoders.
#pragma once

#include "sheet.h"

#include "engine/engine.h"

#include <QImage>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QTreeView;

namespace glovebox {

class PictureView;
class Theme;

struct Preview
{
    QString remark; // above it: what isn't shown, and why
    QString text;
    std::optional<Sheet> sheet; // instead of the text
    QImage picture; // instead of both

    bool operator==(const Preview &) const = default;
};

// Reads all of the file, which must be as it was kept, and shows the first 256 kB of it, or all of a picture. Blocks; on any thread.
Preview previewOf(const Engine &engine, const Artifact &artifact);

class PreviewView : public QWidget
{
    Q_OBJECT
public:
    PreviewView(const Theme &theme, const QString &prefix, QWidget *parent);

    void show(const Preview &preview);
    using QWidget::show;

private:
    const Theme &m_theme;
    QLabel *m_remark;
    QPlainTextEdit *m_text;
    QTreeView *m_table;
    PictureView *m_picture;
};

} // namespace glovebox
