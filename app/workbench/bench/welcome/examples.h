// SPDX-License-Identifier: Apache-2.0
// Code that comes with the workbench, to be tried.
#pragma once

#include <QList>
#include <QString>

namespace glovebox {

struct Example
{
    QString file; // "hello.py"
    QString language; // id
    QString title; // an imperative: what it is for
    QString about; // what will be seen, on every machine
    QString aboutWatched = {}; // and where looks for keys are told; empty: the same
    QString brief = {}; // the title, where that has no room; empty: it isn't one of the first

    QString code() const;
};

QList<Example> allExamples();
// The three with which a person begins.
QList<Example> firstExamples();

} // namespace glovebox
