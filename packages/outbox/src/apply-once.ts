/** Ids of entries a consumer document remembers; more than a producer keeps pending for it. */
const rememberedIds = 200;

/** The two parts of a conditional update. */
export interface ConditionalUpdate {
  readonly filter: Record<string, unknown>;
  readonly update: { readonly $push: Record<string, unknown> };
}

/**
 * For a consumer that changes a document of its own: merge both parts into the update that applies an entry, and a
 * repeated delivery matches nothing. `field` is an array of strings in that document. A consumer that inserts a document
 * needs no such list: it uses the entry's id as `_id`.
 */
export function applyOnce(entryId: string, field = 'appliedEntryIds'): ConditionalUpdate {
  return {
    filter: { [field]: { $ne: entryId } },
    update: { $push: { [field]: { $each: [entryId], $slice: -rememberedIds } } },
  };
}
