import { useDeferredValue, useState } from 'react';
import { collect } from '../api/pages.js';
import { useData } from '../api/use-data.js';
import { hostPort } from '../ui/address.js';

const suggestions = 10;

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Choices {
  readonly list: readonly Choice[];
  /** A form rendered earlier would lose input on their arrival. */
  readonly isLoading: boolean;
}

/** By typed text: there are too many for a full list. */
export function useUserSuggestions(): { readonly list: readonly Choice[]; readonly search: (text: string) => void } {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const users = useData(
    ['staff', 'users', 'choices', search],
    async (client) => (await client.get('/admin/users', { query: { per_page: suggestions, search } })).data,
    { enabled: search !== '', keepsPrevious: true, staleTime: 60_000 },
  );
  const list = (users.data ?? []).map(({ email, username }) => ({ value: email, label: username }));
  return { list, search: setText };
}

export function useNodeChoices(): Choices {
  const nodes = useData(['staff', 'nodes', 'choices'], async (client) => collect(client.pages('/admin/nodes')));
  const list = (nodes.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return { list, isLoading: nodes.isPending };
}

/** None without a node. */
export function useFreeAddressChoices(nodeId: string | null): Choices {
  const addresses = useData(
    ['staff', 'allocations', nodeId, 'choices'],
    async (client) => collect(client.pages('/admin/nodes/{id}/allocations', { params: { id: nodeId ?? '' } })),
    { enabled: nodeId !== null },
  );
  const free = (addresses.data ?? []).filter(({ assigned }) => !assigned);
  const list = free.map(({ id, ip, port }) => ({ value: id, label: hostPort(ip, port) }));
  return { list, isLoading: addresses.isLoading };
}

export function useRoleChoices(): Choices {
  const roles = useData(['staff', 'roles', 'choices'], async (client) => collect(client.pages('/admin/roles')));
  const list = (roles.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return { list, isLoading: roles.isPending };
}

export function useEggChoices(): Choices {
  const eggs = useData(['staff', 'eggs', 'choices'], async (client) => {
    const nests = (await collect(client.pages('/admin/nests'))).filter(({ eggs_count }) => eggs_count > 0);
    const lists = await Promise.all(
      nests.map(async ({ id }) => collect(client.pages('/admin/nests/{id}/eggs', { params: { id } }))),
    );
    return lists.flat();
  });
  const list = (eggs.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return { list, isLoading: eggs.isPending };
}
