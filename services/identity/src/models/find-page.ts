import type { PageQuery, RecordMapper, Stored } from '@panel/kit/mongo';
import type { Model, QueryFilter } from 'mongoose';

export interface Page<T> {
  readonly items: T[];
  readonly total: number;
}

/** With the total of matches. */
export async function findPage<T extends { readonly id: string }>(
  model: Model<Stored<T>>,
  records: RecordMapper<T>,
  filter: QueryFilter<Stored<T>>,
  { sort, skip, perPage }: PageQuery,
  projection: Readonly<Record<string, 0 | 1>> = {},
): Promise<Page<T>> {
  const [items, total] = await Promise.all([
    records.many(model.find(filter, projection).sort(sort).skip(skip).limit(perPage).lean<Stored<T>[]>()),
    model.countDocuments(filter),
  ]);
  return { items, total };
}
