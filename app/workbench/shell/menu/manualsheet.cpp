// SPDX-License-Identifier: Apache-2.0
#include "manualsheet.h"

#include "app/workbench/shell/look.h"
#include "manualtext.h"

#include <QScrollBar>
#include <QTextBrowser>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize manualSize(760, 640); // px at 13 px text

} // namespace

ManualSheet::ManualSheet(WorkbenchContext &context, QWidget *parent)
    : QDialog(parent)
    , m_text(new QTextBrowser(this))
    , m_back(makeButton(tr("Back"), u"frame.manual.back"_s, this, tr("Back to the page before")))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Manual"));
    setNames(this, u"frame.manual"_s, windowTitle());
    setBackground(this, Colour::Raised);
    auto *column = columnIn(this, Space::m, {Space::xl, Space::l, Space::xl, Space::l});
    m_text->setOpenLinks(false);
    setNames(m_text, u"frame.manual.text"_s, tr("Page of the manual"));
    column->addWidget(m_text, 1);
    auto *row = new QHBoxLayout;
    auto *close = makeButton(tr("Close"), u"frame.manual.close"_s, this);
    row->addWidget(m_back);
    row->addStretch();
    row->addWidget(close);
    column->addLayout(row);
    for (QPushButton *button : {m_back, close})
        button->setAutoDefault(false);

    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) { show(link.toString()); });
    connect(m_back, &QPushButton::clicked, this, [this] {
        m_way.removeLast();
        show(m_way.takeLast());
    });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    const Theme &theme = context.theme();
    resize(QSize(theme.scaled(manualSize.width()), theme.scaled(manualSize.height()))
               .boundedTo(parent->size() - QSize(2 * Space::xl, 2 * Space::xl)));
    show(u"glovebox.1"_s);
    m_text->setFocus();
}

void ManualSheet::show(const QString &page)
{
    const QString html = manualPageAsHtml(page);
    if (html.isEmpty())
        return;
    m_way.append(page);
    m_text->setHtml(html);
    m_text->document()->setDocumentMargin(Space::l); // which goes with the document before
    m_text->verticalScrollBar()->setValue(0);
    m_back->setEnabled(m_way.size() > 1);
}

} // namespace glovebox
