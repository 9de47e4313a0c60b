import { isIP } from 'node:net';
import { isPublicAddress } from '@panel/kit/net';
import { fail } from '../reasons.js';

const path = '/api/v1/billing/webhooks/mollie';

/**
 * Ours, for Mollie to call. Null for a panel on a local address: Mollie refuses what it cannot reach, and its payments are
 * found by queries. Throws GATEWAY_REJECTED for another address without https.
 */
export function webhookUrlOf(panelUrl: string): string | null {
  const url = URL.canParse(path, panelUrl) ? new URL(path, panelUrl) : null;
  if (url && isLocal(url.hostname)) return null;
  if (url?.protocol === 'https:') return url.href;
  throw fail('GATEWAY_REJECTED', 'the address of the panel must be https for webhooks', { gateway: 'mollie' });
}

function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPublicAddress(host);
  return !host.includes('.') || /\.(?:localhost|local|internal|test)$/.test(host);
}
