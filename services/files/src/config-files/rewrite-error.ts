/**
 * Shown on the server's console. Not an AppError: the thread must not load the kit, which loads slower than its
 * parsers.
 */
export class RewriteError extends Error {
  override readonly name: string = 'RewriteError';
}
