import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import type { LocalAddresses } from '../process/config.js';
import { AppError } from '../errors/errors.js';
import { isInternalAddress, isLoopbackAddress } from './outbound-address.js';

/** Protects this machine and cloud metadata services from operators' addresses. */
export interface AddressGuard {
  readonly isAllowed: (ip: string) => boolean;
  /** Throws ADDRESS_FORBIDDEN. Unresolvable names pass. */
  assertHost(host: string): Promise<void>;
  /** For `net.connect` and http agents: checks names on every connect. */
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

/** The error reveals nothing about the address. */
export function addressForbidden(host: string): AppError {
  return new AppError('invalid_argument', 'ADDRESS_FORBIDDEN', 'addresses of this kind are refused', { host });
}
