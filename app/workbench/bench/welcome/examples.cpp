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
    return {{u"hello.py"_s, u"python"_s, Examples::tr("Run code that you don't trust"),
             Examples::tr("A first look around from inside: what of this machine is there, and what isn't."),
             Examples::tr("Explore")},
            {u"tries.py"_s, u"python"_s, Examples::tr("See what it tries"),
             Examples::tr("The code looks for keys and calls a server. Both fail."), Examples::tr("Try to steal")},
            {u"makes.py"_s, u"python"_s, Examples::tr("Keep what it makes"),
             Examples::tr("A table and a picture are made. The Files tab shows and saves them."),
             Examples::tr("Make files")}};
}

QList<Example> allExamples()
{
    return firstExamples()
           + QList<Example>{{u"hello.mjs"_s, u"node"_s, Examples::tr("A first look around, in JavaScript"), {}, {}},
                            {u"hello.sh"_s, u"sh"_s, Examples::tr("A first look around, in shell"), {}, {}}};
}

} // namespace glovebox
