import { useData } from '../../net/use-data.js';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** What can be chosen in forms of staff pages; the first hundred of each. */
export function useUserChoices(): readonly Choice[] {
  const users = useData(
    ['staff', 'users', 'choices'],
    async (client) => (await client.get('/admin/users', { query: { per_page: 100 } })).data,
  );
  return (users.data ?? []).map(({ id, email }) => ({ value: id, label: email }));
}

export function useNodeChoices(isEnabled: boolean): readonly Choice[] {
  const nodes = useData(
    ['staff', 'nodes', 'choices'],
    async (client) => (await client.get('/admin/nodes', { query: { per_page: 100 } })).data,
    {
      enabled: isEnabled,
    },
  );
  return (nodes.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
}

export function useRoleChoices(): readonly Choice[] {
  const roles = useData(
    ['staff', 'roles', 'choices'],
    async (client) => (await client.get('/admin/roles', { query: { per_page: 100 } })).data,
  );
  return (roles.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
}

/** Eggs of all nests. */
export function useEggChoices(): readonly Choice[] {
  const eggs = useData(['staff', 'eggs', 'choices'], async (client) => {
    const nests = (await client.get('/admin/nests', { query: { per_page: 100 } })).data.filter(
      ({ eggs_count }) => eggs_count > 0,
    );
    const lists = await Promise.all(
      nests.map(
        async ({ id }) =>
          (await client.get('/admin/nests/{id}/eggs', { params: { id }, query: { per_page: 100 } })).data,
      ),
    );
    return lists.flat();
  });
  return (eggs.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
}
