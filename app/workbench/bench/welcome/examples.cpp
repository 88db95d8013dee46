// SPDX-License-Identifier: Apache-2.0
#include "examples.h"

#include <QCoreApplication>
#include <QFile>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// lupdate finds the strings under this name.
struct Examples
{
    Q_DECLARE_TR_FUNCTIONS(Examples)
};

} // namespace

QString Example::code() const
{
    QFile source(u":/glovebox/examples/"_s + file);
    return source.open(QIODevice::ReadOnly) ? QString::fromUtf8(source.readAll()) : QString();
}

QList<Example> firstExamples()
{
    return {
        {.file = u"hello.py"_s,
         .language = u"python"_s,
         .title = Examples::tr("Run code that you don't trust"),
         .about = Examples::tr("A first look around from inside: what of this machine is there, and what isn't."),
         .brief = Examples::tr("Explore")},
        {.file = u"tries.py"_s,
         .language = u"python"_s,
         .title = Examples::tr("See what it tries"),
         .about = Examples::tr("The code looks for keys and calls a server. Both fail, and you are told of the call."),
         .aboutWatched =
             Examples::tr("The code looks for keys and calls a server. Both fail, and you are told of both."),
         .brief = Examples::tr("Try to steal")},
        {.file = u"makes.py"_s,
         .language = u"python"_s,
         .title = Examples::tr("Keep what it makes"),
         .about = Examples::tr("A table and a picture are made. The Files tab shows and saves them."),
         .brief = Examples::tr("Make files")}};
}

QList<Example> allExamples()
{
    return firstExamples()
           + QList<Example>{{.file = u"hello.mjs"_s,
                             .language = u"node"_s,
                             .title = Examples::tr("A first look around, in JavaScript"),
                             .about = {}},
                            {.file = u"hello.sh"_s,
                             .language = u"sh"_s,
                             .title = Examples::tr("A first look around, in shell"),
                             .about = {}}};
}

} // namespace glovebox
