// SPDX-License-Identifier: Apache-2.0
// The output view for screen readers: a read-only document whose value is what is visible.
#include "outputview.h"

#include <QAccessible>
#include <QAccessibleWidget>

namespace glovebox {

namespace {

class AccessibleOutput : public QAccessibleWidget
{
public:
    explicit AccessibleOutput(OutputView *view)
        : QAccessibleWidget(view, QAccessible::Terminal)
    {
    }

    QString text(QAccessible::Text kind) const override
    {
        if (kind == QAccessible::Value)
            return static_cast<OutputView *>(widget())->visibleText();
        return QAccessibleWidget::text(kind);
    }

    QAccessible::State state() const override
    {
        QAccessible::State state = QAccessibleWidget::state();
        const OutputLog *log = static_cast<OutputView *>(widget())->log();
        state.readOnly = !log || !log->screen(); // else keys go to the program
        state.multiLine = true;
        return state;
    }
};

QAccessibleInterface *makeAccessible(const QString &, QObject *object)
{
    auto *view = qobject_cast<OutputView *>(object);
    return view ? new AccessibleOutput(view) : nullptr;
}

} // namespace

void installOutputAccessibility()
{
    static const bool installed = [] {
        QAccessible::installFactory(makeAccessible);
        return true;
    }();
    Q_UNUSED(installed)
}

} // namespace glovebox
