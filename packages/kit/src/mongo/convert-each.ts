/** Of a damaged document only the id remains, and presenting it fails alone (`presentEach` of `@panel/rpc`). */
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
