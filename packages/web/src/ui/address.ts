/** With an IPv6 address in brackets. */
export function hostPort(host: string, port: number): string {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}

const ownPort = /^(\[[^\]]+\]|[^:]+):\d+$/;

/** What players type: the alias, with its own port where it has one. */
export function playerAddress({ ip, alias, port }: { ip: string; alias: string | null; port: number }): string {
  if (alias === null) return hostPort(ip, port);
  return ownPort.test(alias) ? alias : hostPort(alias, port);
}
