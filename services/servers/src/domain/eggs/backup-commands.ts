/** What a game is told around a backup. */
export interface BackupCommands {
  /** In order. */
  readonly before: readonly string[];
  /** Part of the line by which the game says that it has written everything; null: it is not waited for. */
  readonly ready: string | null;
  readonly after: readonly string[];
}

/**
 * The commands that an egg names in its list of features, as `backup_before:save-off`, `backup_ready:Saved the game` and
 * `backup_after:save-on`: every panel keeps that list, and passes over what it does not know. Null when there are none.
 */
export function backupCommandsOf(features: readonly string[]): BackupCommands | null {
  const named = (prefix: string) =>
    features.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length).trim());
  const [before, after] = [named('backup_before:'), named('backup_after:')];
  const isUsable = (command: string) => command !== '';
  if (![...before, ...after].some(isUsable)) return null;
  return {
    before: before.filter(isUsable),
    ready: named('backup_ready:').find(isUsable) ?? null,
    after: after.filter(isUsable),
  };
}
