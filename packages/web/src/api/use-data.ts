import {
  keepPreviousData,
  type QueryKey,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import { ApiError, type PageMeta, type PanelClient } from '@panel/client';
import { useState } from 'react';
import type { Api } from './api.js';
import { useApi } from './context.js';

export interface Listed<T> {
  readonly data: readonly T[];
  readonly meta: PageMeta;
}

interface DataOptions<T> {
  readonly enabled?: boolean;
  readonly staleTime?: number;
  /** Ms while the tab is visible; a function derives it from the last data. */
  readonly every?: number | ((data: T) => number | false);
  /** Shows old data until the new key's answer. */
  readonly keepsPrevious?: boolean;
}

const reconnectMs = 10_000;
const progressMs = 10_000;

export function whileAny<T>(
  isInProgress: (item: T) => boolean,
  ms = progressMs,
): (list: { readonly data: readonly T[] }) => number | false {
  return ({ data }) => data.some(isInProgress) && ms;
}

/** The panel or its service was unreachable: such failures are retried. */
function isWithoutAnswer(error: Error | null): boolean {
  return error !== null && !(error instanceof ApiError && error.status < 502);
}

/** Reads while the component is mounted. */
export function useData<T>(
  key: QueryKey,
  read: (client: PanelClient, signal: AbortSignal) => Promise<T>,
  options: DataOptions<T> = {},
): UseQueryResult<T> {
  return useQuery(dataOptions(useApi(), key, read, options));
}

/** The panel's answers are not retried; requests without an answer are, twice. */
export function dataOptions<T>(
  api: Pick<Api, 'call'>,
  key: QueryKey,
  read: (client: PanelClient, signal: AbortSignal) => Promise<T>,
  options: DataOptions<T> = {},
): UseQueryOptions<T> {
  return {
    queryKey: key,
    queryFn: async ({ signal }) => api.call(async (client) => read(client, signal)),
    retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    refetchIntervalInBackground: false,
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
    refetchInterval: ({ state: { data, error } }) => {
      if (isWithoutAnswer(error)) return reconnectMs;
      if (typeof options.every !== 'function') return options.every ?? false;
      return data === undefined ? false : options.every(data);
    },
    ...(options.keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  };
}

export function useChange<Input, Output>(
  change: (client: PanelClient, input: Input) => Promise<Output>,
  stale: readonly QueryKey[] = [],
): UseMutationResult<Output, Error, Input> {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (input: Input) => api.call(async (client) => change(client, input)),
    onSuccess: async () => {
      await Promise.all(stale.map(async (queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
}

/**
 * Constant until the panel answers: a resend creates nothing twice, and a refused creation can be changed and resent.
 */
export class CreationKey {
  #key: string | null = null;

  async use<T>(create: (key: string) => Promise<T>): Promise<T> {
    this.#key ??= newKey();
    try {
      const output = await create(this.#key);
      this.#key = null;
      return output;
    } catch (error) {
      // Renewed tokens and rate limits resend the same key.
      if (error instanceof ApiError && ![401, 429].includes(error.status) && error.status < 500) this.#key = null;
      throw error;
    }
  }
}

export function useCreate<Input, Output>(
  create: (client: PanelClient, input: Input, idempotencyKey: string) => Promise<Output>,
  stale: readonly QueryKey[] = [],
): UseMutationResult<Output, Error, Input> {
  const [creation] = useState(() => new CreationKey());
  return useChange(async (client, input: Input) => creation.use(async (key) => create(client, input, key)), stale);
}

export function newKey(): string {
  return crypto.randomUUID();
}
