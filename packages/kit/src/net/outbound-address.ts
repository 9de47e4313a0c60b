import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { AppError, messageOf } from '../errors/errors.js';

type Range = readonly [string, number, 'ipv4' | 'ipv6'];

const loopbackRanges: readonly Range[] = [
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
];

/** This machine and its cloud's metadata service. */
const internalRanges: readonly Range[] = [
  ...loopbackRanges,
  // This host (RFC 1122 §3.2.1.3), unspecified, deprecated IPv4-compatible (RFC 4291 §2.5.5.1).
  ['0.0.0.0', 8, 'ipv4'],
  ['::', 96, 'ipv6'],
  // Link-local (RFC 3927, RFC 4291), with metadata services of AWS, Google, Azure, DigitalOcean.
  ['169.254.0.0', 16, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  // Other metadata services: AWS and Google over IPv6, Alibaba, Azure's wire server, Oracle.
  ['fd00:ec2::', 32, 'ipv6'],
  ['fd20:ce::', 32, 'ipv6'],
  ['100.100.100.200', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  // Tunnels and translators to an arbitrary IPv4 address: SIIT (RFC 7915), local NAT64 (RFC 8215), Teredo (RFC 4380),
  // 6to4 (RFC 3056).
  ['::ffff:0:0:0', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['ff00::', 8, 'ipv6'],
];

/** Other non-internet ranges (IANA special-purpose registries). */
const privateRanges: readonly Range[] = [
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
];

/** Prefixes with the IPv4 address in the last 32 bits: mapped, NAT64 (RFC 6052). */
const embeddingPrefixes = ['::ffff:', '64:ff9b::'];

const loopback = listOf(loopbackRanges);
const internal = listOf(internalRanges);
const notPublic = listOf([...internalRanges, ...privateRanges]);
/** All allocated IPv6 internet addresses (RFC 4291 §2.4). */
const globalUnicast = listOf([['2000::', 3, 'ipv6']]);

/** Loopback, unspecified, link-local, multicast, metadata services, or an embedded one. False for other text. */
export function isInternalAddress(address: string): boolean {
  return contains(internal, address);
}

/** 127.0.0.0/8 or ::1, in any spelling. False for other text. */
export function isLoopbackAddress(address: string): boolean {
  return contains(loopback, address);
}

/** Neither internal, private nor reserved. False for other text. */
export function isPublicAddress(address: string): boolean {
  const plain = withoutZone(address);
  const version = isIP(plain);
  if (version === 0 || contains(notPublic, plain)) return false;
  return version === 4 || embeddedIpv4(plain) !== null || globalUnicast.check(plain, 'ipv6');
}

/** Throws TypeError for other text. */
export function parseAddressRanges(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const version = isIP(address);
    const bits = prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix);
    if (version === 0 || !Number.isInteger(bits) || bits < 0 || bits > (version === 4 ? 32 : 128))
      throw new TypeError(`${range} is not an address range`);
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/**
 * Connect to the result, because the name may resolve differently later. Refuses internal addresses not in `allowed`.
 * Throws HOST_UNRESOLVED, ADDRESS_NOT_ALLOWED.
 */
export async function resolveOutboundHost(
  host: string,
  allowed: BlockList,
  resolve: (host: string) => Promise<string[]> = resolveAll,
): Promise<string> {
  const name = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(name) === 0 ? await resolve(name) : [name];
  const address = addresses.find((one) => !isInternalAddress(one) || contains(allowed, one));
  if (address !== undefined) return address;
  if (addresses.length === 0) throw new AppError('unavailable', 'HOST_UNRESOLVED', 'the host name has no address');
  throw new AppError('invalid_argument', 'ADDRESS_NOT_ALLOWED', 'the address of this host is not allowed');
}

function listOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix, family] of ranges) list.addSubnet(address, prefix, family);
  return list;
}

function contains(list: BlockList, address: string): boolean {
  const plain = withoutZone(address);
  const version = isIP(plain);
  if (version === 0) return false;
  if (version === 4) return list.check(plain, 'ipv4');
  const embedded = embeddedIpv4(plain);
  return embedded === null ? list.check(plain, 'ipv6') : list.check(embedded, 'ipv4');
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

async function resolveAll(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new AppError('unavailable', 'HOST_UNRESOLVED', `the host name cannot be resolved (${messageOf(error)})`);
  }
}

/** In any spelling; null without one. */
function embeddedIpv4(address: string): string | null {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const prefix = embeddingPrefixes.find((one) => canonical.startsWith(one));
  if (prefix === undefined) return null;
  const groups = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical.slice(prefix.length));
  if (!groups) return null;
  const [high, low] = [parseInt(groups[1] ?? '', 16), parseInt(groups[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
