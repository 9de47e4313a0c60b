/** Whether Redis itself refused a command, with this code (the first word of its message). */
export function isRedisReplyError(error: unknown, code: string): boolean {
  return error instanceof Error && error.name === 'ReplyError' && error.message.startsWith(`${code} `);
}
