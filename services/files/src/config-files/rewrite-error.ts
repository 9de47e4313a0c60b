/**
 * Why a file, or one replacement in it, is left alone. The message is shown on the server's console. No AppError: it never
 * leaves this folder, and nothing that the thread loads may load the kit, which takes longer than all its parsers.
 */
export class RewriteError extends Error {
  override readonly name: string = 'RewriteError';
}
