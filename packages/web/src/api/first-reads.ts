import type { ListedServer, PanelClient, Server, User } from '@panel/client';
import type { Listed } from './use-data.js';

/** An address for the boot script, a call for the page. */
export interface FirstRead<T> {
  readonly key: readonly unknown[];
  readonly address: string;
  readonly read: (client: PanelClient) => Promise<T>;
  readonly pick: (body: { readonly data: unknown }) => unknown;
}

const one = ({ data }: { readonly data: unknown }): unknown => data;

export const accountRead: FirstRead<User> = {
  key: ['account'],
  address: '/account',
  read: async (client) => (await client.get('/account')).data,
  pick: one,
};

export const preferencesRead: FirstRead<Record<string, unknown>> = {
  key: ['preferences'],
  address: '/account/preferences',
  read: async (client) => (await client.get('/account/preferences')).data,
  pick: one,
};

export function serverRead(id: string): FirstRead<Server> {
  return {
    key: ['server', id],
    address: `/servers/${encodeURIComponent(id)}`,
    read: async (client) => (await client.get('/servers/{id}', { params: { id } })).data,
    pick: one,
  };
}

/** The panel's maximum: pins, groups and order apply within a page. */
const perPage = 100;

export function pageOf(text: string | null): number {
  return Math.max(1, Math.floor(Number(text ?? 1)) || 1);
}

/** A page of the user's accessible servers whose name contains the text. */
export function serversRead(page: number, text: string): FirstRead<Listed<ListedServer>> {
  const search = text === '' ? {} : { search: text };
  const query = { page, per_page: perPage, include: 'resources' as const, ...search };
  const written = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return {
    key: ['servers', query],
    address: `/servers?${written.join('&')}`,
    read: async (client) => client.get('/servers', { query }),
    pick: (body) => body,
  };
}

/** Those of an address. */
export function firstReads({ pathname, search }: Pick<Location, 'pathname' | 'search'>): readonly FirstRead<unknown>[] {
  const [, area = '', id = ''] = pathname.split('/');
  const given = new URLSearchParams(search);
  const page = pageOf(given.get('page'));
  if (area === '') return [accountRead, serversRead(page, given.get('search')?.trim() ?? ''), preferencesRead];
  return area === 'servers' && id !== '' ? [accountRead, serverRead(id)] : [accountRead];
}
