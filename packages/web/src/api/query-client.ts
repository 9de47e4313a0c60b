import { type InvalidateOptions, type InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';

/**
 * Also repeats a first read in progress, which may have begun before the change: TanStack's `invalidateQueries` joins
 * it and takes its answer for a new one.
 */
export class RereadingQueryClient extends QueryClient {
  override async invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions): Promise<void> {
    if (filters.refetchType !== 'none') await this.cancelQueries({ ...filters, predicate: isFirstRead(filters) });
    await super.invalidateQueries(filters, options);
  }
}

function isFirstRead({ predicate }: InvalidateQueryFilters): InvalidateQueryFilters['predicate'] {
  return (query) => query.state.data === undefined && predicate?.(query) !== false;
}
