/** A record as stored, under `_id`. */
export type Stored<T extends { readonly id: string }> = Omit<T, 'id'> & { readonly _id: string };

/** Keeps `_id` within `models/`. */
export interface RecordMapper<T extends { readonly id: string }> {
  readonly toDocument: (record: T) => Stored<T>;
  readonly toRecord: (document: Stored<T>) => T;
  one(query: PromiseLike<Stored<T> | null>): Promise<T | null>;
  many(query: PromiseLike<readonly Stored<T>[]>): Promise<T[]>;
  byId(query: PromiseLike<readonly Stored<T>[]>): Promise<Map<string, T>>;
}

export function createRecordMapper<T extends { readonly id: string }>(): RecordMapper<T> {
  const toRecord = ({ _id, ...fields }: Stored<T>) => ({ id: _id, ...fields }) as unknown as T;
  return {
    toDocument: ({ id, ...fields }) => ({ _id: id, ...fields }),
    toRecord,
    one: async (query) => {
      const document = await query;
      return document && toRecord(document);
    },
    many: async (query) => (await query).map(toRecord),
    byId: async (query) => new Map((await query).map((document) => [document._id, toRecord(document)])),
  };
}
