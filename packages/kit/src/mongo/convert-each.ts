/**
 * Convert the documents of a list. Of one that cannot be converted, because its record is damaged, only the id remains:
 * presenting it fails for this item alone (`presentEach` of `@panel/rpc`).
 */
export function convertEach<D extends { readonly _id: unknown }, T>(
  documents: readonly D[],
  convert: (document: D) => T,
): T[] {
  return documents.map((document) => {
    try {
      return convert(document);
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return { id: document._id } as T;
      throw error;
    }
  });
}
