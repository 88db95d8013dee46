// SPDX-License-Identifier: Apache-2.0
#include "aboutsheet.h"

#include "app/workbench/shell/look.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSysInfo>

namespace glovebox {

using namespace Qt::StringLiterals;

AboutSheet::AboutSheet(WorkbenchContext &context, QWidget *parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("About Glovebox"));
    setNames(this, u"frame.about"_s, windowTitle());
    setBackground(this, Colour::Raised);
    auto *column = columnIn(this, Space::m, {Space::xl, Space::xl, Space::xl, Space::xl});
    column->addWidget(makeLabel(tr("Glovebox %1").arg(QCoreApplication::applicationVersion()), this, FontRole::Title));
    auto *sentence = makeLabel(tr("Runs code that you don't trust, sealed off from this machine. Free software "
                                  "under the Apache License 2.0."),
                               this);
    sentence->setMinimumWidth(context.theme().scaled(440));
    column->addWidget(sentence);
    const QString facts = u"Glovebox %1\nQt %2\n%3, %4\n%5\n%6"_s.arg(
        QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion()), QSysInfo::prettyProductName(),
        QSysInfo::kernelVersion(), context.paths().data, context.paths().settingsFile());
    auto *places = makeLabel(facts, this, FontRole::Code, Colour::Dim);
    markAsData(places);
    column->addWidget(places);
    auto *row = new QHBoxLayout;
    row->addStretch();
    auto *copy = makeButton(tr("Copy"), u"frame.about.copy"_s, this, tr("Copy the versions and places"));
    auto *close = makeButton(tr("Close"), u"frame.about.close"_s, this);
    row->addWidget(copy);
    row->addWidget(close);
    column->addLayout(row);
    connect(copy, &QPushButton::clicked, this, [facts] { QGuiApplication::clipboard()->setText(facts); });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    close->setDefault(true);
    close->setFocus();
}

} // namespace glovebox
