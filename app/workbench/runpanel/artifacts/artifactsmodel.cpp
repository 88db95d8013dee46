// SPDX-License-Identifier: Apache-2.0
#include "artifactsmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words/words.h"

namespace glovebox {

using namespace Qt::StringLiterals;

ArtifactsModel::ArtifactsModel(const Theme &theme)
    : TableModel(theme, {tr("File"), tr("Size"), tr("Type"), tr("State")})
{
}

void ArtifactsModel::setVerified(const QList<bool> &whole)
{
    for (qsizetype i = 0; i < std::min(whole.size(), m_rows.size()); ++i)
        m_rows[i].isWhole = whole[i];
    if (!m_rows.isEmpty())
        Q_EMIT dataChanged(index(0, State), index(rowCount() - 1, State));
}

void ArtifactsModel::setReleased(int row)
{
    m_rows[row].artifact.isReleased = true;
    Q_EMIT dataChanged(index(row, 0), index(row, State));
}

Qt::ItemFlags ArtifactsModel::flags(const QModelIndex &index) const
{
    const bool canLeave =
        index.isValid() && !row(index.row()).artifact.isWithheld() && !row(index.row()).artifact.isDeleted;
    return TableModel::flags(index) | (canLeave ? Qt::ItemIsDragEnabled : Qt::NoItemFlags);
}

QVariant ArtifactsModel::cell(const ShownArtifact &shown, int column, int role) const
{
    const Artifact &artifact = shown.artifact;
    const bool isOdd = artifact.isWithheld() || (shown.isWhole == false && !artifact.isDeleted);
    const auto text = [&]() -> QString {
        switch (column) {
        case Name:
            return shownPath(artifact);
        case Size:
            return sizeWord(artifact.bytes);
        case Type:
            return artifact.mediaType;
        default:
            return artifact.isDeleted      ? tr("Deleted")
                   : artifact.isWithheld() ? tr("Withheld: holds %1").arg(artifact.secrets.join(u", "_s))
                   : shown.isWhole         ? *shown.isWhole ? tr("As it was kept") : tr("Changed, or gone")
                                           : tr("Kept");
        }
    };
    switch (role) {
    case Qt::DisplayRole:
        return text();
    case Qt::FontRole:
        return column == Name ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    case Qt::DecorationRole:
        if (column == State && isOdd)
            return m_theme.icon(Icon::Warning, Colour::Warn);
        return column == State && shown.isWhole ? QVariant(m_theme.icon(Icon::Check, Colour::Ok)) : QVariant();
    case Qt::ForegroundRole:
        return m_theme.colour(column == Name ? Colour::Text : column == State && isOdd ? Colour::Warn : Colour::Dim);
    default:
        return {};
    }
}

QString shownPath(const Artifact &artifact)
{
    return withHiddenShown(artifact.path).replace(u'\n', u"\\n"_s).replace(u'\r', u"\\r"_s).replace(u'\t', u"\\t"_s);
}

} // namespace glovebox
