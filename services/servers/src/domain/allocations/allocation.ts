import { isIP } from 'node:net';
import { type FieldMessages, fieldProblem, invalidFields } from '@panel/kit/errors';
import { count, date, id, orNull, type RecordOf, text } from '@panel/kit/records';

export const allocationFields = {
  id,
  nodeId: id,
  ip: id,
  alias: text,
  port: count,
  /** Null when free. */
  serverId: orNull(text),
  createdAt: date,
};
export type Allocation = RecordOf<typeof allocationFields>;

/** Copy in the server's document, immutable while attached. Only the notes have no other copy. */
export const serverAllocationFields = {
  id,
  ip: text,
  alias: text,
  port: count,
  notes: text,
};
export type ServerAllocation = RecordOf<typeof serverAllocationFields>;

export function attachedAllocation({ id, ip, alias, port }: Allocation): ServerAllocation {
  return { id, ip, alias, port, notes: '' };
}

const minPort = 1024;
const maxPort = 65_535;
const maxPorts = 1000;
const rangePattern = /^(\d{1,5})(?:-(\d{1,5}))?$/;

/**
 * "25565" or "25570-25580", 1000 ports at most; returned sorted and unique. Throws INVALID_FIELDS naming `ip`, `alias`
 * or `ports`.
 */
export function parseAllocations(request: { ip: string; alias: string; ports: readonly string[] }): {
  ip: string;
  ports: number[];
} {
  const fields: FieldMessages = {};
  const ip = canonicalIp(request.ip);
  if (ip === null) fields.ip = ['must be an IPv4 or IPv6 address of the node'];
  if (request.alias !== '' && !isAlias(request.alias)) {
    fields.alias = [
      'must be a host name or an IP address of at most 191 characters, with a port of its own or without',
    ];
  }
  if (ip !== null && isAnyAddress(ip) && request.alias === '') {
    fields.alias = [fieldProblem('required', `is required for ${ip}: the address that players enter`)];
  }
  const ports = parsePorts(request.ports);
  if (typeof ports === 'string') fields.ports = [ports];
  if (ip === null || typeof ports === 'string' || Object.keys(fields).length > 0) throw invalidFields(fields);
  return { ip, ports };
}

const maxAliasLength = 191;
/** Also of other scripts, as people type them. */
const hostPattern = /^[\p{L}\p{N}]([\p{L}\p{N}\p{M}.-]*[\p{L}\p{N}\p{M}])?$/u;

/** What players type: a host, and a port where another one leads here. */
function isAlias(text: string): boolean {
  if (text.length > maxAliasLength) return false;
  const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > maxPort)) return false;
  if (bracketed !== undefined) return isIP(bracketed) === 6;
  return name === undefined ? isIP(text) === 6 : hostPattern.test(name);
}

/** All addresses of a machine, behind which other ones may lead to it. */
export const anyAddresses: readonly string[] = ['0.0.0.0', '::'];

export function isAnyAddress(ip: string): boolean {
  return anyAddresses.includes(ip);
}

/** `addresses`: of the node's network interfaces. */
export function isAddressOf(ip: string, addresses: readonly string[]): boolean {
  // A machine listens on all of 127.0.0.0/8 with one address of it.
  return isAnyAddress(ip) || ip.startsWith('127.') || addresses.includes(ip);
}

const whatToEnter =
  'enter the private address that the machine has itself, or 0.0.0.0, and the public one as alias (docs/game-nodes.md)';
const maxNamed = 8;

/** For an address that was not compared with those of its node. */
export const unknownAddresses = `the node has not said which addresses it has: games start only on its own, so behind NAT ${whatToEnter}`;

/** Null: nothing is known against it. */
export function foreignAddressProblem(ip: string, addresses: readonly string[] | undefined): string | null {
  if (addresses === undefined || isAddressOf(ip, addresses)) return null;
  const own = addresses.filter((address) => address !== '::1' && !/^(127\.|fe80:)/.test(address));
  return `is no address of the node (${own.slice(0, maxNamed).join(', ')}): behind NAT ${whatToEnter}`;
}

/** Null: other hosts cannot reach a server there. */
export function canonicalIp(text: string): string | null {
  if (isAnyAddress(text)) return text;
  const version = text.includes('%') ? 0 : isIP(text);
  if (version === 4) return /^(0\.|22[4-9]\.|23\d\.|24\d\.|25\d\.)/.test(text) ? null : text;
  if (version !== 6) return null;
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  if (isAnyAddress(canonical)) return canonical;
  return canonical.startsWith('::ffff:') || canonical.startsWith('ff') ? null : canonical;
}

/** Ascending ports, or an error message. */
function parsePorts(ranges: readonly string[]): number[] | string {
  const ports = new Set<number>();
  for (const range of ranges) {
    const match = rangePattern.exec(range.trim());
    if (!match) return `${JSON.stringify(range.slice(0, 30))} is not a port or a range like 25570-25580`;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (first < minPort || last > maxPort) return `ports must be between ${minPort} and ${maxPort}`;
    if (first > last) return `${range} runs backwards`;
    if (last - first >= maxPorts) return `at most ${maxPorts} ports at once`;
    for (let port = first; port <= last; port++) ports.add(port);
    if (ports.size > maxPorts) return `at most ${maxPorts} ports at once`;
  }
  if (ports.size === 0) return 'needs at least one port';
  return [...ports].sort((a, b) => a - b);
}
