import { useData } from '../../net/use-data.js';

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Choices {
  readonly list: readonly Choice[];
  /** A form that is shown before would lose what was typed when they come. */
  readonly isLoading: boolean;
}

/** What can be chosen in forms of staff pages; the first hundred of each. */
export function useUserChoices(): Choices {
  const users = useData(
    ['staff', 'users', 'choices'],
    async (client) => (await client.get('/admin/users', { query: { per_page: 100 } })).data,
  );
  const list = (users.data ?? []).map(({ id, email }) => ({ value: id, label: email }));
  return { list, isLoading: users.isPending };
}

export function useNodeChoices(): Choices {
  const nodes = useData(
    ['staff', 'nodes', 'choices'],
    async (client) => (await client.get('/admin/nodes', { query: { per_page: 100 } })).data,
  );
  const list = (nodes.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return { list, isLoading: nodes.isPending };
}

export function useRoleChoices(): Choices {
  const roles = useData(
    ['staff', 'roles', 'choices'],
    async (client) => (await client.get('/admin/roles', { query: { per_page: 100 } })).data,
  );
  const list = (roles.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return { list, isLoading: roles.isPending };
}

/** Eggs of all nests. */
export function useEggChoices(): Choices {
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
  const list = (eggs.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return { list, isLoading: eggs.isPending };
}
