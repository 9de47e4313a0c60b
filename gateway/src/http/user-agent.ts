const maxLength = 512;

/** Cut for session lists. */
export function userAgentOf(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  return String(headers['user-agent'] ?? '').slice(0, maxLength);
}
