import { lookup as resolveAll } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { isPublicAddress } from '@panel/kit/net';
import { fail } from '../reasons.js';

/** Throws URL_REFUSED for a non-public literal address. */
export function requirePublicHost(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusedError(host);
}

/** Connects to the addresses it checked, which defeats DNS rebinding. Refuses a name with any non-public address. */
export const publicLookup: LookupFunction = (hostname, _options, callback) => {
  resolveAll(hostname, { all: true }).then(
    (addresses) => {
      const refused = addresses.find(({ address }) => !isPublicAddress(address));
      if (refused || addresses.length === 0) callback(refusedError(hostname), []);
      else callback(null, addresses);
    },
    (error: unknown) => callback(error as NodeJS.ErrnoException, []),
  );
};

function refusedError(host: string) {
  return fail('URL_REFUSED', 'the URL leads to an address that is not public', { host });
}
