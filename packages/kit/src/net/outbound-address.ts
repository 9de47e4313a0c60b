import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { AppError, messageOf } from '../errors.js';

/**
 * Addresses that an operator-supplied host name must not reach: through them the panel would talk to its own machine or to
 * the metadata service of its cloud.
 */
const internalRanges: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  // This host (RFC 1122 §3.2.1.3), unspecified.
  ['0.0.0.0', 8, 'ipv4'],
  ['::', 128, 'ipv6'],
  // Link-local (RFC 3927, RFC 4291), with the metadata services of AWS, Google, Azure, DigitalOcean and others.
  ['169.254.0.0', 16, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  // Metadata services elsewhere: AWS over IPv6, Alibaba, Azure's wire server, Oracle.
  ['fd00:ec2::', 32, 'ipv6'],
  ['100.100.100.200', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  // Multicast and broadcast.
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['ff00::', 8, 'ipv6'],
];

/** Prefixes that carry an IPv4 address in their last 32 bits: mapped, compatible, NAT64 (RFC 6052). */
const embeddingPrefixes = ['::ffff:', '64:ff9b::', '::'];

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const internal = new BlockList();
for (const [address, prefix, family] of internalRanges) internal.addSubnet(address, prefix, family);

/** Whether an address is internal: loopback, unspecified, link-local, multicast or a metadata service. False for no address. */
export function isInternalAddress(address: string): boolean {
  return contains(internal, address) || contains(loopback, address);
}

/** Whether an address is one of this machine's own: 127.0.0.0/8 or ::1, in any spelling. False for no address. */
export function isLoopbackAddress(address: string): boolean {
  return contains(loopback, address);
}

/** Address ranges in CIDR notation, or single addresses. Throws TypeError for anything else. */
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
 * Resolve a host for one connection: connect to the returned address and not to the name, which may resolve to another
 * one by then. Internal addresses are refused unless `allowed` contains them. Throws HOST_UNRESOLVED, ADDRESS_NOT_ALLOWED.
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

function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  if (version === 4) return list.check(address, 'ipv4');
  const embedded = embeddedIpv4(address);
  return list.check(address, 'ipv6') || (embedded !== null && list.check(embedded, 'ipv4'));
}

async function resolveAll(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new AppError('unavailable', 'HOST_UNRESOLVED', `the host name cannot be resolved (${messageOf(error)})`);
  }
}

/** The IPv4 address inside an IPv6 address, in any spelling; null when there is none. */
function embeddedIpv4(address: string): string | null {
  if (isIP(address) !== 6) return null;
  const canonical = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const prefix = embeddingPrefixes.find((one) => canonical.startsWith(one));
  if (prefix === undefined) return null;
  const groups = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical.slice(prefix.length));
  if (!groups) return null;
  const [high, low] = [parseInt(groups[1] ?? '', 16), parseInt(groups[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
