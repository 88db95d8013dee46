// SPDX-License-Identifier: Apache-2.0
// What nearly every room of the workbench includes beside what the engine does, read once. A file still names what it uses:
// builds without batches have none of this.
#pragma once

#include <QAbstractItemModel>
#include <QApplication>
#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QWidget>
