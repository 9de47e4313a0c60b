/** What is shown as it happens, wherever the user is: the ends of long work, and crashes. */
export const noticedEvents: ReadonlyMap<string, 'info' | 'error'> = new Map([
  ['server:crashed', 'error'],
  ['server:install.completed', 'info'],
  ['server:install.failed', 'error'],
  ['server:backup.complete', 'info'],
  ['server:backup.fail', 'error'],
  ['server:backup.restore', 'info'],
  ['server:backup.restore-complete', 'info'],
  ['server:backup.restore-fail', 'error'],
]);
