// SPDX-License-Identifier: Apache-2.0
// Code and output of a run on record, each with a sentence above where there is something to say about it.
#pragma once

#include "record.h"

#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>

class QLabel;

namespace glovebox {

class CodeEditor;
class OutputLog;
class OutputView;
class Theme;

// Highlighted, to be read and copied. Of what is too long for that, the beginning.
class CodeBodyView : public QWidget
{
    Q_OBJECT
public:
    CodeBodyView(Theme &theme, QWidget *parent = nullptr);
    void setRecord(const RunRecord &record);

private:
    QLabel *m_remark;
    CodeEditor *m_editor;
};

// Standard output, then standard error: in which order pieces of both came isn't on record.
class OutputBodyView : public QWidget
{
    Q_OBJECT
public:
    OutputBodyView(Theme &theme, QWidget *parent = nullptr);
    ~OutputBodyView() override;
    void setRecord(const RunRecord &record);

private:
    void feed();
    void openScreen();

    struct Piece
    {
        enum class Kind { Bytes, Gap, Remark } kind = Kind::Bytes;
        OutputStream stream = OutputStream::Out;
        QByteArray bytes;
        qint64 gap = 0;
        QString remark;
    };
    void addPieces(const RecordedBody &body, OutputStream stream, const RunRecord &record);

    QLabel *m_remark;
    OutputView *m_view;
    std::unique_ptr<OutputLog> m_log;
    QList<Piece> m_pieces; // that the log hasn't got yet
    std::optional<QSize> m_terminal;
    qint64 m_fed = 0; // bytes of the first of them
    QTimer m_timer;
};

} // namespace glovebox
