import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import type { LocalAddresses } from '../process/config.js';
import { AppError } from '../errors/errors.js';
import { isInternalAddress, isLoopbackAddress } from './outbound-address.js';

/** Keeps connections to addresses that operators name away from this machine and from cloud metadata services. */
export interface AddressGuard {
  /** Whether a connection to an IP address may be opened. */
  readonly isAllowed: (ip: string) => boolean;
  /** Check a literal IP address, or what a name resolves to now. Throws ADDRESS_FORBIDDEN. Names that do not resolve pass. */
  assertHost(host: string): Promise<void>;
  /** For `net.connect` and http agents: fails for names with a forbidden address, on every connect. */
  readonly lookup: LookupFunction;
}

const resolveAll = promisify<string, { all: true }, LookupAddress[]>(dnsLookup as never);

export function createAddressGuard(local: LocalAddresses): AddressGuard {
  const isAllowed = (ip: string): boolean => {
    if (local === 'allow') return true;
    const plain = ip.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
    if (isIP(plain) === 0) return false;
    return !isInternalAddress(plain) || (local === 'loopback' && isLoopbackAddress(plain));
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

/** The error reveals nothing about what listens at the address. */
export function addressForbidden(host: string): AppError {
  return new AppError('invalid_argument', 'ADDRESS_FORBIDDEN', 'addresses of this kind are refused', { host });
}
