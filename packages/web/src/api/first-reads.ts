import type { ListedServer, PanelClient, Server, User } from '@panel/client';
import type { Listed } from './use-data.js';

/** What a page reads first: asked for by the boot script as an address, and by the page as a call. */
export interface FirstRead<T> {
  readonly key: readonly unknown[];
  readonly address: string;
  readonly read: (client: PanelClient) => Promise<T>;
  /** What the body of the answer gives. */
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

/** As many as the panel gives at once: pins, groups and the order of an account hold within a page. */
const perPage = 100;

/** The number of a page as an address says it. */
export function pageOf(text: string | null): number {
  return Math.max(1, Math.floor(Number(text ?? 1)) || 1);
}

/** A page of the servers that a user may open, those with a text in their name. */
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

/** Those of the page at an address. */
export function firstReads({ pathname, search }: Pick<Location, 'pathname' | 'search'>): readonly FirstRead<unknown>[] {
  const [, area = '', id = ''] = pathname.split('/');
  const given = new URLSearchParams(search);
  const page = pageOf(given.get('page'));
  if (area === '') return [accountRead, serversRead(page, given.get('search')?.trim() ?? ''), preferencesRead];
  return area === 'servers' && id !== '' ? [accountRead, serverRead(id)] : [accountRead];
}
