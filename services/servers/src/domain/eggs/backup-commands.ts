export interface BackupCommands {
  readonly before: readonly string[];
  /** Part of the confirming line; null: no wait. */
  readonly ready: string | null;
  readonly after: readonly string[];
}

/**
 * Features `backup_before:save-off`, `backup_ready:Saved the game`, `backup_after:save-on`: every panel keeps unknown
 * features. Null: none.
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
