import { type Listed, useData } from './use-data.js';
import type { PanelClient } from '@panel/client';
import { useApi } from './context.js';
import { accountRead, preferencesRead } from './first-reads.js';
import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';

export type { Listed };

export function useAccount() {
  return useData(accountRead.key, accountRead.read, { staleTime: 300_000 });
}

/** Permissions of system roles. Reading other roles needs a permission. */
const systemRoles: Readonly<Record<string, readonly string[]>> = {
  user: [],
  moderator: ['servers.view', 'servers.suspend', 'users.view', 'nodes.view', 'billing.view'],
  admin: ['*'],
};

interface StaffRights {
  readonly isStaff: boolean;
  readonly may: (right: string) => boolean;
  readonly query: UseQueryResult | null;
}

export function useStaffRights(): StaffRights {
  const user = useAccount();
  const account = user.data;
  const known = account ? systemRoles[account.role.name] : [];
  const role = useData(
    ['own-role', account?.role.id],
    async (client: PanelClient) => {
      const id = account?.role.id ?? '';
      return (await client.get('/admin/roles/{id}', { params: { id } })).data.permissions;
    },
    { enabled: account !== undefined && known === undefined, staleTime: 300_000 },
  );
  const rights = known ?? role.data ?? [];
  return {
    isStaff: rights.length > 0,
    query: account === undefined ? user : known === undefined && role.data === undefined ? role : null,
    may: (right) => rights.some((held) => held === '*' || held === right || held === `${right.split('.')[0]}.*`),
  };
}

/** Unknown fields of other programs are kept. */
interface Preferences {
  readonly pins: readonly string[];
  /** Group by server id. */
  readonly groups: Readonly<Record<string, string>>;
  /** Server ids in display order. */
  readonly order: readonly string[];
  readonly theme: 'system' | 'light' | 'dark';
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

function readPreferences(raw: Record<string, unknown>): Preferences {
  const { console: own = {} } = raw as { console?: Partial<Preferences> };
  const { pins, groups, order, theme } = own;
  return {
    pins: textsOf(pins),
    groups: typeof groups === 'object' && groups !== null ? groups : {},
    order: textsOf(order),
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
  };
}

const savingPreferences = ['save-preferences'];

export function usePreferences() {
  const raw = useData(preferencesRead.key, preferencesRead.read, { staleTime: 300_000 });
  const api = useApi();
  const queries = useQueryClient();
  const save = useMutation({
    mutationKey: savingPreferences,
    // Sequential: each change starts from the saved one.
    scope: { id: 'preferences' },
    mutationFn: async (change: Partial<Preferences>) => {
      const { data } = await api.call(async (client) => client.get('/account/preferences'));
      const body = { ...data, console: { ...readPreferences(data), ...change } };
      return (await api.call(async (client) => client.put('/account/preferences', { body }))).data;
    },
    onMutate: (change) => {
      const before = queries.getQueryData<Record<string, unknown>>(['preferences']) ?? {};
      queries.setQueryData(['preferences'], { ...before, console: { ...readPreferences(before), ...change } });
    },
    onSuccess: (data) => {
      // Not while a later save is pending.
      if (queries.isMutating({ mutationKey: savingPreferences }) === 1) queries.setQueryData(['preferences'], data);
    },
    onError: () => void queries.invalidateQueries({ queryKey: ['preferences'] }),
  });
  return { preferences: readPreferences(raw.data ?? {}), isLoaded: raw.data !== undefined, save: save.mutate };
}
