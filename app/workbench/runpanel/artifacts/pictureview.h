// SPDX-License-Identifier: Apache-2.0
// A picture whole, at most as large as it is, on squares that show where it is transparent.
#pragma once

#include <QImage>
#include <QPixmap>
#include <QWidget>

namespace glovebox {

class Theme;

class PictureView : public QWidget
{
    Q_OBJECT
public:
    PictureView(const Theme &theme, QWidget *parent);

    void setPicture(const QImage &picture); // null: none

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Theme &m_theme;
    QImage m_picture;
    QPixmap m_scaled; // as it was painted last
};

} // namespace glovebox
