import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { AppError } from './errors.js';

/** Which addresses of this machine and of its link an operator may name: none, only loopback, or all. */
export type LocalAddresses = 'deny' | 'loopback' | 'allow';

/** Keeps connections to addresses that operators name away from this machine and from cloud metadata services. */
export interface AddressGuard {
  /** Whether a connection to an IP address may be opened. */
  readonly isAllowed: (ip: string) => boolean;
  /** Check a literal IP address, or what a name resolves to now. Throws ADDRESS_FORBIDDEN. Names that do not resolve pass. */
  assertHost(host: string): Promise<void>;
  /** For `net.connect` and http agents: fails for names with a forbidden address, on every connect. */
  readonly lookup: LookupFunction;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const forbidden = new BlockList();
// Unspecified ("this host"), link-local with the metadata services of most clouds, multicast and broadcast.
forbidden.addSubnet('0.0.0.0', 8);
forbidden.addSubnet('169.254.0.0', 16);
forbidden.addSubnet('224.0.0.0', 4);
forbidden.addSubnet('240.0.0.0', 4);
forbidden.addAddress('::', 'ipv6');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addSubnet('ff00::', 8, 'ipv6');
// Metadata services outside of the link: AWS over IPv6, Alibaba, Oracle.
forbidden.addAddress('fd00:ec2::254', 'ipv6');
forbidden.addAddress('100.100.100.200');
forbidden.addAddress('192.0.0.192');

const resolveAll = promisify<string, { all: true }, LookupAddress[]>(dnsLookup as never);

export function createAddressGuard(local: LocalAddresses): AddressGuard {
  const isAllowed = (ip: string): boolean => {
    if (local === 'allow') return true;
    const plain = ip.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(plain) === 0 || forbidden.check(plain, family)) return false;
    return local === 'loopback' || !loopback.check(plain, family);
  };
  const assertAll = (host: string, addresses: readonly LookupAddress[]) => {
    if (!addresses.every(({ address }) => isAllowed(address))) throw addressForbidden(host);
  };
  return {
    isAllowed,
    assertHost: async (host) => {
      const plain = host.replace(/^\[|\]$/g, '');
      if (isIP(plain) !== 0) assertAll(host, [{ address: plain, family: isIP(plain) }]);
      else assertAll(host, await resolveAll(plain, { all: true }).catch(() => []));
    },
    lookup: (host, options: LookupOptions, callback) => {
      dnsLookup(host, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '', 0);
        try {
          assertAll(host, addresses);
        } catch (refusal) {
          return callback(refusal as NodeJS.ErrnoException, '', 0);
        }
        const [first] = addresses;
        return options.all ? callback(null, addresses) : callback(null, first?.address ?? '', first?.family);
      });
    },
  };
}

/** Nothing of what is behind the address is told. */
export function addressForbidden(host: string): AppError {
  return new AppError('invalid_argument', 'ADDRESS_FORBIDDEN', 'addresses of this kind are refused', { host });
}
