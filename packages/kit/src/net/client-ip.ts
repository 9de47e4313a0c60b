import { BlockList, isIP, isIPv6 } from 'node:net';

export type ClientIpFinder = (socketAddress: string | undefined, forwardedFor: string | undefined) => string;

/**
 * Behind trusted proxies the last X-Forwarded-For address that is none of them. From the right, because the client may
 * forge entries to the left.
 */
export function createClientIpFinder(trustedProxies: readonly string[]): ClientIpFinder {
  const isTrusted = createProxyCheck(trustedProxies);
  return (socketAddress, forwardedFor) => {
    let ip = normalizeIp(socketAddress ?? '') ?? '0.0.0.0';
    const hops = forwardedFor?.split(',') ?? [];
    while (hops.length > 0 && isTrusted(ip)) {
      const hop = normalizeIp(hops.pop() ?? '');
      if (hop === null) break;
      ip = hop;
    }
    return ip;
  };
}

/** For normalized addresses. */
export function createProxyCheck(trustedProxies: readonly string[]): (ip: string) => boolean {
  const trusted = new BlockList();
  for (const entry of trustedProxies) addRange(trusted, entry);
  return (ip) => trusted.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

function addRange(list: BlockList, entry: string): void {
  const [address = '', prefix] = entry.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  list.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
}

/** Without blanks, brackets, port, zone and IPv4-mapped form; null for other text. */
export function normalizeIp(text: string): string | null {
  let ip = text.trim().toLowerCase();
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(ip);
  if (bracketed) ip = bracketed[1] ?? '';
  else if (/^[\d.]+:\d+$/.test(ip)) ip = ip.slice(0, ip.indexOf(':'));
  ip = ip.replace(/%.*$/, '');
  const family = isIP(ip);
  if (family === 0) return null;
  return family === 4 ? ip : canonicalIpv6(ip);
}

/** RFC 5952: `2001:0DB8::0:1` and `2001:db8::1` are one client. */
function canonicalIpv6(ip: string): string {
  const canonical = new URL(`http://[${ip}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!mapped) return canonical;
  const [high, low] = [parseInt(mapped[1] ?? '', 16), parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** A /64 for IPv6, because a customer has at least that. */
export function rateKeyOfIp(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = ip.includes('::') ? Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0') : [];
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
