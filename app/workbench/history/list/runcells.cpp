// SPDX-License-Identifier: Apache-2.0
// What the cells of the list say.
#include "runsmodel.h"

#include "engine/base/base.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

bool isNumber(int column)
{
    return column == RunsModel::DurationColumn || column == RunsModel::BlockedColumn;
}

} // namespace

QString shownLine(const QString &line)
{
    QString shown;
    for (const char32_t character : line.toUcs4()) {
        if (character == U'\t')
            shown += u' ';
        else if (isHiddenCharacter(character))
            shown += QChar::ReplacementCharacter;
        else
            shown += QString::fromUcs4(&character, 1);
    }
    return shown;
}

QString shownTime(qint64 microseconds, const QDateTime &now)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(microseconds / 1000);
    if (time.date() == now.date())
        return time.toString(u"HH:mm:ss"_s);
    if (time.date().year() == now.date().year())
        return QLocale().toString(time, u"d MMM HH:mm:ss"_s);
    return time.toString(u"yyyy-MM-dd HH:mm:ss"_s);
}

// Which agent, or which program of a person's own that isn't Glovebox's, is worth the place.
QString shownCaller(Caller::Kind kind, const QString &program)
{
    const QString name = shownLine(QFileInfo(program).fileName());
    return kind == Caller::Kind::Mcp && !name.isEmpty() ? name : callerWord(kind);
}

QVariant RunsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunRow *run = runAt(index.row());
    const auto text = [&]() -> QString {
        if (!run)
            return index.column() == CodeColumn ? tr("…") : QString();
        switch (index.column()) {
        case TimeColumn:
            return shownTime(run->timeMicroseconds, QDateTime::currentDateTime());
        case OutcomeColumn:
            return run->outcome ? outcomeWord(*run->outcome) : tr("Not finished");
        case BlockedColumn: {
            const int blocked = m_blocked.value(run->seq);
            return blocked > 0 ? QLocale().toString(blocked) : QString();
        }
        case LanguageColumn:
            return run->language;
        case CodeColumn:
            return shownLine(run->firstLine);
        case CallerColumn:
            return run->isSelfTest() ? tr("Self-test") : shownCaller(run->callerKind, run->callerName);
        case DurationColumn:
            return run->durationMs ? durationWord(std::chrono::milliseconds(*run->durationMs)) : u"—"_s;
        default:
            return {};
        }
    };
    switch (role) {
    case Qt::DisplayRole:
        return text();
    case Qt::ToolTipRole:
        if (!run)
            return {};
        if (index.column() == TimeColumn)
            return QLocale().toString(QDateTime::fromMSecsSinceEpoch(run->timeMicroseconds / 1000),
                                      QLocale::LongFormat);
        if (const int blocked = m_blocked.value(run->seq); index.column() == BlockedColumn && blocked > 0)
            return tr("The run was kept from %Ln place(s).", "", blocked);
        if (index.column() == CallerColumn && run->isSelfTest())
            return tr(
                "Glovebox attacked its own sandbox here, from the page of this machine or by \"glovebox doctor\".");
        if (index.column() == CodeColumn && run->getsPackages)
            return tr("Code of Glovebox, which fetched, built or installed packages.");
        return index.column() == CallerColumn ? shownLine(run->callerName) : text();
    case Qt::DecorationRole:
        if (!run || index.column() != OutcomeColumn)
            return {};
        return m_theme.icon(Icon::Dot, run->outcome ? outcomeColour(*run->outcome) : Colour::Info);
    case Qt::ForegroundRole: {
        if (index.column() == BlockedColumn)
            return m_theme.colour(Colour::Warn);
        const bool aside = index.column() == TimeColumn || !run || run->isSelfTest() || run->getsPackages
                           || (index.column() == DurationColumn && !run->durationMs);
        return m_theme.colour(aside ? Colour::Dim : Colour::Text);
    }
    case Qt::FontRole:
        return index.column() == CodeColumn ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    case Qt::TextAlignmentRole:
        // Trailing, that is: views mirror it with everything else.
        return isNumber(index.column()) ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                        : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole) {
        if (section == CodeColumn) // never mirrored
            return QVariant(Qt::AlignLeft | Qt::AlignVCenter | Qt::AlignAbsolute);
        return isNumber(section) ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                 : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case TimeColumn:
        return tr("Time");
    case OutcomeColumn:
        return tr("Outcome");
    case BlockedColumn:
        return tr("Blocked");
    case LanguageColumn:
        return tr("Language");
    case CodeColumn:
        return tr("Code");
    case CallerColumn:
        return tr("Caller");
    case DurationColumn:
        return tr("Duration");
    default:
        return {};
    }
}

} // namespace glovebox
