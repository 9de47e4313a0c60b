const maxLength = 512;

/** The client's own name for itself, cut to what a session list can show. */
export function userAgentOf(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  return String(headers['user-agent'] ?? '').slice(0, maxLength);
}
