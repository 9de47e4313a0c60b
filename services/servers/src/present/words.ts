/** The key of `wanted`; undefined: none. */
export function keyOf<K extends string, V>(table: Readonly<Record<K, V>>, wanted: V): K | undefined {
  return (Object.keys(table) as K[]).find((key) => table[key] === wanted);
}
