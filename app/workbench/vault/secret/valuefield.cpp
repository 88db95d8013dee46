// SPDX-License-Identifier: Apache-2.0
#include "valuefield.h"

#include "holdtoshow.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/background.h"
#include "app/workbench/shell/look.h"

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const QString stand(12, u'x'); // for a value that the field doesn't hold; how long that is stays untold
constexpr qsizetype fieldMax = 4096; // characters

// Up to one byte more than a secret may have: what is too long is refused with the rest. Empty: there is nothing in it.
std::optional<SecretValue> readValue(const QString &path)
{
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly | QIODevice::Unbuffered))
        return std::nullopt;
    SecretValue value(secretBytesMax + 1);
    value.truncate(std::max<qint64>(file.read(value.data(), value.size()), 0));
    return value;
}

} // namespace

ValueField::ValueField(QThreadPool &pool, QWidget *parent)
    : QWidget(parent)
    , m_pool(pool)
    , m_edit(new QLineEdit(this))
    , m_show(new HoldToShow(this))
{
    auto *row = rowIn(this, Space::s);
    m_edit->setEchoMode(QLineEdit::Password);
    m_edit->setLayoutDirection(Qt::LeftToRight);
    m_edit->setContextMenuPolicy(Qt::NoContextMenu); // its Paste would join lines
    m_edit->setAcceptDrops(false);
    m_edit->installEventFilter(this);
    setNames(m_edit, u"vault.form.value"_s, tr("Value"));
    row->addWidget(m_edit, 1);
    setNames(m_show, u"vault.form.show"_s, tr("Hold to show the value"));
    row->addWidget(m_show);
    auto *fromFile = makeButton(tr("From file…"), u"vault.form.file"_s, this, tr("Take the value from a file"));
    row->addWidget(fromFile);
    setFocusProxy(m_edit);
    connect(m_edit, &QLineEdit::textEdited, this, [this] {
        forgetFile();
        if (!m_edit->isReadOnly())
            Q_EMIT changed();
    });
    connect(fromFile, &QPushButton::clicked, this, &ValueField::browse);
    connect(m_show, &HoldToShow::held, this, [this] { show(true); });
    connect(m_show, &HoldToShow::ended, this, [this] { show(false); });
}

void ValueField::clear()
{
    m_show->letGo();
    forgetFile();
    m_exact = {};
    m_edit->setReadOnly(false);
    m_edit->setText({}); // clear() could be undone: it keeps what was there
}

void ValueField::setHint(const QString &hint)
{
    m_hint = hint;
    m_edit->setPlaceholderText(hint);
}

bool ValueField::isEmpty() const
{
    return m_edit->isReadOnly() ? m_exact.isEmpty() : m_edit->text().isEmpty();
}

SecretValue ValueField::value() const
{
    if (m_edit->isReadOnly())
        return m_exact.clone();
    QByteArray typed = m_edit->text().toUtf8();
    SecretValue value = SecretValue::copyOf(typed);
    wipe(typed.data(), std::size_t(typed.size()));
    return value;
}

bool ValueField::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Paste)) {
            paste();
            return true;
        }
        // The first key on a value of several lines begins a new one.
        if (m_edit->isReadOnly()
            && (!key->text().isEmpty() && key->key() != Qt::Key_Tab && key->key() != Qt::Key_Escape
                && key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter)) {
            clear();
            Q_EMIT changed();
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ValueField::paste()
{
    const QMimeData *pasted = QGuiApplication::clipboard()->mimeData();
    const QString text = pasted ? pasted->text() : QString();
    const bool oneLine = std::ranges::none_of(
        text, [](QChar c) { return c.category() == QChar::Other_Control || c == QChar::LineSeparator; });
    if (oneLine && text.size() + m_edit->text().size() <= fieldMax) {
        if (m_edit->isReadOnly())
            clear();
        forgetFile();
        m_edit->insert(text);
        Q_EMIT changed();
        return;
    }
    QByteArray bytes = text.toUtf8();
    take(SecretValue::copyOf(bytes)); // what is too long is refused with the rest
    wipe(bytes.data(), std::size_t(bytes.size()));
}

void ValueField::take(SecretValue value)
{
    clear();
    m_exact = std::move(value);
    m_edit->setReadOnly(true);
    m_edit->setText(stand);
    Q_EMIT changed();
}

void ValueField::show(bool shown)
{
    if (shown == (m_edit->echoMode() == QLineEdit::Normal))
        return; // the cursor stays where somebody types
    if (m_edit->isReadOnly())
        m_edit->setText(
            shown ? withHiddenShown(QString::fromUtf8(m_exact.view().first(std::min(m_exact.size(), fieldMax))))
                  : stand);
    m_edit->setEchoMode(shown ? QLineEdit::Normal : QLineEdit::Password);
    shown ? m_edit->setCursorPosition(0) : m_edit->end(false);
}

void ValueField::browse()
{
    auto *dialog = new QFileDialog(window(), tr("Take the value from a file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ValueField::readFile);
    dialog->open();
}

void ValueField::readFile(const QString &path)
{
    forgetFile();
    m_reading = path;
    m_edit->setPlaceholderText(tr("Reading the file…"));
    inBackground(
        m_pool, this, [path] { return readValue(path); },
        [this, path, generation = m_generation](std::optional<SecretValue> value) {
            if (generation != m_generation)
                return;
            forgetFile();
            Q_EMIT troubled(!value             ? tr("%1 can't be read.").arg(path)
                            : value->isEmpty() ? tr("%1 is empty.").arg(path)
                                               : QString());
            if (value && !value->isEmpty())
                take(std::move(*value));
        });
}

// What comes of it is dropped.
void ValueField::forgetFile()
{
    ++m_generation;
    m_reading.clear();
    m_edit->setPlaceholderText(m_hint);
}

} // namespace glovebox
