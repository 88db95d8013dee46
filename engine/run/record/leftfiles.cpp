// SPDX-License-Identifier: Apache-2.0
#include "leftfiles.h"

namespace glovebox {

namespace {

constexpr qsizetype mostToldWithheld = 10;

// One event a secret.
void tellWithheld(const QList<Artifact> &kept, LiveRun &run)
{
    QMap<QString, QStringList> files; // by secret
    for (const Artifact &artifact : kept) {
        for (const QString &secret : artifact.secrets)
            files[secret].append(shortPath(artifact.path));
    }
    for (auto file = files.cbegin(); file != files.cend(); ++file) {
        QString names = file->first(std::min(file->size(), mostToldWithheld)).join(QStringLiteral(", "));
        if (file->size() > mostToldWithheld)
            names += QStringLiteral(", ...");
        run.addEvent({EventType::ArtifactSecret,
                      Text(QT_TRANSLATE_NOOP("engine", "The secret %1 is in files that it left, so they are withheld "
                                                       "until you release them: %2 (%3 in all)."),
                           {file.key(), names, QString::number(file->size())})});
    }
}

} // namespace

void keepLeftFiles(LeftFiles left, const Rooms &rooms, const LentSecrets &secrets, LiveRun &run, RunResult &result)
{
    const auto setting = [&](const QString &key) { return rooms.settings.value(key).value.toLongLong(); };
    left.limits.files = setting(QStringLiteral("artifacts.files"));
    left.limits.bytes = setting(QStringLiteral("artifacts.total_mb")) * mebibyte;
    const auto search = secrets.searchOfFiles();
    left.search = search.get();
    Collection collection = collectFiles(rooms.store, left);
    tellWithheld(collection.kept, run);
    for (const SkippedFiles &skipped : std::as_const(collection.skipped))
        run.addEvent({EventType::ArtifactSkipped, skipped.sentence});
    result.artifacts = std::move(collection.kept);
    result.skipped = std::move(collection.skipped);
}

void tellHome(int home, const QList<QByteArray> &shown, const RunRequest &request, const Settings &settings,
              const LentSecrets &secrets, LiveRun &run)
{
    const bool keepsFiles =
        !request.session.isEmpty() || settings.value(QStringLiteral("artifacts.files")).value.toLongLong() > 0;
    if (!keepsFiles || !request.keepsFiles)
        return;
    if (const auto left = leftInHome(home, shown, secrets.searchOfFiles().get()))
        run.addEvent({EventType::HomeLeft, *left});
}

} // namespace glovebox
