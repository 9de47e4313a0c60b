/** With an IPv6 address in brackets: "[2001:db8::1]:25565". */
export function hostPort(host: string, port: number): string {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}
