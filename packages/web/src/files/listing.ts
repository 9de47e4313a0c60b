import { useQueries } from '@tanstack/react-query';
import type { FileEntry } from '@panel/client';
import { useApi } from '../api/context.js';

const perPage = 100;

export interface Listing {
  readonly total: number;
  /** Undefined where the page of the entry is not there yet. */
  readonly entryAt: (index: number) => FileEntry | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Read again what could not be read. */
  readonly retry: () => void;
  readonly isTruncated: boolean;
}

/** The entries of a directory between two indices: only the pages that are seen are read. */
export function useListing(serverId: string, directory: string, search: string, from: number, to: number): Listing {
  const api = useApi();
  const first = Math.floor(from / perPage) + 1;
  const last = Math.max(first, Math.floor(Math.max(0, to - 1) / perPage) + 1);
  const pages = [...new Set([1, ...Array.from({ length: last - first + 1 }, (_, index) => first + index)])];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: ['files', serverId, directory, search, page],
      queryFn: async () =>
        api.call(async (client) =>
          client.get('/servers/{id}/files/list', {
            params: { id: serverId },
            query: { directory, page, per_page: perPage, ...(search === '' ? {} : { search }) },
          }),
        ),
      retry: false,
      staleTime: 15_000,
    })),
  });
  const byPage = new Map(pages.map((page, index) => [page, results[index]?.data]));
  const head = byPage.get(1);
  return {
    total: head?.meta.total ?? 0,
    entryAt: (index) => byPage.get(Math.floor(index / perPage) + 1)?.data[index % perPage],
    isLoading: head === undefined && results[0]?.error === null,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const { error, refetch } of results) if (error !== null) void refetch();
    },
    isTruncated: head?.meta.truncated === true,
  };
}
