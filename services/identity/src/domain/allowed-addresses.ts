import { BlockList, isIP, isIPv4 } from 'node:net';

interface Range {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefix: number;
}

/** IPv4 or IPv6 address or CIDR range. */
export function isAddressRange(text: string): boolean {
  return parseRange(text) !== null;
}

/**
 * Empty: all allowed. Compares bits, against alternative spellings (`::1`, `0:0::1`, `::ffff:1.2.3.4`). Invalid
 * addresses are refused.
 */
export function isAddressAllowed(ranges: readonly string[], address: string): boolean {
  if (ranges.length === 0) return true;
  const wanted = parseRange(address);
  if (!wanted || address.includes('/')) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (parsed) list.addSubnet(parsed.address, parsed.prefix, parsed.family);
  }
  return list.check(wanted.address, wanted.family);
}

function parseRange(text: string): Range | null {
  const match = /^([0-9a-f.:]{2,45})(?:\/(\d{1,3}))?$/i.exec(text);
  const address = match?.[1] ?? '';
  const version = isIP(address);
  if (version === 0) return null;
  const bits = version === 4 ? 32 : 128;
  const prefix = match?.[2] === undefined ? bits : Number(match[2]);
  if (prefix > bits) return null;
  if (version === 4) return { address, family: 'ipv4', prefix };
  return mappedRange(address, prefix) ?? { address, family: 'ipv6', prefix };
}

/** `::ffff:a.b.c.d/n` is the IPv4 range `a.b.c.d/(n-96)`: dual-stack sockets report it. */
function mappedRange(address: string, prefix: number): Range | null {
  if (prefix < 96) return null;
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!groups) return null;
  const [high, low] = [parseInt(groups[1] ?? '', 16), parseInt(groups[2] ?? '', 16)];
  const mapped = [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return isIPv4(mapped) ? { address: mapped, family: 'ipv4', prefix: prefix - 96 } : null;
}
