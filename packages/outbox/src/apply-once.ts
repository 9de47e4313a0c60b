/** Per consumer document, more than a producer's pending ones. */
const rememberedIds = 200;

export interface ConditionalUpdate {
  readonly filter: Record<string, unknown>;
  readonly update: { readonly $push: Record<string, unknown> };
}

/**
 * Merge both parts into the update of the consumer's document: a repeated delivery matches nothing. `field` is an array
 * of strings. A consumer that inserts uses the entry's id as `_id` instead.
 */
export function applyOnce(entryId: string, field = 'appliedEntryIds'): ConditionalUpdate {
  return {
    filter: { [field]: { $ne: entryId } },
    update: { $push: { [field]: { $each: [entryId], $slice: -rememberedIds } } },
  };
}
