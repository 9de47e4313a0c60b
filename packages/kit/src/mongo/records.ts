/** A record as its collection stores it: under `_id`. */
export type Stored<T extends { readonly id: string }> = Omit<T, 'id'> & { readonly _id: string };

/** Turns documents into records and back, so that `_id` stays in `models/`. */
export interface RecordMapper<T extends { readonly id: string }> {
  toDocument(record: T): Stored<T>;
  toRecord(document: Stored<T>): T;
  /** The record of a query for one document. */
  one(query: PromiseLike<Stored<T> | null>): Promise<T | null>;
  many(query: PromiseLike<readonly Stored<T>[]>): Promise<T[]>;
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
  };
}
